/** Processes open a data file while another one writes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SeededRandom } from '../../randomness/seeded-random.ts';
import { bundledProgram } from '../testing/bundled-program.ts';

/** How often a process that opens is stopped for a while; `OPENING_STOPS=2000` for a long run. */
const stops = Number(process.env['OPENING_STOPS'] ?? 150);
const openers = 2;

const program = bundledProgram(
  `import ${JSON.stringify(fileURLToPath(new URL('../testing/opening-process.ts', import.meta.url)))};`,
);

let parent: string;
let directory: string;
let children: Child[];
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'singlet-openings-'));
  directory = join(parent, 'data');
  children = [];
});
afterEach(async () => {
  await Promise.all(children.map((child) => child.kill()));
  await rm(parent, { recursive: true });
});

class Child {
  output = '';
  errors = '';
  readonly process: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(role: 'write' | 'open') {
    this.process = spawn(process.execPath, [program, role, directory]);
    this.process.stdout!.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.process.stderr!.on('data', (chunk: Buffer) => (this.errors += chunk.toString()));
    this.#ended = once(this.process, 'close');
    children.push(this);
  }

  async end(): Promise<void> {
    this.process.stdin!.end();
    await this.#ended;
    expect({ code: this.process.exitCode, errors: this.errors }).toEqual({ code: 0, errors: '' });
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.#ended;
  }
}

test('nothing that was acknowledged is lost while other processes open the file, and are stopped at any moment of it', async () => {
  const random = new SeededRandom(1);
  const writer = new Child('write');
  await once(writer.process.stdout!, 'data');
  const opening = Array.from({ length: openers }, () => new Child('open'));
  for (let stop = 0; stop < stops && writer.process.exitCode === null; stop += 1) {
    await delay(random.integer(1, 12));
    const chosen = opening[stop % openers]!;
    chosen.process.kill('SIGSTOP');
    await delay(random.integer(1, 12));
    chosen.process.kill('SIGCONT');
  }
  await Promise.all(opening.map((child) => child.end()));
  await writer.end();
  expect(writer.output).not.toContain('lost');
});
