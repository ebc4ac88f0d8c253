import { githubCalls } from '../github/calls.ts';
import type { MeasuredSystem } from './pattern-calls.ts';

/** The systems whose access patterns can be measured, by the names of their folders. */
export const measuredSystems: ReadonlyMap<string, MeasuredSystem> = new Map([['github', githubCalls]]);
