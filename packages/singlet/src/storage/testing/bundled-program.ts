import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/** Where the packages that the programs import are found. */
const folder = fileURLToPath(new URL('../../../node_modules/.cache/test-programs/', import.meta.url));
const bundled = new Map<string, string>();

/**
 * Makes one JavaScript file of a program that tests start in processes of their own, often: to load its modules as TypeScript takes five times
 * as long as the rest of its start.
 *
 * @param code - TypeScript that imports modules by their absolute paths.
 * @returns the path of the file.
 */
export function bundledProgram(code: string): string {
  const path = bundled.get(code) ?? bundle(code);
  bundled.set(code, path);
  return path;
}

function bundle(code: string): string {
  mkdirSync(folder, { recursive: true });
  const { outputFiles } = buildSync({
    stdin: { contents: code, resolveDir: folder, loader: 'ts' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
  });
  const path = join(folder, `${createHash('sha256').update(code).digest('hex').slice(0, 16)}.mjs`);
  // Other test processes do the same at the same time.
  const written = `${path}.${process.pid}`;
  writeFileSync(written, outputFiles[0]!.contents);
  renameSync(written, path);
  return path;
}
