import { readdir, readFile } from 'node:fs/promises';

const SDK_IMPORT = /\b(?:from|import|require)\s*\(?\s*['"](?:@aws-sdk|@smithy)\//;

export function mentionsSdk(source: string): boolean {
  return SDK_IMPORT.test(source);
}

/** Names the files of an application's folder that import the AWS SDK, except its tests and demos. */
export async function sdkImportsIn(folder: URL): Promise<readonly string[]> {
  const fileNames = (await readdir(folder, { recursive: true }))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('demo'))
    .sort();
  const importing: string[] = [];
  for (const fileName of fileNames) {
    if (mentionsSdk(await readFile(new URL(fileName, folder), 'utf8'))) {
      importing.push(fileName);
    }
  }
  return importing;
}
