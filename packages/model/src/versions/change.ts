/**
 * What a change of a model requires for the stored items.
 *
 * - `nothing`: new items and code only.
 * - `lazy`: stored items lack a value that reading fills in.
 * - `new-collection`: items of a new entity, in collections of their own.
 * - `new-index`: the index is created while the table is in use.
 * - `backfill`: stored items are written again, under the same keys.
 * - `re-key`: stored items move to other primary keys.
 * - `by-hand`: no migration does this; the explanation says what to do.
 */
export type ChangeClass = 'nothing' | 'lazy' | 'new-collection' | 'new-index' | 'backfill' | 're-key' | 'by-hand';

/**
 * Which code may run during a migration.
 *
 * - `any`: either version.
 * - `writers-first`: all writers run the new version before the migration begins; readers of new data wait for its end.
 * - `dual`: the whole application runs `connectDuring` before it begins, and until its end.
 */
export type Deploy = 'any' | 'writers-first' | 'dual';

/** One difference between two versions. */
export interface Change {
  /** What it requires for the stored items. */
  readonly class: ChangeClass;
  /** Stable, for tools: `attribute-added`. */
  readonly code: string;
  /** The place in the model, such as `keys.Issue.GSI4`. */
  readonly path: string;
  /** The entity, by its name in the new version. */
  readonly entity?: string;
  /** The change in a sentence. */
  readonly message: string;
  /** When to deploy the application: before or after the migration. */
  readonly deploy: Deploy;
  /** The strategy of the catalogue. */
  readonly strategy?: string;
  /** A value that only a function of the migration's file can supply. */
  readonly needsFunction?: boolean;
}
