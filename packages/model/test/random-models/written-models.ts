import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Model } from '../../src/model.ts';
import { readCorpus } from './corpus.ts';
import type { ModelScript } from './model-script.ts';
import { scriptOfModel } from './script-of-model.ts';

/** A model to mutate. */
export interface WrittenModel {
  /** Of the file and the export, or of the saved case. */
  readonly name: string;
  readonly script: ModelScript;
}

/** The models that files export, each named or in a named folder. Tests are left out. */
export async function writtenModels(paths: readonly string[]): Promise<WrittenModel[]> {
  const found = new Map<Model, WrittenModel>();
  for (const file of paths.flatMap(filesIn).toSorted()) {
    const exported = (await import(pathToFileURL(resolve(file)).href)) as Readonly<Record<string, unknown>>;
    for (const [name, value] of Object.entries(exported))
      if (isModel(value) && !found.has(value))
        found.set(value, { name: `${file} ${name}`, script: scriptOfModel(value) });
  }
  return [...found.values()];
}

/** The models that once showed a fault of the toolkit, or show one that is planted. */
export function savedModels(): WrittenModel[] {
  const { reads, writes } = readCorpus(fileURLToPath(new URL('corpus', import.meta.url)));
  const cases = [...reads, ...writes].map(([name, { script }]) => ({ name, script }));
  const witnesses = ['prover-witnesses.json', 'write-witnesses.json'].flatMap((file) =>
    Object.entries(
      JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as Readonly<
        Record<string, { script: ModelScript }>
      >,
    ).map(([name, { script }]) => ({ name, script })),
  );
  return [...cases, ...witnesses];
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => name.endsWith('.ts') && !/\.(?:test|test-d|d)\.ts$/.test(name))
    .map((name) => join(path, name));
}

function isModel(value: unknown): value is Model {
  return typeof value === 'object' && value !== null && 'served' in value && 'patterns' in value;
}
