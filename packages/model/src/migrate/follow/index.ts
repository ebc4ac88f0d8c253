/** Migrations into new tables, by copying and following the streams of the old ones. */
export { follow, type FollowCount, type FollowOptions } from './follow.ts';
export { compareCopies, type CompareOptions } from './compare.ts';
export type { Direction, TableNames } from './copied-tables.ts';
