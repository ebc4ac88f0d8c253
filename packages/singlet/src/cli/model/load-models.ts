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

const directoryDepthMax = 4;

/**
 * The models that a file exports, or those of all files in a directory named `model.ts` or `….model.ts`.
 *
 * @param options.isFresh - whether files that were run before are run again, since they may have changed.
 * @param options.isChecked - whether the caller checks the models, so that they may be malformed.
 * @throws {UsageError} if there are none, or a file cannot be run, or a model is malformed.
 */
export async function loadModels(
  path: string,
  options: { readonly isFresh?: boolean; readonly isChecked?: boolean } = {},
): Promise<readonly LoadedModel[]> {
  const found: LoadedModel[] = [];
  for (const file of modelFiles(path)) {
    const shown = relative(process.cwd(), file);
    const exports = await importFile(file, shown, options);
    const seen = new Set<unknown>();
    for (const [name, value] of Object.entries(exports)) {
      if (!isModel(value) || seen.has(value)) continue;
      seen.add(value);
      found.push({ name, model: value, file: shown });
    }
  }
  if (found.length === 0) {
    if (statSync(path).isDirectory()) {
      throw new UsageError(
        `${path} has no model: name the file model.ts or NAME.model.ts, or name it instead of the directory.`,
      );
    }
    throw new UsageError(`${path} exports no model: export what model('…')….served({…}) returns.`);
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
