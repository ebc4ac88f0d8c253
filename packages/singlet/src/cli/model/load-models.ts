import { readdirSync, statSync } from 'node:fs';
import { extname, join, relative, resolve } from 'node:path';
import type { Model } from '@singlet/model';
import { UsageError } from '../usage-error.ts';
import { loadFindingLocator } from './finding-locator.ts';
import { whyNotRun } from './why-not-run.ts';

/** A model and the file that declares it. */
export interface LoadedModel {
  /** Its exported name: `shop`. */
  readonly name: string;
  readonly model: Model;
  /** Relative to the working directory. */
  readonly file: string;
}

/** Why a file cannot be run, or a model of it cannot be used. */
export interface FileFault {
  /** Relative to the working directory. */
  readonly file: string;
  readonly error: UsageError;
}

/** How models are loaded. */
interface LoadOptions {
  /** Whether files that were run before are run again, since they may have changed. */
  readonly isFresh?: boolean;
  /** Whether the caller checks the models, so that they may be malformed. */
  readonly isChecked?: boolean;
}

const directoryDepthMax = 4;

/**
 * The models that a file exports, or those of all files in a directory named `model.ts` or `….model.ts`.
 *
 * @throws {UsageError} if there are none, or a file cannot be run, or a model is malformed.
 */
export async function loadModels(path: string, options: LoadOptions = {}): Promise<readonly LoadedModel[]> {
  const { models, faults } = await loadUsableModels(path, options);
  const [first] = faults;
  if (first !== undefined) throw first.error;
  return models;
}

/**
 * The models of a file or a directory, as `loadModels` finds them, and instead of an error the faults of the files that have none that can
 * be used.
 */
export async function loadUsableModels(
  path: string,
  options: LoadOptions = {},
): Promise<{ readonly models: readonly LoadedModel[]; readonly faults: readonly FileFault[] }> {
  const models: LoadedModel[] = [];
  const faults: FileFault[] = [];
  const faultIn = (file: string, error: unknown): void => {
    if (!(error instanceof UsageError)) throw error;
    faults.push({ file, error });
  };
  try {
    for (const absolute of modelFiles(path)) {
      const file = relative(process.cwd(), absolute);
      await modelsOf(absolute, file, options).then(
        (found) => models.push(...found),
        (error: unknown) => faultIn(file, error),
      );
    }
    if (models.length === 0 && faults.length === 0) {
      throw new UsageError(
        statSync(path).isDirectory()
          ? `${path} has no model: name the file model.ts or NAME.model.ts, or name it instead of the directory.`
          : `${path} exports no model: export what model('…')….served({…}) returns.`,
      );
    }
  } catch (error) {
    faultIn(path, error);
  }
  return { models, faults };
}

async function modelsOf(absolute: string, file: string, options: LoadOptions): Promise<LoadedModel[]> {
  const found: LoadedModel[] = [];
  const seen = new Set<unknown>();
  for (const [name, model] of Object.entries(await importFile(absolute, file, options))) {
    if (!isModel(model) || seen.has(model)) continue;
    seen.add(model);
    found.push({ name, model, file });
  }
  if (options.isChecked !== true) await refuseMalformed(found);
  return found;
}

/** @throws {UsageError} for a model in which something has the wrong form, such as a name where a list belongs. */
async function refuseMalformed(models: readonly LoadedModel[]): Promise<void> {
  const { declarationFindings } = await import('@singlet/model/check');
  for (const loaded of models) {
    const [first] = declarationFindings(loaded.model);
    if (first === undefined) continue;
    const placeOf = await loadFindingLocator();
    throw new UsageError(`${placeOf(loaded, first)} cannot be used: ${first.message}.`);
  }
}

/** @throws {UsageError} if the file has several models and no name is given, or no model of that name. */
export async function loadModel(path: string, name?: string): Promise<LoadedModel> {
  const models = await loadModels(path);
  const [only] = name === undefined ? models : models.filter((each) => each.name === name || each.model.name === name);
  const names = models.map((each) => each.name).join(', ');
  if (only === undefined) throw new UsageError(`${path} has no model ${name ?? ''}; it has ${names}.`);
  if (name === undefined && models.length > 1)
    throw new UsageError(`${path} has several models: choose one with --model (${names}).`);
  return only;
}

/**
 * The files of a path that may contain models.
 *
 * @throws {UsageError} if the path does not exist.
 */
export function modelFiles(given: string): string[] {
  const path = resolve(given);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new UsageError(`There is no ${given}.`);
  if (stat.isFile()) return [path];
  return filesBelow(path, directoryDepthMax).filter((file) => /(^|[/\\.])model\.(ts|mts|js|mjs)$/.test(file));
}

function filesBelow(directory: string, depth: number): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.isFile()) return [path];
      const skipped = entry.name === 'node_modules' || entry.name === 'dist' || entry.name.startsWith('.');
      return !entry.isDirectory() || skipped || depth === 0 ? [] : filesBelow(path, depth - 1);
    });
}

/**
 * Runs a file and returns its exports.
 *
 * @throws {UsageError} if it cannot be run.
 */
export async function importFile(
  file: string,
  shown: string,
  { isFresh = false }: { readonly isFresh?: boolean } = {},
): Promise<Readonly<Record<string, unknown>>> {
  if (!['.ts', '.mts', '.js', '.mjs'].includes(extname(file))) {
    throw new UsageError(`${shown} is not a TypeScript or JavaScript file.`);
  }
  const { createJiti } = await import('jiti');
  try {
    return await createJiti(import.meta.url, { moduleCache: !isFresh }).import<Readonly<Record<string, unknown>>>(file);
  } catch (error) {
    throw new UsageError(whyNotRun(error, file, shown), { cause: error });
  }
}

/** A file may export anything. A model is recognised by its sections. */
function isModel(value: unknown): value is Model {
  if (typeof value !== 'object' || value === null) return false;
  return ['entities', 'relationships', 'patterns', 'tables', 'keys', 'served'].every((section) => section in value);
}
