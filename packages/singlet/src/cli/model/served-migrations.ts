import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Migration, MigrationPlan, MigrationState, SegmentCount, Step } from '@singlet/model/migrate';
import {
  migrationRefused,
  type MigrationSettings,
  type MigrationSource,
  type MigrationWork,
} from '../../inspect/index.ts';
import { UsageError } from '../usage-error.ts';
import { acceptedFile } from './accepted-version.ts';
import type { LoadedModel } from './load-models.ts';
import { chosenMigration, plannedNames, presentMigration, writeMigrationFiles } from './migration-files.ts';
import { type JobReport, MigrationJob } from './migration-job.ts';
import { refuseUnproven } from './refuse-unproven.ts';
import type { ModelDatabase } from './model-database.ts';

/** The dependencies of {@link ServedMigrations}. */
interface ServedMigrationsOptions {
  /** The models as currently in their files. */
  readonly models: () => Promise<readonly LoadedModel[]>;
  /** Table names, by the names in the models. */
  readonly tables: Readonly<Record<string, string>>;
  readonly database: () => ModelDatabase;
}

/** A migration of a model, and where its files are. */
interface KnownMigration {
  readonly loaded: LoadedModel;
  readonly migration: Migration;
  /** `0001-<id>`. */
  readonly name: string;
  readonly file: string;
  readonly isWritten: boolean;
  /** Whether it leads to the current model. */
  readonly isPresent: boolean;
}

/** A summary of a model with its migrations. */
interface ModelMigrations {
  readonly model: string;
  readonly file: string;
  /** Where its accepted version is, or will be written. */
  readonly accepted: string;
  /** Why its migrations cannot be determined. */
  readonly problem: string | null;
  /** The oldest first. */
  readonly migrations: readonly {
    readonly id: string;
    readonly name: string;
    readonly isWritten: boolean;
    readonly isPresent: boolean;
  }[];
}

/** The report on a migration. */
interface MigrationAnswer extends Omit<MigrationPlan, 'steps'> {
  readonly name: string;
  readonly file: string;
  readonly modelFile: string;
  readonly isWritten: boolean;
  readonly isPresent: boolean;
  readonly steps: readonly (Step & { readonly text: string })[];
  /** Why it cannot run at present, one sentence each. */
  readonly refusals: readonly string[];
  /** The table names in the database, by the names in the model. */
  readonly tables: Readonly<Record<string, string>>;
  /** Its progress as recorded in the tables; null before it began. */
  readonly state: (MigrationState & { readonly count: SegmentCount; readonly texts: readonly string[] }) | null;
  /** Why its progress cannot be read from the tables. */
  readonly problem: string | null;
}

/** The operations that are not part of another one. */
type Work = Exclude<MigrationWork, 'pause'>;

/**
 * The migrations of served models: the commands of `singlet migrate`, in this process, one at a time. Progress is recorded in the migrated
 * table, so a migration begun here can be continued by the command, and vice versa.
 *
 * Decision 0102 says why.
 */
export class ServedMigrations implements MigrationSource {
  readonly #options: ServedMigrationsOptions;
  #job: MigrationJob | undefined;
  #jobs = 0;

  constructor(options: ServedMigrationsOptions) {
    this.#options = options;
  }

