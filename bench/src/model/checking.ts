// How long the proof of a large model takes: the call, and the command from start to end.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import type { Model } from '@singlet/model';
import { check } from '@singlet/model/check';
import { BenchError } from '../bench-error.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The largest model that is written by hand, and a generated one. */
const largestModel = 'systems/access-control/model.ts';

/** Milliseconds from start to end, the best of several. */
export interface CheckTime {
  readonly model: string;
  readonly entities: number;
  readonly patterns: number;
  readonly callMs: number;
  readonly commandMs: number;
}

/** @param source - of a generated model that exports `large`. */
export async function measureChecks(source: string, rounds: number): Promise<CheckTime[]> {
  const generated = join(root, 'bench/dist/large.model.ts');
  mkdirSync(join(root, 'bench/dist'), { recursive: true });
  writeFileSync(generated, source);
  return [await checked(join(root, largestModel), 'accessControl', rounds), await checked(generated, 'large', rounds)];
}

async function checked(path: string, name: string, rounds: number): Promise<CheckTime> {
  const module = (await import(path)) as Readonly<Record<string, Model | undefined>>;
  const model = module[name];
  if (model === undefined) throw new BenchError('missing', `${path} exports no ${name}.`);
  const { entities, patterns } = model;
  return {
    model: model.name,
    entities: Object.keys(entities).length,
    patterns: Object.keys(patterns).length,
    callMs: best(rounds, () => void check(model)),
    commandMs: best(rounds, () => runCheck(path)),
  };
}

function best(rounds: number, call: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const before = performance.now();
    call();
    least = Math.min(least, performance.now() - before);
  }
  return least;
}

/** A model may have findings. The exit code reports them and does not matter here. */
function runCheck(path: string): void {
  const main = join(root, 'packages/singlet/dist/cli/main.js');
  const { status, stderr } = spawnSync(process.execPath, [main, 'check', path, '--json'], { encoding: 'utf8' });
  if (status !== 0 && status !== 1) throw new BenchError('process', `singlet check ended with ${status}: ${stderr}`);
}
