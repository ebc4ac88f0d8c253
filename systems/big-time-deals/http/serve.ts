import type { Application } from '../../http/start-options.ts';
import { load } from './load.ts';
import { startBigTimeDeals } from './start.ts';

export const application: Application = {
  start: startBigTimeDeals,
  load,
  atScaleOne: '200 brands, 3,000 deals and 1,000 users',
  usualScale: 0.03,
  variables: 'EDITOR_TOKEN is what editors of big-time-deals show.',
};
