import { readFileSync } from 'node:fs';

/** The published version of this package. */
export const version: string = versionOf(
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')),
);

function versionOf(manifest: unknown): string {
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
}
