import type { Application } from '../../http/start-options.ts';
import { load } from './load.ts';
import { startSessionStore } from './start.ts';

export const application: Application = {
  start: startSessionStore,
  load,
  atScaleOne: 'a thousand people, one of them with 3,000 sessions',
  usualScale: 0.1,
};
