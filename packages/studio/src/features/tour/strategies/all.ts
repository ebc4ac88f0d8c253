import type { Strategy } from '../tour-request.ts';
import { filteringAndSorting } from './filtering-and-sorting.ts';
import { operation } from './operation.ts';
import { process } from './process.ts';
import { relationships } from './relationships.ts';

/** All strategies of single-table design, by their numbers. */
export const strategies: readonly Strategy[] = [
  ...process,
  ...relationships,
  ...filteringAndSorting,
  ...operation,
].toSorted((a, b) => Number(a.id.slice(2)) - Number(b.id.slice(2)));
