// Bundles the package's entries: one file to load. The AWS SDK stays outside. Types come from `tsc -b`.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

await build({
  absWorkingDir: fileURLToPath(new URL('.', import.meta.url)),
  entryPoints: ['src/index.ts', 'src/resolve/index.ts'],
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
});
