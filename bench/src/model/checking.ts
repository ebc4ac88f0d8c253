// How much the proof of a large model takes: the call, and the command from start to end. CPU time, because other processes share the machine.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Model } from '@singlet/model';
import { check } from '@singlet/model/check';
import { BenchError } from '../bench-error.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The largest model that is written by hand, and a generated one. */
const largestModel = 'systems/access-control/model.ts';

/** Milliseconds of CPU, the least of several. */
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
    callMs: least(rounds, () => {
      const before = process.cpuUsage();
      check(model);
      return cpuMs(process.cpuUsage(before));
    }),
    commandMs: least(rounds, () => runCheck(path)),
  };
}

function least(rounds: number, measure: () => number): number {
  return Math.min(...Array.from({ length: rounds }, measure));
}

function cpuMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

/** The last line of a process that is started with this import is its CPU time in microseconds. */
const toldAtExit = `data:text/javascript,process.on('exit',()=>{const{user,system}=process.cpuUsage();process.stderr.write('\\n'+(user+system))})`;

/** A model may have findings. The exit code reports them and does not matter here. */
function runCheck(path: string): number {
  const main = join(root, 'packages/singlet/dist/cli/main.js');
  const argv = ['--import', toldAtExit, main, 'check', path, '--json'];
  const { status, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  const told = Number(stderr.split('\n').at(-1));
  if ((status !== 0 && status !== 1) || !Number.isFinite(told))
    throw new BenchError('process', `singlet check ended with ${status}: ${stderr}`);
  return told / 1000;
}
