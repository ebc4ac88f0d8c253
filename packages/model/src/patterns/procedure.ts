/**
 * What takes several patterns, one after the other or again and again: a job, a write that reads first, a read in two steps. The
 * application composes it; the model says what it comes down to.
 */
export interface Procedure<Pattern extends string = string> {
  /** The id in a requirements document. */
  readonly id?: string;
  /** A remark for readers of the documents. */
  readonly note?: string;
  /** Who does it: a screen, a job, a consumer of the stream. */
  readonly actor?: string;
  /** The patterns it goes through, in the order in which they first come. */
  readonly takes: readonly Pattern[];
  /** Tables and indexes that it reads whole beside its patterns, each with the reason: a migration, an export. */
  readonly scans?: { readonly [tableOrIndex: string]: string };
}

/** Procedures by name. */
export type Procedures = { readonly [procedure: string]: Procedure };
