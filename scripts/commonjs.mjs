// Makes what a program of CommonJS loads (decision 0092): beside each module that an entry of a package leads to, the same module for `require`, and its
// declarations. What entries share is one file, so a class is the same in
// all of them, and what is loaded on demand still is.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { transform } from 'esbuild';

/**
 * @param root - folder of the package.
 * @param outputs - what esbuild's metafile says of the modules in `dist`.
 * @param entries - in `dist`, without an extension.
 * @returns the files written, relative to `root`.
 */
export async function writeCommonJs(root, outputs, entries) {
  const modules = reachable(
    entries.map((entry) => `dist/${entry}.js`),
    (file) => outputs[file].imports.filter(({ external }) => external !== true).map(({ path }) => path),
  );
  await Promise.all(
    modules.map(async (file) => {
      const loaded = outputs[file].imports.filter(({ external }) => external !== true);
      const source = loaded.reduce((text, { path }) => renamed(text, specifierOf(file, path)), read(root, file));
      const { code } = await transform(source, {
        format: 'cjs',
        platform: 'node',
        target: 'node20',
        // A test runner for CommonJS knows `require` only.
        supported: { 'dynamic-import': false },
        define: { 'import.meta.url': 'moduleUrl' },
        minifyWhitespace: true,
        minifySyntax: true,
        lineLimit: 160,
      });
      const before = code.includes('moduleUrl')
        ? "const moduleUrl = require('node:url').pathToFileURL(__filename).href;\n"
        : '';
      writeFileSync(join(root, commonJsName(file)), before + code.replace(/\n\/\/# sourceMappingURL=.*/, ''));
    }),
  );
  writeDeclarations(root, entries);
  return modules.map(commonJsName);
}

const specifier = /(from '|import\(['"]|import ')(\.[^'"]*)\.(?:js|ts)(['"])/g;

function writeDeclarations(root, entries) {
  for (const file of declarations(root, entries)) {
    const text = read(root, file).replaceAll(specifier, '$1$2.cjs$3');
    writeFileSync(join(root, file.replace(/\.d\.ts$/, '.d.cts')), text.replace(/\n\/\/# sourceMappingURL=.*/, ''));
  }
}

/**
 * What the compiler leaves in `dist` and no user of a package needs: declarations that no entry leads to, and the compiler's own notes.
 *
 * @param entries - all entries with types, in `dist`, without an extension.
 * @returns the files, relative to `dist`.
 */
export function unusedDeclarations(root, entries) {
  const used = new Set(declarations(root, entries).map((file) => relative('dist', file)));
  return readdirSync(join(root, 'dist'), { recursive: true })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.d\.c?ts$/.test(file) || file === '.tsbuildinfo')
    .filter((file) => !used.has(file.replace(/\.d\.cts$/, '.d.ts')));
}

/** The declarations that entries lead to. */
function declarations(root, entries) {
  return reachable(
    entries.map((entry) => `dist/${entry}.d.ts`),
    (file) => [...read(root, file).matchAll(specifier)].map(([, , path]) => join(dirname(file), `${path}.d.ts`)),
  );
}

/** The files that some lead to, each once. */
function reachable(from, importsOf) {
  const open = [...new Set(from)];
  const seen = new Set(open);
  for (const file of open) {
    for (const imported of importsOf(file)) {
      if (seen.has(imported)) continue;
      seen.add(imported);
      open.push(imported);
    }
  }
  return open;
}

function read(root, file) {
  return readFileSync(join(root, file), 'utf8');
}

function renamed(text, path) {
  return text.replaceAll(`"${path}"`, JSON.stringify(commonJsName(path)));
}

function specifierOf(file, imported) {
  const path = relative(dirname(file), imported);
  return path.startsWith('.') ? path : `./${path}`;
}

function commonJsName(file) {
  return file.replace(/\.js$/, '.cjs');
}
