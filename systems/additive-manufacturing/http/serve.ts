import type { Application } from '../../http/start-options.ts';
import { load } from './load.ts';
import { LAKE_BUCKET, startFactory } from './start.ts';

export const application: Application = {
  start: startFactory,
  load,
  atScaleOne: '1,000 orders with 21,000 parts',
  usualScale: 0.025,
  buckets: [LAKE_BUCKET],
  variables: 'LAKE_BUCKET is the bucket of exports (lake).',
};
