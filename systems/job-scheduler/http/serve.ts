import type { Application } from '../../http/start-options.ts';
import { load } from './load.ts';
import { startScheduler } from './start.ts';

export const application: Application = {
  start: startScheduler,
  load,
  atScaleOne: '100,000 jobs in a day',
  usualScale: 0.02,
};
