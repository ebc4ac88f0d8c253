import { readFileSync } from 'node:fs';

/** How far above the code the manifest may be: the bundle has fewer folders than the sources. */
const folders = ['./', '../', '../../'] as const;

let known: string | undefined;

/** The version of this package, as published; empty where its manifest is not beside the code. */
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
