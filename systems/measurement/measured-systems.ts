import { accessControlCalls } from '../access-control/calls.ts';
import { additiveManufacturingCalls } from '../additive-manufacturing/calls.ts';
import { bigTimeDealsCalls } from '../big-time-deals/calls.ts';
import { blogCalls } from '../blog/calls.ts';
import { datingAppCalls } from '../dating-app/calls.ts';
import { ecommerceCalls } from '../e-commerce/calls.ts';
import { githubMigrationsCalls } from '../github-migrations/calls.ts';
import { githubCalls } from '../github/calls.ts';
import { jobSchedulerCalls } from '../job-scheduler/calls.ts';
import { lessonShopCalls } from '../lesson-shop/calls.ts';
import { sessionStoreCalls } from '../session-store/calls.ts';
import { supportDeskCalls } from '../support-desk/calls.ts';
import type { MeasuredSystem } from './pattern-calls.ts';

/** The systems whose access patterns can be measured, by folder name. */
export const measuredSystems: ReadonlyMap<string, MeasuredSystem> = new Map([
  ['github', githubCalls],
  ['github-migrations', githubMigrationsCalls],
  ['e-commerce', ecommerceCalls],
  ['session-store', sessionStoreCalls],
  ['big-time-deals', bigTimeDealsCalls],
  ['support-desk', supportDeskCalls],
  ['blog', blogCalls],
  ['lesson-shop', lessonShopCalls],
  ['job-scheduler', jobSchedulerCalls],
  ['dating-app', datingAppCalls],
  ['access-control', accessControlCalls],
  ['additive-manufacturing', additiveManufacturingCalls],
]);
