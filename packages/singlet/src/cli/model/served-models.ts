import { relative, resolve } from 'node:path';
import { requestMatcher } from './request-patterns.ts';
import type {
  MigrationSource,
  ModelFault,
  ModelSource,
  ModelSummary,
  PatternRequest,
  RequestMatcher,
} from '../../inspect/index.ts';
import { UsageError } from '../usage-error.ts';
import { type DescribedModel, describeModel } from './described-model.ts';
import { type LoadedModel, loadModels } from './load-models.ts';
import { fingerprintOf } from './model-fingerprint.ts';
import { runServedPattern } from './run-served-pattern.ts';
import { ServedMigrations } from './served-migrations.ts';
import type { ModelDatabase } from './model-database.ts';

/** A file, or a directory with files, as last read. */
interface ReadPath {
  readonly path: string;
  /** Detects changes. */
  readonly fingerprint: string;
  readonly version: number;
  /** Of the last readable version. */
  readonly models: readonly { readonly loaded: LoadedModel; readonly described: DescribedModel }[];
  readonly fault: ModelFault | undefined;
}

/** The dependencies of {@link ServedModels}. */
export interface ServedModelsOptions {
  /** Files, or directories with files. */
  readonly paths: readonly string[];
  /** Tables whose names differ from those in the models. */
  readonly tables: Readonly<Record<string, string>>;
  /** The database in which patterns run. Called when one does. */
  readonly database: () => ModelDatabase;
}

/**
 * The models that a server was started with. Nothing is loaded, and no file is read, until the first request; after that, changed files are
 * read again. If a file cannot be read, the last version remains in use, and the error is reported.
 *
 * The files are run in this process, as with every command: they are code of the user who started the server.
 */
export class ServedModels implements ModelSource {
  readonly migrations: MigrationSource;
  readonly #paths: readonly string[];
  readonly #tables: Readonly<Record<string, string>>;
  readonly #database: () => ModelDatabase;
  #read: readonly ReadPath[] = [];
  #matcher: { readonly of: readonly ReadPath[]; readonly match: RequestMatcher } | undefined;
  /** Concurrent callers wait for the same reading. */
  #reading: Promise<void> | undefined;

  constructor(options: ServedModelsOptions) {
    this.#paths = options.paths;
    this.#tables = options.tables;
    this.#database = options.database;
    this.migrations = new ServedMigrations({ ...options, models: () => this.#loaded() });
  }

  async list(): Promise<readonly ModelSummary[]> {
    await this.#readChanged();
    return this.#read.flatMap(({ path, models, version, fault }) => {
      // A file that could never be read has no model whose name could be used.
      if (models.length === 0) return [summaryOf(undefined, { name: shown(path), version, fault })];
      return models.map(({ loaded, described }) => summaryOf(described, { name: loaded.model.name, version, fault }));
    });
  }

  async find(name: string): Promise<object | undefined> {
    await this.#readChanged();
    const found = this.#find(name);
    return found && { ...found.described, version: found.version, fault: found.fault ?? null };
  }

  async run(name: string, pattern: string, request: PatternRequest): Promise<object | undefined> {
    await this.#readChanged();
    const found = this.#find(name);
    if (found === undefined) return undefined;
    return runServedPattern(
      { loaded: found.loaded, check: found.described.check, database: this.#database(), tables: this.#tables },
      pattern,
      request,
    );
  }

  async matcher(): Promise<RequestMatcher> {
    await this.#readChanged();
    const models = this.#read;
    if (this.#matcher?.of !== models)
      this.#matcher = { of: models, match: await requestMatcher(models.flatMap((path) => path.models)) };
    return this.#matcher.match;
  }

  async #loaded(): Promise<readonly LoadedModel[]> {
    await this.#readChanged();
    return this.#read.flatMap(({ models }) => models.map(({ loaded }) => loaded));
  }

  #find(name: string):
    | {
        readonly loaded: LoadedModel;
        readonly described: DescribedModel;
        readonly version: number;
        readonly fault: ModelFault | undefined;
      }
    | undefined {
    for (const { models, version, fault } of this.#read) {
      const found = models.find(({ loaded }) => loaded.model.name === name);
      if (found !== undefined) return { ...found, version, fault };
    }
    return undefined;
  }

  async #readChanged(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => (this.#reading = undefined));
    await this.#reading;
  }

  async #readAll(): Promise<void> {
    const all: ReadPath[] = [];
    for (const [at, path] of this.#paths.entries()) {
      const known = this.#read[at];
      const fingerprint = fingerprintOf(path);
      all.push(known?.fingerprint === fingerprint ? known : await this.#readPath(path, fingerprint, known));
    }
    if (all.length !== this.#read.length || all.some((each, at) => each !== this.#read[at])) this.#read = all;
  }

  async #readPath(path: string, fingerprint: string, known: ReadPath | undefined): Promise<ReadPath> {
    const version = (known?.version ?? 0) + 1;
    try {
      const loaded = await loadModels(path, { isFresh: true });
      const models = await Promise.all(
        loaded.map(async (one) => ({ loaded: one, described: await describeModel(one, this.#tables) })),
      );
      return { path, fingerprint, version, models, fault: undefined };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { path, fingerprint, version, models: known?.models ?? [], fault: faultOf(error, path) };
    }
  }
}

function summaryOf(
  described: DescribedModel | undefined,
  { name, version, fault }: { readonly name: string; readonly version: number; readonly fault: ModelFault | undefined },
): ModelSummary {
  const findings = described?.check.findings ?? [];
  return {
    name,
    file: described?.file ?? name,
    version,
    ok: described?.check.ok ?? false,
    patterns: described?.check.patterns.length ?? 0,
    errors: findings.filter(({ level }) => level === 'error').length,
    warnings: findings.filter(({ level }) => level === 'warning').length,
    fault: fault ?? null,
  };
}

/** Splits `shop.model.ts:12:3 cannot be read: …` into its parts. */
function faultOf(error: Error, path: string): ModelFault {
  const text = error instanceof UsageError ? error.message : `${error.name}: ${error.message}`;
  const [, file, line, column] = /^(\S+?):(\d+)(?::(\d+))? /.exec(text) ?? [];
  return {
    file: file ?? shown(path),
    line: line === undefined ? null : Number(line),
    column: column === undefined ? null : Number(column),
    message: text,
  };
}

function shown(path: string): string {
  return relative(process.cwd(), resolve(path));
}
