import type { Application } from '../../http/start-options.ts';
import { load } from './load.ts';
import { startDating } from './start.ts';

export const application: Application = {
  start: startDating,
  load,
  atScaleOne: '100,000 people with 200,000 matches',
  usualScale: 0.0015,
};
