// What types cost the compiler: the same twenty entities and hundred patterns, and the same application, for the model and for
// electrodb. Each is a separate project, compiled in turn.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../bench-error.ts';
import type { LargeSources } from './large-sources.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = join(root, 'bench/dist/type-checks');

/** What the compiler reports about a project. */
export interface TypeCheck {
  readonly instantiations: number;
  /** The best round. */
  readonly checkSeconds: number;
}

/** The cost of each source, by name. */
export function measureTypes(sources: LargeSources, rounds: number): Readonly<Record<string, TypeCheck>> {
  for (const [name, source] of Object.entries(sources)) writeProject(name, source);
  const found: Record<string, TypeCheck> = {};
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(sources)) {
      const { instantiations, checkSeconds } = compiled(name);
      const before = found[name]?.checkSeconds ?? Number.POSITIVE_INFINITY;
      found[name] = { instantiations, checkSeconds: Math.min(before, checkSeconds) };
    }
  }
  return found;
}

function writeProject(name: string, source: string): void {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, 'large.ts'), source);
  const compilerOptions = {
    noEmit: true,
    composite: false,
    incremental: false,
    declaration: false,
    isolatedDeclarations: false,
    rewriteRelativeImportExtensions: false,
  };
  const config = { extends: join(root, 'tsconfig.base.json'), compilerOptions, include: ['large.ts'] };
  writeFileSync(join(folder, name, 'tsconfig.json'), JSON.stringify(config));
}

/** On one thread, because several would divide the work differently each time. */
function compiled(name: string): TypeCheck {
  const options = ['-p', join(folder, name), '--extendedDiagnostics', '--singleThreaded'];
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), options, { encoding: 'utf8' });
  const figure = (label: string): number => Number(new RegExp(`${label}:\\s+([\\d.]+)`).exec(stdout)?.[1]);
  const measured = { instantiations: figure('Instantiations'), checkSeconds: figure('Check time') };
  if (stdout.includes('error TS') || !Object.values(measured).every(Number.isFinite))
    throw new BenchError('wrong-answer', `The compiler does not take the project ${name}:\n${stdout}`);
  return measured;
}
