import type { AttributeMap } from '../../../singlet/src/values/attribute-value.ts';

// The last runs of patterns, kept in memory. The item collections mark the items that a run has read, by its number in the address.

/** The items that a run read in one table. */
export interface KeptRun {
  /** Name of the table in the database. */
  readonly table: string;
  readonly pattern: string;
  /** Keys in the order in which they were read. */
  readonly read: readonly AttributeMap[];
  /** Keys of items that were read and filtered out. */
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

/** Undefined for a run of another page, and for one that was dropped. */
export function keptRun(number: string | undefined): KeptRun | undefined {
  return number === undefined ? undefined : runs.get(number);
}