  async list(): Promise<{ readonly models: readonly ModelMigrations[] }> {
    return { models: await Promise.all((await this.#options.models()).map(migrationsOf)) };
  }

  job(): JobReport | undefined {
    return this.#job?.report;
  }

  pause(id: string): void {
    const job = this.#job;
    if (job?.report.state === 'running' && job.report.migration === id) void job.pause();
  }

  async find(id: string): Promise<MigrationAnswer | undefined> {
    const known = await this.#known(id);
    return known && (await this.#answer(known));
  }

  async work(id: string, work: Work, settings: MigrationSettings): Promise<object | undefined> {
    const known = await this.#known(id);
    if (known === undefined) return undefined;
    try {
      await this.#do(known, work, settings);
    } catch (error) {
      if (error instanceof UsageError) throw migrationRefused(error.message);
      throw error;
    }
    return this.#answer((await this.#known(id)) ?? known);
  }

  async #do(known: KnownMigration, work: Work, settings: MigrationSettings): Promise<void> {
    const { migration, loaded, isWritten } = known;
    if (work === 'plan') {
      if (!isWritten) await writeMigrationFiles(known);
      return undefined;
    }
    this.#assertIdle();
    if (work === 'accept') return accept(known);
    if (!isWritten)
      throw migrationRefused(`${known.file} does not exist: write the files of the migration first (plan).`);
    if (work !== 'undo' && work !== 'verify') await refuseUnproven(loaded);
    const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
    // Other calls may have been waiting here, too.
    this.#assertIdle();
    this.#job = new MigrationJob({
      number: (this.#jobs += 1),
      migration,
      work,
      settings,
      client: new DynamoDBClient(this.#options.database().clientConfig()),
      tables: this.#options.tables,
      nowMs: () => Date.now(),
    });
  }

  #assertIdle(): void {
    if (this.#job?.report.state === 'running')
      throw migrationRefused('A migration is running: pause it, or wait until it has ended.');
  }

  async #known(id: string): Promise<KnownMigration | undefined> {
    for (const loaded of await this.#options.models()) {
      const present = await presentMigration(loaded, {}, { isFresh: true }).catch(withoutAccepted);
      if (present?.migration.id === id && present.state !== 'none')
        return { ...present, loaded, isWritten: present.state === 'planned', isPresent: true };
      const name = plannedNames(loaded, {}).find((each) => each.endsWith(`-${id}`));
      if (name === undefined) continue;
      const migration = await chosenMigration(loaded, { migration: name }, { isFresh: true });
      const file = join(dirname(loaded.file), 'migrations', `${name}.ts`);
      return { loaded, migration, name, file, isWritten: true, isPresent: false };
    }
    return undefined;
  }

  async #answer({ migration, name, file, loaded, isWritten, isPresent }: KnownMigration): Promise<MigrationAnswer> {
    const { plan, refusals, stepText } = await import('@singlet/model/migrate');
    const { state, problem } = await this.#progress(migration, stepText);
    const planned = plan(migration);
    const { tables } = migration.after.resolved;
    return {
      ...planned,
      name,
      file,
      modelFile: loaded.file,
      isWritten,
      isPresent,
      steps: planned.steps.map((step) => ({ ...step, text: stepText(step) })),
      refusals: refusals(migration),
      tables: Object.fromEntries([...tables.keys()].map((table) => [table, this.#options.tables[table] ?? table])),
      state,
      problem,
    };
  }

  async #progress(
    migration: Migration,
    stepText: (step: Step) => string,
  ): Promise<Pick<MigrationAnswer, 'state' | 'problem'>> {
    const [{ DynamoDBClient }, { status }] = await Promise.all([
      import('@aws-sdk/client-dynamodb'),
      import('@singlet/model/migrate'),
    ]);
    const client = new DynamoDBClient(this.#options.database().clientConfig());
    try {
      const found = await status(migration, { client, tables: this.#options.tables });
      if (found === undefined) return { state: null, problem: null };
      const { steps, ...state } = found;
      return { state: { ...state, texts: steps.map(stepText) }, problem: null };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const isMissing = error.name === 'ResourceNotFoundException';
      return { state: null, problem: isMissing ? 'A table of the old version does not exist.' : error.message };
    } finally {
      client.destroy();
    }
  }
}

async function migrationsOf(loaded: LoadedModel): Promise<ModelMigrations> {
  const base = { model: loaded.model.name, file: loaded.file, accepted: acceptedFile(loaded, undefined) };
  const written = plannedNames(loaded, {}).map((name) => ({ id: name.slice(5), name, isWritten: true }));
  try {
    const present = await presentMigration(loaded, {}, { isFresh: true });
    const { id } = present.migration;
    const isChanged = present.state !== 'none';
    return {
      ...base,
      problem: null,
      migrations: [
        ...written.map((each) => ({ ...each, isPresent: isChanged && each.id === id })),
        ...(present.state === 'unplanned' ? [{ id, name: present.name, isWritten: false, isPresent: true }] : []),
      ],
    };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { ...base, problem: error.message, migrations: written.map((each) => ({ ...each, isPresent: false })) };
  }
}

/** Without an accepted version, only the written migrations are listed. */
function withoutAccepted(error: unknown): undefined {
  if (!(error instanceof UsageError)) throw error;
  return undefined;
}

/** The implementation of `singlet accept`. */
async function accept({ loaded, isPresent }: KnownMigration): Promise<void> {
  if (!isPresent)
    throw migrationRefused(`${loaded.file} has changed since: it is not the version that this migration leads to.`);
  const { snapshot, snapshotText } = await import('@singlet/model/versions');
  writeFileSync(acceptedFile(loaded, undefined), snapshotText(snapshot(loaded.model)));
}
