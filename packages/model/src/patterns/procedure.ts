/**
 * A task that uses several patterns, one after the other or repeatedly: a job, a write that reads first, a read in two steps. The
 * application implements it; the model states which patterns it uses.
 */
export interface Procedure<Pattern extends string = string> {
  /** The id in a requirements document. */
  readonly id?: string;
  /** A remark for readers of the documents. */
  readonly note?: string;
  /** Who runs it: a screen, a job, a consumer of the stream. */
  readonly actor?: string;
  /** The patterns it uses, in the order of their first use. */
  readonly takes: readonly Pattern[];
  /** Tables and indexes that it reads completely besides its patterns, each with the reason: a migration, an export. */
  readonly scans?: { readonly [tableOrIndex: string]: string };
}

/** Procedures by name. */
export type Procedures = { readonly [procedure: string]: Procedure };
