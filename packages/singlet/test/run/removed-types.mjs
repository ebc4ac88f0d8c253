/** The JavaScript of TypeScript sources, kept in a directory of files. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** Positions in a stack are those of the source. */
const options = {
  loader: 'ts',
  format: 'esm',
  target: 'es2022',
  sourcemap: 'inline',
  sourcesContent: false,
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
};

const directory = fileURLToPath(new URL('../../../../node_modules/.cache/test-sources/', import.meta.url));
mkdirSync(directory, { recursive: true });
const salt = `${require('esbuild/package.json').version} ${JSON.stringify(options)}`;

/** The JavaScript of a source. A process that it is not kept for yet waits for one of esbuild. */
export function javaScriptOf(path) {
  const source = sourceAt(path);
  // Loaded here, because most processes do not need it.
  return source.kept ?? keep(source, require('esbuild').transformSync(source.text, optionsOf(path)).code);
}

/** Keeps the JavaScript of all these sources, made by one process of esbuild. */
export async function keepJavaScriptOf(paths) {
  const { stop, transform } = require('esbuild');
  const changed = paths.map(sourceAt).filter(({ kept }) => kept === undefined);
  await Promise.all(
    changed.map(async (source) => keep(source, (await transform(source.text, optionsOf(source.path))).code)),
  );
  await stop();
}

/** A source and its JavaScript, unless that was made from another text. The kept file ends with the hash of what it was made from. */
function sourceAt(path) {
  const text = readFileSync(path, 'utf8');
  const end = `\n// ${hashOf(`${salt}\n${text}`)}\n`;
  const file = join(directory, `${hashOf(path)}.js`);
  const before = textOf(file);
  return { path, text, end, file, kept: before?.endsWith(end) === true ? before : undefined };
}

function keep({ end, file }, code) {
  // Other processes read the file meanwhile.
  const part = `${file}.${process.pid}`;
  writeFileSync(part, code + end);
  renameSync(part, file);
  return code;
}

function optionsOf(path) {
  return { ...options, sourcefile: basename(path) };
}

function hashOf(text) {
  return createHash('sha1').update(text).digest('hex');
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
