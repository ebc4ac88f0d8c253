import type { Application } from '../../http/start-options.ts';
import { load } from './load.ts';
import { startBlog } from './start.ts';

export const application: Application = {
  start: startBlog,
  load,
  atScaleOne: '10,000 authors with 100,000 posts and 500,000 comments',
  usualScale: 0.002,
};
