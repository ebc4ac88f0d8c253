/**
 * What a change of a model asks of the items that are stored.
 *
 * - `nothing`: new items and code only.
 * - `lazy`: stored items lack something that reading fills in.
 * - `new-collection`: items of a new entity, in collections of their own.
 * - `new-index`: the index is made while the table is in use.
 * - `backfill`: stored items are written again, in their places.
 * - `re-key`: stored items move to other primary keys.
 * - `by-hand`: no migration does this; the explanation says what will.
 */
export type ChangeClass = 'nothing' | 'lazy' | 'new-collection' | 'new-index' | 'backfill' | 're-key' | 'by-hand';

/**
 * Which code may run while a migration runs.
 *
 * - `any`: either version.
 * - `writers-first`: all writers run the new version before the migration begins; readers of what is new wait for its end.
 * - `dual`: all of the application runs `connectDuring` before it begins, and until its end.
 */
export type Deploy = 'any' | 'writers-first' | 'dual';

/** One difference between two versions. */
export interface Change {
  /** What it asks of the items that are stored. */
  readonly class: ChangeClass;
  /** Stable, for tools: `attribute-added`. */
  readonly code: string;
  /** The place in the model, such as `keys.Issue.GSI4`. */
  readonly path: string;
  /** The entity, by its name in the new version. */
  readonly entity?: string;
  /** The change in a sentence. */
  readonly message: string;
  /** When the application may be deployed: before or after the migration. */
  readonly deploy: Deploy;
  /** The strategy of the catalogue. */
  readonly strategy?: string;
  /** A value that only a function of the migration's file can supply. */
  readonly needsFunction?: boolean;
}
