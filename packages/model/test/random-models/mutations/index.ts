import { ofEntities } from './of-entities.ts';
import { ofKeys } from './of-keys.ts';
import { ofReads } from './of-reads.ts';
import { ofTables } from './of-tables.ts';
import { ofWrites } from './of-writes.ts';
import type { Mutation } from './places.ts';

/** All mutations, by what they change. */
export const mutations: readonly (readonly Mutation[])[] = [ofKeys, ofTables, ofEntities, ofReads, ofWrites].map(
  (section) => Object.entries(section).map(([name, apply]) => ({ name, apply })),
);
