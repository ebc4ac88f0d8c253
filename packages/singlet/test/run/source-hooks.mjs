/**
 * Hooks of Node's module loader, by which the tests import the TypeScript sources: the hooks remove the types, and lead the names of the packages to
 * their sources. Node then links the modules itself (decision 0145).
 */
import { fileURLToPath } from 'node:url';
import { javaScriptOf } from './removed-types.mjs';

const root = new URL('../../../../', import.meta.url);

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
