import type { Application } from '../../http/start-options.ts';
import { startGitHub } from './start.ts';

export const application: Application = {
  start: startGitHub,
  atScaleOne: 'a thousand repositories',
  usualScale: 0.005,
};
