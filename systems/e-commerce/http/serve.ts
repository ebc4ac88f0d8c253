import type { Application } from '../../http/start-options.ts';
import { load } from './load.ts';
import { startShop } from './start.ts';

export const application: Application = {
  start: startShop,
  load,
  atScaleOne: '2,000 customers with 10,000 orders',
  usualScale: 0.02,
};
