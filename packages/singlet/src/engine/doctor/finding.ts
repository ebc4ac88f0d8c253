/** What the doctor looks at. */
export type FindingKind =
  /** A value does not match its checksum, or cannot be read. */
  | 'value'
  /** A record of a table, stream, backup, job or lease. */
  | 'record'
  /** An index, or the expiry index, and the items do not agree. */
  | 'index'
  /** Counts of items, sizes of collections, usage of an account. */
  | 'count'
  /** The stream of a table does not lead to its items. */
  | 'stream';

/** Something that is wrong with stored data. */
export interface Finding {
  readonly kind: FindingKind;
  /** `repairable`: it follows from what is sound. `loss`: what was there is gone, as far as this store knows. */
  readonly outcome: 'repairable' | 'loss';
  /** The table it belongs to, where that is known. */
  readonly table?: string;
  /** The key of an item as JSON, where that is known; else the store key in hexadecimal. */
  readonly key?: string;
  /** A sentence. */
  readonly message: string;
}
