// Bundles the package's entries: one file to load. The AWS SDK stays outside. Types come from `tsc -b`.
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { unusedDeclarations, writeCommonJs } from '../../scripts/commonjs.mjs';
import { removeFormerFiles } from '../../scripts/former-files.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));

const entries = [
  'index',
  'resolve/index',
  'check/index',
  'cost/index',
  'docs/index',
  'prove/index',
  'samples/index',
  'propagate/index',
  'versions/index',
  'migrate/index',
  'migrate/follow/index',
  'maintenance/index',
  'bridges/index',
];

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: entries.map((entry) => `src/${entry}.ts`),
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

const commonJs = await writeCommonJs(root, metafile.outputs, entries);

removeFormerFiles({
  folder: join(root, 'dist'),
  isOurs: (file) => /^[^/]+\.c?js(\.map)?$/.test(file),
  written: new Set([...Object.keys(metafile.outputs), ...commonJs].map((file) => relative('dist', file))),
  unused: unusedDeclarations(root, entries),
});
