import type { Application } from '../../http/start-options.ts';
import { startScheduler } from './start.ts';

export const application: Application = {
  start: startScheduler,
  atScaleOne: '100,000 jobs in a day',
  usualScale: 0.02,
};
