import type { Application } from '../../http/start-options.ts';
import { load } from './load.ts';
import { startMigrations } from './start.ts';

export const application: Application = {
  start: startMigrations,
  load,
  atScaleOne: 'a thousand repositories before the first migration',
  usualScale: 0.002,
};
