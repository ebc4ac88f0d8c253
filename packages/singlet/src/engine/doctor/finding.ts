/** The kinds of data that the doctor checks. */
export type FindingKind =
  /** A value does not match its checksum, or cannot be read. */
  | 'value'
  /** A record of a table, stream, backup, job or lease. */
  | 'record'
  /** An index, or the expiry index, differs from the items. */
  | 'index'
  /** Counts of items, sizes of collections, usage of an account. */
  | 'count'
  /** Replaying the stream of a table does not give its items. */
  | 'stream';

/** A defect of stored data. */
export interface Finding {
  readonly kind: FindingKind;
  /** `repairable`: it can be derived from sound data. `loss`: the data is gone, as far as this store shows. */
  readonly outcome: 'repairable' | 'loss';
  /** The table to which the data belongs, if known. */
  readonly table?: string;
  /** The key of an item as JSON, if known; otherwise the store key in hexadecimal. */
  readonly key?: string;
  /** A sentence that describes it. */
  readonly message: string;
}
