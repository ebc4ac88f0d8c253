import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Seed } from './seeded-database.ts';

/** A table in the configuration of `@shelf/jest-dynamodb` or `jest-dynalite`: the input of CreateTable, and plain items. */
interface ConfiguredTable {
  readonly TableName: string;
  /** Items in the document client's form. */
  readonly data?: readonly object[];
}

interface ConfiguredTables {
  readonly tables?: readonly ConfiguredTable[] | (() => Promise<readonly ConfiguredTable[]>);
  readonly port?: number;
  readonly basePort?: number;
}

/** The settings of a project's configuration file. */
export interface JestDatabase {
  readonly seed: Seed;
  /** The port of the one server that all test files share. Absent: each test file has its own server. */
  readonly sharedPort?: number;
  /** Workers listen on this port plus their number, counted from 1. Absent: any free port. */
  readonly basePort?: number;
}

/** The default port of DynamoDB Local, which programs tested with `@shelf/jest-dynamodb` expect. */
const usualPort = 8000;

/**
 * Reads the configuration of a project's test databases: `jest-singlet-config`, which exports a {@link Seed} or a function that returns one, or
 * that of `jest-dynalite` or `@shelf/jest-dynamodb`. Without a configuration, databases begin empty.
 *
 * @param rootDir - of the project, which contains the file.
 * @throws {TypeError} if the file exports something else, and errors of the file or of its loader.
 */
export async function readJestConfig(rootDir: string): Promise<JestDatabase> {
  const own = await exportOf(rootDir, 'jest-singlet-config');
  if (own !== undefined) return { seed: own as Seed };
  const dynalite = (await exportOf(rootDir, 'jest-dynalite-config')) as ConfiguredTables | undefined;
  if (dynalite !== undefined) {
    const { basePort } = dynalite;
    return { seed: await seedOf(dynalite), ...(basePort !== undefined && { basePort }) };
  }
  const shared = (await exportOf(rootDir, 'jest-dynamodb-config')) as ConfiguredTables | undefined;
  if (shared !== undefined) return { seed: await seedOf(shared), sharedPort: shared.port ?? usualPort };
  return { seed: {} };
}

const extensions = ['.js', '.cjs', '.json', '.mjs', '.ts'];

/** The object that the file exports, or that its exported function returns; undefined if there is no file. */
async function exportOf(rootDir: string, name: string): Promise<unknown> {
  const file = extensions.map((extension) => join(rootDir, name + extension)).find((path) => existsSync(path));
  if (file === undefined) return undefined;
  const loaded = await load(file);
  const value = await (typeof loaded === 'function' ? (loaded as () => unknown)() : loaded);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new TypeError(`${file} exports no configuration: it exports an object, or a function that returns one`);
}

async function load(file: string): Promise<unknown> {
  if (!/\.(mjs|ts)$/.test(file)) return defaultOf(createRequire(file)(file));
  const { createJiti } = await import('jiti');
  return createJiti(file).import(file, { default: true });
}

function defaultOf(loaded: unknown): unknown {
  const { default: exported } = loaded as { readonly default?: unknown };
  return exported ?? loaded;
}

async function seedOf({ tables = [] }: ConfiguredTables): Promise<Seed> {
  const all = typeof tables === 'function' ? await tables() : tables;
  const items: Record<string, readonly object[]> = {};
  const definitions: object[] = [];
  for (const { data = [], ...table } of all) {
    definitions.push(table);
    if (data.length > 0) items[table.TableName] = await marshalled(data);
  }
  return { tables: definitions, items };
}

async function marshalled(items: readonly object[]): Promise<readonly object[]> {
  const { marshall } = await import('@aws-sdk/util-dynamodb');
  return items.map((item) => marshall(item as Record<string, unknown>, { removeUndefinedValues: true }));
}
