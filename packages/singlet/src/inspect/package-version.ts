import { readFileSync } from 'node:fs';

/** Where the manifest may be relative to the code: the bundle has fewer folders than the sources. */
const folders = ['./', '../', '../../'] as const;

let known: string | undefined;

/** The published version of this package; empty if its manifest is not found. */
export function packageVersion(): string {
  return (known ??= folders.map(versionIn).find((version) => version !== undefined) ?? '');
}

function versionIn(folder: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(new URL(`${folder}package.json`, import.meta.url), 'utf8');
  } catch {
    return undefined; // not in this folder
  }
  const manifest: unknown = JSON.parse(text);
  if (typeof manifest !== 'object' || manifest === null) return undefined;
  return 'name' in manifest && manifest.name === 'singlet' && 'version' in manifest
    ? String(manifest.version)
    : undefined;
}
