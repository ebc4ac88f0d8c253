import { readdir } from 'node:fs/promises';
import type { Model } from '@singlet/model';

export interface ExampleModel {
  /** The file and the export: `one-to-many.ts library`. */
  readonly name: string;
  readonly model: Model;
}

/** All models that the files of a folder export. */
export async function exampleModelsIn(folder: URL): Promise<readonly ExampleModel[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts')).sort();
  const found = await Promise.all(
    files.map(async (file) => {
      const exported = (await import(new URL(file, folder).href)) as Record<string, unknown>;
      return Object.entries(exported).flatMap(([name, value]) =>
        isModel(value) ? [{ name: `${file} ${name}`, model: value }] : [],
      );
    }),
  );
  return found.flat();
}

function isModel(value: unknown): value is Model {
  return typeof value === 'object' && value !== null && 'entities' in value && 'served' in value;
}
