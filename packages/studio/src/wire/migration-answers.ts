// Migrations of the server's models: the part of docs/inspect.md that the page reads.

/** Items of one step. */
export interface ItemCount {
  readonly scanned: number;
  readonly matched: number;
  readonly written: number;
  readonly current: number;
  readonly gone: number;
  readonly failed: number;
}

/** A difference between two versions of a model. */
export interface ModelChange {
  readonly class: string;
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

/** Work on a migration: the current work in the server, or the last. */
export interface MigrationJob {
  readonly number: number;
  readonly migration: string;
  readonly work: 'run' | 'resume' | 'undo' | 'verify';
  readonly dryRun: boolean;
  readonly state: 'running' | 'paused' | 'done' | 'failed';
  readonly progress: { readonly text: string; readonly number: number; readonly count: ItemCount } | null;
  readonly steps: readonly { readonly text: string; readonly count: ItemCount }[];
  /** Items that a verification read. */
  readonly scanned: number;
  readonly failures: readonly string[];
  readonly unsent: readonly { readonly operation: string; readonly input: object }[];
  readonly verified: {
    readonly ok: boolean;
    readonly scanned: number;
    readonly entities: Readonly<Record<string, number>>;
    readonly indexes: Readonly<
      Record<string, Readonly<Record<string, { readonly items: number; readonly entries: number }>>>
    >;
    readonly faultCount: number;
    readonly faults: readonly {
      readonly code: string;
      readonly entity: string;
      readonly key: Readonly<Record<string, unknown>>;
      readonly message: string;
    }[];
  } | null;
  readonly error: { readonly name: string; readonly message: string } | null;
}

/** A summary of a model with its migrations. */
export interface ModelMigrations {
  readonly model: string;
  readonly file: string;
  /** The file of the running version. */
  readonly accepted: string;
  readonly problem: string | null;
  /** The oldest first. */
  readonly migrations: readonly MigrationSummary[];
}

export interface MigrationSummary {
  readonly id: string;
  readonly name: string;
  readonly isWritten: boolean;
  /** Whether it leads to the current state of the model. */
  readonly isPresent: boolean;
}

export interface MigrationList {
  /** False if this server cannot do the work, because it has several processes. */
  readonly canRun: boolean;
  readonly models: readonly ModelMigrations[];
}

/** All information about one migration. */
export interface MigrationAnswer extends MigrationSummary {
  readonly model: string;
  readonly file: string;
  readonly modelFile: string;
  readonly changes: readonly ModelChange[];
  readonly steps: readonly { readonly kind: string; readonly table?: string; readonly text: string }[];
  /** The order of work, in one sentence each. */
  readonly order: readonly string[];
  /** Entities for which the migration's file has functions. */
  readonly functions: readonly string[];
  readonly refusals: readonly string[];
  /** Names of tables in the database, by their names in the model. */
  readonly tables: Readonly<Record<string, string>>;
  readonly state: {
    readonly direction: 'run' | 'undo';
    /** From 0; the number of steps when all are done. */
    readonly step: number;
    readonly texts: readonly string[];
    readonly begunAt: number;
    readonly endedAt?: number;
    readonly count: ItemCount;
  } | null;
  readonly problem: string | null;
  readonly job: MigrationJob | null;
}
