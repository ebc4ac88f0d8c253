// Starts app.ts from one bundle of all modules, which is made again after a module has changed. To load two hundred modules of TypeScript
// one by one takes longer than everything else until the first page.
import { mkdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const program = fileURLToPath(new URL('app.ts', import.meta.url));
// Inside this folder, so that packages are found from there.
const cache = new URL('node_modules/.cache/start/', import.meta.url);
const bundle = new URL('app.mjs', cache);
const map = new URL('app.mjs.map', cache);

const changedMs = (url) => statSync(url).mtimeMs;

function isBundleNew() {
  try {
    const { sources } = JSON.parse(readFileSync(map, 'utf8'));
    const bundledMs = changedMs(bundle);
    return [import.meta.url, ...sources].every((source) => changedMs(new URL(source, bundle)) < bundledMs);
  } catch {
    // There is no bundle, or a module has gone.
    return false;
  }
}

/** Modules find the files beside them, as they do when each is loaded by itself. */
const ownAddress = {
  name: 'own-address',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
    }));
  },
};

async function makeBundle() {
  const { build, stop } = await import('esbuild');
  const begun = new Date();
  try {
    const { outputFiles } = await build({
      entryPoints: [program],
      outfile: fileURLToPath(bundle),
      write: false,
      bundle: true,
      packages: 'external',
      platform: 'node',
      target: 'node20',
      format: 'esm',
      sourcemap: true,
      sourcesContent: false,
      logLevel: 'error',
      plugins: [ownAddress],
    });
    mkdirSync(cache, { recursive: true });
    // The map is first, and each file is there as a whole: another start may read them now.
    for (const { path, contents } of outputFiles.toSorted((a, b) => b.path.length - a.path.length)) {
      const written = `${path}.${process.pid}`;
      writeFileSync(written, contents);
      utimesSync(written, begun, begun);
      renameSync(written, path);
    }
  } finally {
    await stop();
  }
}

if (!isBundleNew()) await makeBundle();
process.setSourceMapsEnabled(true);
await import(bundle.href);
