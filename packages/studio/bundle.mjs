// Builds the page: `dist/page` holds index.html and `assets/`, each file beside its copies in Brotli and gzip. The build fails where the first
// load is larger than promised. `singlet serve` and `singlet studio` serve the folder as it is.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { removeFormerFiles } from '../../scripts/former-files.mjs';
import { notInstalled } from '../../scripts/not-installed.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const page = join(root, 'dist/page');
const assets = join(page, 'assets');

/** What a first visit loads, gzip, bytes. Decision 0064 says what it is made of. */
const scriptAndStyleBytesMax = 200 * 1024;
const withFontsBytesMax = 250 * 1024;

const missing = ['react', 'react-dom', '@fontsource-variable/geist', '@fontsource-variable/geist-mono'].filter(
  (name) => !isInstalled(name),
);
if (missing.length > 0) {
  // The database builds and runs without the workbench. A fresh machine has all of it.
  process.stderr.write(`The workbench was not built, because ${notInstalled(missing)}: npm ci\n`);
  process.exit(process.env.CI === undefined ? 0 : 1);
}

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['src/main.tsx'],
  outdir: 'dist/page/assets',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  publicPath: '/studio/assets',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  target: ['chrome123', 'firefox120', 'safari17.5'], // light-dark()
  jsx: 'automatic',
  loader: { '.woff2': 'file' },
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'linked',
  logLevel: 'warning',
  metafile: true,
});

const written = Object.entries(metafile.outputs).map(([path, output]) => ({ name: basename(path), ...output }));
const entry = written.find(({ entryPoint }) => entryPoint === 'src/main.tsx');
const fonts = written.filter(({ name }) => name.endsWith('.woff2')).map(({ name }) => name);
const style = basename(entry.cssBundle);
const firstScripts = [entry.name, ...staticImports(entry)];

mkdirSync(page, { recursive: true });
writeFileSync(join(page, 'index.html'), html());
// The fonts may be passed on with their licence only.
writeFileSync(
  join(page, 'FONTS-LICENSE.txt'),
  readFileSync(fileURLToPath(import.meta.resolve('@fontsource-variable/geist/LICENSE'))),
);
const kept = new Set(written.map(({ name }) => name));
compress(page, 'index.html');
const compressed = [...kept].filter((name) => !name.endsWith('.woff2'));
for (const name of compressed) compress(assets, name);
// A page that is open loads its views when they are shown.
removeFormerFiles({
  folder: assets,
  isOurs: () => true,
  written: new Set([...kept, ...compressed.flatMap((name) => [`${name}.br`, `${name}.gz`])]),
});

const scriptAndStyle = sum([...firstScripts, style].map((name) => gzipBytes(join(assets, name))));
const withFonts = scriptAndStyle + sum(fonts.map((name) => readFileSync(join(assets, name)).length));
writeFileSync(join(root, 'dist/size.json'), `${JSON.stringify({ scriptAndStyle, withFonts })}\n`);
if (scriptAndStyle > scriptAndStyleBytesMax || withFonts > withFontsBytesMax) {
  process.stderr.write(
    `The workbench's first load is ${scriptAndStyle} bytes of script and style, ${withFonts} with fonts (gzip): at most ${scriptAndStyleBytesMax} and ${withFontsBytesMax} are allowed.\n`,
  );
  process.exit(1);
}

function html() {
  const preloads = fonts.map(
    (name) => `<link rel="preload" href="/studio/assets/${name}" as="font" type="font/woff2" crossorigin>`,
  );
  const modules = staticImports(entry).map((name) => `<link rel="modulepreload" href="/studio/assets/${name}">`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Singlet</title>
<link rel="icon" href="data:,">
${preloads.join('\n')}
<link rel="stylesheet" href="/studio/assets/${style}">
${modules.join('\n')}
<script type="module" src="/studio/assets/${entry.name}"></script>
</head>
<body><div id="root"></div><noscript>The workbench needs JavaScript.</noscript></body>
</html>
`;
}

function staticImports({ imports }) {
  return imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path));
}

function compress(folder, name) {
  const bytes = readFileSync(join(folder, name));
  writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params }));
}

function gzipBytes(path) {
  return gzipSync(readFileSync(path), { level: 9 }).length;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

function isInstalled(name) {
  try {
    import.meta.resolve(`${name}/package.json`);
    return true;
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return false;
    throw error;
  }
}
