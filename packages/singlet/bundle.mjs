// Bundles the package's entries: a program of two hundred small modules takes a tenth of a second to load one by one, and a
// few milliseconds in one piece. What is loaded on demand (the store drivers) stays apart. Types come from `tsc -b`.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('.', import.meta.url));

// Chunks are named by their content: those of earlier builds would pile up.
for (const file of readdirSync(join(root, 'dist'), { recursive: true })) {
  if (/\.js(\.map)?$/.test(file)) rmSync(join(root, 'dist', file));
}

await build({
  absWorkingDir: root,
  entryPoints: ['src/index.ts', 'src/storage/index.ts', 'src/storage/testing/store-conformance.ts', 'src/cli/main.ts'],
  outbase: 'src',
  outdir: 'dist',
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  target: 'node20',
  format: 'esm',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
});
