import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Migration, MigrationFunctions } from '@singlet/model/migrate';
import type { Snapshot } from '@singlet/model/versions';
import { makeDirectories } from '../../transfer/buckets/index.ts';
import { UsageError } from '../usage-error.ts';
import { acceptedVersion, fileTextIfPresent } from './accepted-version.ts';
import { importFile, type LoadedModel } from './load-models.ts';

/** Where a model's migrations are, and which one is meant. */
export interface MigrationFlags {
  readonly accepted?: string;
  readonly migrations?: string;
  readonly migration?: string;
}

/** The migration from the accepted version to the current model. */
export interface PresentMigration {
  readonly migration: Migration;
  /** `0001-<id>`. */
  readonly name: string;
  /** Its file with functions, which may not exist. */
  readonly file: string;
  /** `none`: nothing has changed. `unplanned`: its files do not exist. */
  readonly state: 'none' | 'planned' | 'unplanned';
}

/**
 * The migration from the accepted version to the current model, with the functions of its file if that exists. Nothing is written.
 *
 * @param options.isFresh - whether a file that was run before is run again, since it may have changed.
 * @throws {UsageError} if there is no accepted version.
 */
export async function presentMigration(
  loaded: LoadedModel,
  flags: MigrationFlags,
  options: { readonly isFresh?: boolean } = {},
): Promise<PresentMigration> {
  const { migration } = await import('@singlet/model/migrate');
  const { snapshot } = await import('@singlet/model/versions');
  const before = await acceptedVersion(loaded, flags.accepted);
  const after = snapshot(loaded.model);
  const present = migration(before, after);
  const directory = directoryOf(loaded, flags);
  const names = migrationNames(directory);
  const known = names.find((name) => name.endsWith(`-${present.id}`));
  if (known !== undefined) {
    const file = join(directory, `${known}.ts`);
    const functions = await functionsOf(file, options);
    return { migration: migration(before, after, functions), name: known, file, state: 'planned' };
  }
  const number = 1 + Math.max(0, ...names.map((name) => Number(name.slice(0, 4))));
  const name = `${String(number).padStart(4, '0')}-${present.id}`;
  const state = present.changes.length === 0 ? 'none' : 'unplanned';
  return { migration: present, name, file: join(directory, `${name}.ts`), state };
}

/** Writes the files of a migration: `0001-<id>.ts` with functions to fill in, and `0001-<id>.json` with both versions. */
export async function writeMigrationFiles({
  migration,
  name,
  file,
}: Pick<PresentMigration, 'migration' | 'name' | 'file'>): Promise<void> {
  const { migrationFile } = await import('@singlet/model/migrate');
  const { snapshotText } = await import('@singlet/model/versions');
  const { before, after } = migration;
  await makeDirectories(dirname(file));
  writeFileSync(
    join(dirname(file), `${name}.json`),
    `{ "before": ${snapshotText(before.snapshot)}, "after": ${snapshotText(after.snapshot)} }\n`,
  );
  writeFileSync(file, migrationFile(migration));
}

/**
 * The migration from the accepted version to the current model, with its files. Existing files are left unchanged, and none is written if
 * nothing has changed.
 */
export async function plannedMigration(
  loaded: LoadedModel,
  flags: MigrationFlags,
): Promise<{ migration: Migration; file: string; made: 'now' | 'before' | 'not' }> {
  const present = await presentMigration(loaded, flags);
  if (present.state === 'unplanned') await writeMigrationFiles(present);
  const made = { none: 'not', planned: 'before', unplanned: 'now' } as const;
  return { migration: present.migration, file: present.file, made: made[present.state] };
}

/** The names of the planned migrations, the oldest first: `0001-<id>`. */
export function plannedNames(loaded: LoadedModel, flags: MigrationFlags): readonly string[] {
  return migrationNames(directoryOf(loaded, flags));
}

/**
 * A planned migration: the last one, or the one with a given number or id.
 *
 * @throws {UsageError} if there is none, or the model has changed since.
 */
export async function chosenMigration(
  loaded: LoadedModel,
  flags: MigrationFlags,
  options: { readonly isFresh?: boolean } = {},
): Promise<Migration> {
  const directory = directoryOf(loaded, flags);
  const names = migrationNames(directory);
  const { migration: wanted } = flags;
  const name =
    wanted === undefined ? names.at(-1) : names.find((each) => each === wanted || each.split('-').includes(wanted));
  if (name === undefined) {
    throw new UsageError(
      wanted === undefined
        ? `There is no migration in ${directory}: write one with singlet migrate plan ${loaded.file}.`
        : `There is no migration ${wanted} in ${directory}; it has ${names.join(', ') || 'none'}.`,
    );
  }
  const { migration } = await import('@singlet/model/migrate');
  const { snapshot, snapshotText } = await import('@singlet/model/versions');
  const { before, after } = await versionsOf(join(directory, `${name}.json`));
  if (wanted === undefined && snapshotText(snapshot(loaded.model)) !== snapshotText(after))
    throw new UsageError(
      `${loaded.file} has changed since migration ${name}: plan again, or name the migration with --migration.`,
    );
  return migration(before, after, await functionsOf(join(directory, `${name}.ts`), options));
}

function directoryOf({ file }: LoadedModel, { migrations }: MigrationFlags): string {
  return migrations ?? join(dirname(file), 'migrations');
}

function migrationNames(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .flatMap((file) => /^(\d{4}-[0-9a-f]{12})\.json$/.exec(file)?.[1] ?? [])
    .toSorted();
}

async function versionsOf(file: string): Promise<{ readonly before: Snapshot; readonly after: Snapshot }> {
  const { readSnapshot } = await import('@singlet/model/versions');
  try {
    const { before, after } = JSON.parse(fileTextIfPresent(file) ?? '') as {
      readonly before: unknown;
      readonly after: unknown;
    };
    return { before: readSnapshot(JSON.stringify(before)), after: readSnapshot(JSON.stringify(after)) };
  } catch (error) {
    throw new UsageError(`${file} does not contain the two versions of a migration.`, { cause: error });
  }
}

/** A file may export anything. That of a migration exports functions, or nothing. */
async function functionsOf(file: string, options: { readonly isFresh?: boolean } = {}): Promise<MigrationFunctions> {
  if (!existsSync(file)) return {};
  const { migration } = await importFile(resolve(file), file, options);
  if (typeof migration !== 'object' || migration === null) throw new UsageError(`${file} exports no migration.`);
  const { entities = {}, back = {}, byHand = [], untyped = [] } = migration as MigrationFunctions;
  const wrong = [...Object.entries(entities), ...Object.entries(back)].find(([, each]) => typeof each !== 'function');
  if (wrong !== undefined) throw new UsageError(`${file}: ${wrong[0]} is not a function.`);
  if (!Array.isArray(byHand)) throw new UsageError(`${file}: byHand must be a list of paths.`);
  if (!Array.isArray(untyped)) throw new UsageError(`${file}: untyped must be a list of entity names.`);
  return { entities, back, byHand, untyped };
}
