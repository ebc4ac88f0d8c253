// Bundles the package's entries: a program of two hundred small modules takes a tenth of a second to load one by one, and a
// few milliseconds in one piece. What is loaded on demand (the store drivers) stays apart. Types come from `tsc -b`.
// Decision 0008 says why.
import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { unusedDeclarations, writeCommonJs } from '../../scripts/commonjs.mjs';
import { removeFormerFiles } from '../../scripts/former-files.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: [
    'src/index.ts',
    'src/consumer/index.ts',
    'src/cache/index.ts',
    'src/storage/index.ts',
    'src/storage/testing/store-conformance.ts',
    'src/presets/testing.ts',
    'src/presets/vitest.ts',
    'src/presets/jest.ts',
    'src/cli/main.ts',
  ],
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
  // Less to read at each start. Names stay, so that stacks can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  // Node prints the source line of an error that was not caught.
  lineLimit: 160,
  logLevel: 'warning',
  metafile: true,
});

const commonJs = await writeCommonJs(root, metafile.outputs, [
  'index',
  'consumer/index',
  'cache/index',
  'storage/index',
  'presets/testing',
  'presets/jest',
]);

rmSync(join(root, 'dist/cjs'), { recursive: true, force: true });
removeFormerFiles({
  folder: join(root, 'dist'),
  isOurs: (file) => /\.c?js(\.map)?$/.test(file),
  written: new Set([...Object.keys(metafile.outputs), ...commonJs].map((file) => relative('dist', file))),
  unused: unusedDeclarations(root, [
    'index',
    'consumer/index',
    'cache/index',
    'storage/index',
    'storage/testing/store-conformance',
    'presets/testing',
    'presets/vitest',
  ]),
});
