// Bundles the package's entries: one file to load. The AWS SDK stays outside. Types come from `tsc -b`.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('.', import.meta.url));

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: [
    'index',
    'resolve/index',
    'check/index',
    'cost/index',
    'docs/index',
    'samples/index',
    'propagate/index',
    'versions/index',
    'migrate/index',
    'migrate/follow/index',
    'maintenance/index',
    'bridges/index',
  ].map((entry) => `src/${entry}.ts`),
  outbase: 'src',
  outdir: 'dist',
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'neutral',
  target: 'es2022',
  format: 'esm',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
  metafile: true,
});

// Chunks are named by their content: those of earlier builds would pile up.
const written = new Set(Object.keys(metafile.outputs).map((file) => join(root, file)));
for (const file of readdirSync(join(root, 'dist'))) {
  const path = join(root, 'dist', file);
  if (/\.js(\.map)?$/.test(file) && !written.has(path)) rmSync(path);
}
