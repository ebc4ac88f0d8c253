/**
 * Hooks of Node's module loader, by which the tests import the TypeScript sources: the hooks remove the types, and lead the names of the packages to
 * their sources. Node then links the modules itself (decision 0145).
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = new URL('../../../../', import.meta.url);
const require = createRequire(import.meta.url);

/** The sources of the packages, by the names that are imported. */
const sources = [
  [/^singlet$/, 'packages/singlet/src/index.ts'],
  [/^singlet\/(consumer|cache|storage)$/, 'packages/singlet/src/$1/index.ts'],
  [/^@singlet\/model$/, 'packages/model/src/index.ts'],
  [
    /^@singlet\/model\/(bridges|check|cost|docs|migrate|propagate|prove|samples|versions)$/,
    'packages/model/src/$1/index.ts',
  ],
  [/^@singlet\/model\/resolved$/, 'packages/model/src/resolve/index.ts'],
];

/** Positions in a stack are those of the source. */
const options = {
  loader: 'ts',
  format: 'esm',
  target: 'es2022',
  sourcemap: 'inline',
  sourcesContent: false,
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
};

const cache = fileURLToPath(new URL('node_modules/.cache/test-sources/', root));
mkdirSync(cache, { recursive: true });
const salt = `${require('esbuild/package.json').version} ${JSON.stringify(options)}`;

export function resolve(specifier, context, next) {
  // Answered here, because the steps that Node takes for other names cost more than all else.
  if (/^\.\.?\/.*\.ts$/.test(specifier)) return found(new URL(specifier, context.parentURL));
  const source = sources.find(([name]) => name.test(specifier));
  return source === undefined ? next(specifier, context) : found(new URL(specifier.replace(...source), root));
}

function found({ href }) {
  return { url: href, format: 'module', shortCircuit: true };
}

export function load(url, context, next) {
  const { protocol, pathname } = new URL(url);
  const isSource = protocol === 'file:' && pathname.endsWith('.ts') && !pathname.includes('/node_modules/');
  if (!isSource) return next(url, context);
  return { format: 'module', source: javaScriptOf(fileURLToPath(url)), shortCircuit: true };
}

/** A file of the cache ends with the hash of what it was made from, so that a run transforms only what has changed. */
function javaScriptOf(path) {
  const text = readFileSync(path, 'utf8');
  const end = `\n// ${hashOf(`${salt}\n${text}`)}\n`;
  const file = join(cache, `${hashOf(path)}.js`);
  const cached = textOf(file);
  if (cached?.endsWith(end)) return cached;
  // Loaded here, because most processes need it for nothing.
  const { code } = require('esbuild').transformSync(text, { ...options, sourcefile: basename(path) });
  // Other processes read the file meanwhile.
  const part = `${file}.${process.pid}`;
  writeFileSync(part, code + end);
  renameSync(part, file);
  return code;
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
