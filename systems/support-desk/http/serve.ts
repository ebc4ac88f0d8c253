import type { Application } from '../../http/start-options.ts';
import { load } from './load.ts';
import { startSupportDesk } from './start.ts';

export const application: Application = {
  start: startSupportDesk,
  load,
  atScaleOne: '20,000 customers, 100,000 tickets and 500,000 messages',
  usualScale: 0.005,
};
