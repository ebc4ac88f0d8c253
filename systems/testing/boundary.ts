import { readdir, readFile } from 'node:fs/promises';

/** The files of an application that may know the AWS SDK: its data module and its table definition. */
const FILES_INSIDE_THE_BOUNDARY: ReadonlySet<string> = new Set(['data.ts', 'table.ts']);

const SDK_IMPORT = /\b(?:from|import|require)\s*\(?\s*['"](?:@aws-sdk|@smithy)\//;

export function mentionsSdk(source: string): boolean {
  return SDK_IMPORT.test(source);
}

/** Names the files of an application's folder that import the AWS SDK, tests and demos included, by side of the boundary. */
export async function sdkImportsIn(
  folder: URL,
): Promise<{ readonly inside: readonly string[]; readonly outside: readonly string[] }> {
  const fileNames = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts')).sort();
  const importing: string[] = [];
  for (const fileName of fileNames) {
    if (mentionsSdk(await readFile(new URL(fileName, folder), 'utf8'))) {
      importing.push(fileName);
    }
  }
  return {
    inside: importing.filter((fileName) => FILES_INSIDE_THE_BOUNDARY.has(fileName)),
    outside: importing.filter((fileName) => !FILES_INSIDE_THE_BOUNDARY.has(fileName)),
  };
}
