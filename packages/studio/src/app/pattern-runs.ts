import type { AttributeMap } from '../../../singlet/src/values/attribute-value.ts';

// The last runs of patterns, kept in memory: the item collections mark what one has read, by its number in the address.

/** What a run touched in one table. */
export interface KeptRun {
  /** Name of the table in the database. */
  readonly table: string;
  readonly pattern: string;
  /** Keys in the order in which they were read. */
  readonly read: readonly AttributeMap[];
  /** Keys that were read and filtered away. */
  readonly filtered: readonly AttributeMap[];
}

const runsMax = 20;
const runs = new Map<string, KeptRun>();
let last = 0;

/** @returns its number. */
export function keepRun(run: KeptRun): string {
  last += 1;
  runs.set(String(last), run);
  runs.delete(String(last - runsMax));
  return String(last);
}

/** Undefined for a run of another page, and one that is forgotten. */
export function keptRun(number: string | undefined): KeptRun | undefined {
  return number === undefined ? undefined : runs.get(number);
}
