import type { Application } from '../../http/start-options.ts';
import { load } from './load.ts';
import { startAccessControl } from './start.ts';

export const application: Application = {
  start: startAccessControl,
  load,
  atScaleOne: '10,000 users with 200 roles and 500 policies',
  usualScale: 0.005,
};
