/** Runs once before the tests: no process of theirs then waits for a source to be transformed. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keepJavaScriptOf } from './removed-types.mjs';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const elsewhere = new Set(['node_modules', 'dist', 'testdata']);

export async function setup() {
  await keepJavaScriptOf(['packages', 'systems', 'conformance', 'bench', 'site'].flatMap((name) => sourcesIn(name)));
}

function sourcesIn(directory) {
  return readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return elsewhere.has(entry.name) ? [] : sourcesIn(path);
    return entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts') ? [join(root, path)] : [];
  });
}
