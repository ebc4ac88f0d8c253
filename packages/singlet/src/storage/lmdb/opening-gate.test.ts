import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bundledProgram } from '../testing/bundled-program.ts';
import { openDatabase } from './lmdb-database.ts';
import { readersOf } from './lmdb-package.ts';

const program = bundledProgram(
  `import ${JSON.stringify(fileURLToPath(new URL('../testing/gate-process.ts', import.meta.url)))};`,
);

let directory: string;
let children: Child[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'singlet-gate-'));
  children = [];
});
afterEach(async () => {
  await Promise.all(children.map((child) => child.kill()));
  await rm(directory, { recursive: true });
});

class Child {
  said: readonly string[] = [];
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(role: 'commit' | 'open' | 'hold') {
    this.#process = spawn(process.execPath, [program, role, directory], { stdio: ['pipe', 'pipe', 'inherit'] });
    let output = '';
    this.#process.stdout!.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      this.said = output.trimEnd().split('\n');
    });
    this.#ended = once(this.#process, 'close');
    children.push(this);
  }

  async until(word: string, times = 1): Promise<void> {
    while (this.said.filter((each) => each === word).length < times) {
      expect(this.#process.exitCode, this.said.join()).toBe(null);
      await delay(2);
    }
  }

  send(): void {
    this.#process.stdin!.write('\n');
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
  }
}

const isClosed = (): boolean => existsSync(join(directory, 'gate.closed'));

/** Time in which a process would do what it must not do. If it does it later, the test finds nothing. */
const patienceMs = 150;

/** A process in the middle of a commit. */
async function committing(): Promise<Child> {
  const child = new Child('commit');
  await child.until('ready');
  child.send();
  await child.until('committing');
  return child;
}

/** A process in the middle of opening the data file. */
async function holding(): Promise<Child> {
  const child = new Child('hold');
  await child.until('ready');
  return child;
}

test('the data file is not opened before a commit has ended', async () => {
  const writer = await committing();
  const opener = new Child('open');
  await expect.poll(isClosed).toBe(true);
  await delay(patienceMs);
  expect(opener.said).toEqual(['ready']);
  writer.send();
  await opener.until('opened');
  expect(writer.said).toEqual(['ready', 'committing', 'committed']);
});

test('a commit does not begin while a process opens the data file', async () => {
  const writer = new Child('commit');
  await writer.until('ready');
  await holding();
  writer.send();
  await delay(patienceMs);
  expect(writer.said).toEqual(['ready']);
  await writeFile(join(directory, 'release'), '');
  await writer.until('committing');
  expect(isClosed()).toBe(false);
});

test('processes open the data file one after the other', async () => {
  await holding();
  const opener = new Child('open');
  await delay(patienceMs);
  expect(opener.said.at(-1) ?? 'ready').toBe('ready');
  await writeFile(join(directory, 'release'), '');
  await opener.until('opened');
});

test('a process that is killed while it opens the data file does not hold up commits, nor other openings', async () => {
  const writer = new Child('commit');
  await writer.until('ready');
  const first = await holding();
  await first.kill();
  expect(isClosed()).toBe(true);
  writer.send();
  await writer.until('committing');
  expect(isClosed()).toBe(false);
  writer.send();
  await writer.until('committed');

  const second = await holding();
  writer.send();
  await second.kill();
  await writer.until('committing', 2);
  writer.send();
  const third = await holding();
  await third.kill();
  await new Child('open').until('opened');
});

test('a process that is killed in the middle of a commit does not hold up openings', async () => {
  const writer = await committing();
  const opener = new Child('open');
  await expect.poll(isClosed).toBe(true);
  await writer.kill();
  await opener.until('opened');
});

test('a thread that opens the data file keeps the locks that another thread of the process has', async () => {
  const { database } = await openDatabase(directory);
  const transaction = database.useReadTransaction();
  const thread = new Worker(program, { argv: ['open', directory], stdout: true });
  await once(thread, 'exit');
  // A process that finds no lock begins the list of readers again.
  const other = new Child('commit');
  await other.until('ready');
  expect(readersOf(database).map(({ processId }) => processId)).toContain(process.pid);
  transaction.done();
  await database.close();
});

test('the files of the gate are written again when they are damaged', async () => {
  await (await openDatabase(directory)).database.close();
  const file = join(directory, 'gate.mdb');
  const whole = await readFile(file);
  expect(await readdir(directory)).toEqual(['data.mdb', 'gate.mdb', 'gate.mdb-lock', 'lock.mdb']);
  const damaged = [
    Buffer.alloc(0),
    whole.subarray(0, 5000),
    Buffer.alloc(8192, 0xa5),
    Buffer.from(whole).fill(0, 0, 512),
  ];
  for (const bytes of damaged) {
    await writeFile(file, bytes);
    await (await openDatabase(directory)).database.close();
    expect(await readFile(file)).toEqual(whole);
  }
  for (const bytes of [Buffer.alloc(0), Buffer.alloc(8192, 0xa5), Buffer.alloc(100, 1)]) {
    await writeFile(join(directory, 'gate.mdb-lock'), bytes);
    await (await openDatabase(directory)).database.close();
  }
});
