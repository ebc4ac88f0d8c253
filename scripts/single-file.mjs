// Writes the command as one file: `node scripts/single-file.mjs --out singlet.cjs`, then `node singlet.cjs serve --memory` anywhere. It
// contains the parser of the command line. What npm would install as needed (LMDB for data on disk, the AWS SDK for models) is loaded
// from a node_modules folder beside the file, if there is one.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as esbuild from 'esbuild';

const folder = fileURLToPath(new URL('../packages/singlet', import.meta.url));
const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
const { values: flags } = parseArgs({ options: { out: { type: 'string', default: 'singlet.cjs' } } });

await esbuild.build({
  absWorkingDir: folder,
  entryPoints: ['src/cli/main.ts'],
  outfile: fileURLToPath(new URL(flags.out, `file://${process.cwd()}/`)),
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs', // a module would load all packages that it names at its start, used or not
  minify: true,
  keepNames: true, // names of errors are part of messages
  // Everything that npm may leave out of an installation.
  external: ['lmdb', 'studio', ...Object.keys(manifest.peerDependencies).flatMap((name) => [name, `${name}/*`])],
  define: { 'import.meta.url': 'ownUrl', 'import.meta.resolve': 'resolveHere' },
  banner: {
    js: [
      '#!/usr/bin/env node',
      "const { pathToFileURL: urlOf } = require('node:url');",
      'const ownUrl = urlOf(__filename).href;',
      'const resolveHere = (name) => urlOf(require.resolve(name)).href;',
    ].join('\n'),
  },
  plugins: [
    {
      name: 'version',
      setup(build) {
        // The version is read from the package's manifest, which is not beside the file.
        build.onLoad({ filter: /src\/cli\/version\.ts$/ }, () => ({
          contents: `export const version = ${JSON.stringify(manifest.version)};`,
          loader: 'ts',
        }));
      },
    },
  ],
  logLevel: 'warning',
});
