import { readFile } from 'node:fs/promises';

/** An application to start from. */
export interface Template {
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
}

/** @param folder - `dist/templates`, which the build writes. */
export async function readTemplates(folder: URL): Promise<readonly Template[]> {
  return JSON.parse(await readFile(new URL('templates.json', folder), 'utf8')) as readonly Template[];
}
