import type { Application } from '../../http/start-options.ts';
import { load } from './load.ts';
import { startGitHub } from './start.ts';

export const application: Application = {
  start: startGitHub,
  load,
  atScaleOne: 'a thousand repositories',
  usualScale: 0.0025,
};
