import type { Application } from '../../http/start-options.ts';
import { load } from './load.ts';
import { startLessonShop } from './start.ts';

export const application: Application = {
  start: startLessonShop,
  load,
  atScaleOne: '10,000 customers with 50,000 orders and 2,000 products',
  usualScale: 0.02,
};
