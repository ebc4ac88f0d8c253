import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { open as openLmdb } from 'lmdb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { describeStore } from '../testing/store-conformance.ts';
import { StoreProcess } from '../testing/store-process-client.ts';
import { commandKey } from '../testing/store-process-protocol.ts';
import { bytes, keysOf, put, testKey, textsOf, valueOf, wholeSpace } from '../testing/store-probe.ts';
import { openLmdbStore } from './lmdb-store.ts';

describe.each([
  ['lmdb', false],
  ['lmdb, shared', true],
])('%s', (name, shared) => {
  describeStore(name, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'singlet-lmdb-'));
    return {
      store: await openLmdbStore({ directory, shared }),
      openAgain: async () => openLmdbStore({ directory, shared }),
      ...(shared && {
        startProcess: () =>
          new StoreProcess({
            module: new URL('./lmdb-store.ts', import.meta.url).href,
            open: 'openLmdbStore',
            options: { directory },
          }),
      }),
      dispose: async () => rm(directory, { recursive: true }),
    };
  });
});

describe('the LMDB driver', () => {
  let directory: string;
  let opened: Store[];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'singlet-lmdb-'));
    opened = [];
  });

  afterEach(async () => {
    await Promise.all(opened.map(async (store) => store.close()));
    await rm(directory, { recursive: true });
  });

  async function openStore(path = directory, shared = false): Promise<Store> {
    const store = await openLmdbStore({ directory: path, shared });
    opened.push(store);
    return store;
  }

  test('keeps its files in the directory, also when the name looks like that of a file', async () => {
    const path = join(directory, 'my.data.db');
    const store = await openStore(path);
    await put(store, { key: testKey(1, 1), value: bytes('x') });
    const own = ['data.mdb', 'gate.mdb', 'gate.mdb-lock', 'lock.mdb'];
    expect(await readdir(path)).toEqual([...own, 'log-0', 'log-1', 'log-owner.json', 'singlet.json']);
    await store.close();
    expect(await readdir(path)).toEqual([...own, 'singlet.json']);
  });

  test('commits decisions that arrive together in few transactions', async () => {
    const store = await openStore(directory, true);
    await Promise.all(
      Array.from({ length: 1_000 }, async (_, index) =>
        put(store, { key: testKey(1, index % 256, [index >> 8]), value: bytes('x') }),
      ),
    );
    await store.close();
    expect(await transactionsOf(directory)).toBeLessThan(10);
  });

  test('gives a group of large values no more than it can carry', async () => {
    const store = await openStore(directory, true);
    const values = Array.from({ length: 40 }, (_, index) => new Uint8Array(1024 * 1024).fill(index));
    await Promise.all(values.map(async (value, index) => put(store, { key: testKey(1, index), value })));
    for (const [index, value] of values.entries()) {
      expect(Buffer.compare((await valueOf(store, testKey(1, index))) ?? bytes(''), value)).toBe(0);
    }
    await store.close();
    // 40 MB at 8 MB a group.
    expect(await transactionsOf(directory)).toBeGreaterThanOrEqual(5);
  });

  test('refuses a value that is larger than LMDB should hold, and stays usable', async () => {
    const store = await openStore();
    const large = new Uint8Array(15 * 1024 * 1024 + 1);
    const attempt = put(store, { key: testKey(1, 1), value: bytes('x') }, { key: testKey(1, 2), value: large });
    await expect(attempt).rejects.toThrow('a value has 15728641 bytes; this store takes at most 15728640');
    await put(store, { key: testKey(1, 2), value: large.subarray(1) });
    expect(await keysOf(store, wholeSpace(1))).toHaveLength(1);
    expect((await valueOf(store, testKey(1, 2)))?.length).toBe(15_728_640);
  });

  test('uses pages again that no reader needs: overwriting does not make the file grow', async () => {
    const store = await openStore(directory, true);
    const keys = Array.from({ length: 20 }, (_, index) => testKey(1, index));
    const fileBytes = async (): Promise<number> => (await stat(join(directory, 'data.mdb'))).size;
    const overwrite = async (round: number): Promise<void> => {
      await put(store, ...keys.map((key) => ({ key, value: new Uint8Array(30_000).fill(round) })));
      // Each leaves a snapshot open if the driver does not release it.
      await textsOf(store, keys.slice(0, 2));
      await keysOf(store, { ...wholeSpace(1), limit: 1 });
    };
    for (let round = 0; round < 10; round += 1) await overwrite(round);
    const before = await fileBytes();
    for (let round = 0; round < 60; round += 1) await overwrite(round);
    expect(await fileBytes()).toBeLessThanOrEqual(before * 1.5);
  });

  test('can be opened again and again in one process while it writes', async () => {
    const store = await openStore();
    const state = { writing: true };
    const write = async (): Promise<number> => {
      let count = 0;
      for (; state.writing; count += 1) await put(store, { key: testKey(1, count % 256), value: bytes('x') });
      return count;
    };
    const writers = [write(), write(), write()];
    for (let round = 0; round < 20; round += 1) {
      const other = await openStore();
      await put(other, { key: testKey(2, 1), value: bytes(`${round}`) });
      expect(await textsOf(store, [testKey(2, 1)])).toEqual([`${round}`]);
      await other.close();
    }
    state.writing = false;
    expect(Math.min(...(await Promise.all(writers)))).toBeGreaterThan(0);
  });

  test.each([
    ['something else', (): Uint8Array => Buffer.alloc(32_768, 'something else')],
    ['only zeros', (): Uint8Array => new Uint8Array(32_768)],
    ['cut off', (whole: Buffer): Uint8Array => whole.subarray(0, 9_000)],
    [
      'damaged in its first page',
      (whole: Buffer): Uint8Array => Buffer.concat([Buffer.alloc(32, 1), whole.subarray(32)]),
    ],
    [
      'of another version',
      (whole: Buffer): Uint8Array => Buffer.concat([whole.subarray(0, 28), Buffer.of(9), whole.subarray(29)]),
    ],
  ])('refuses a data file that is %s, and opens it once it is whole again', async (_, damage) => {
    await put(await openStore(), { key: testKey(1, 1), value: bytes('x') });
    await opened.pop()?.close();
    const file = join(directory, 'data.mdb');
    const whole = await readFile(file);
    await writeFile(file, damage(whole));
    await expect(openLmdbStore({ directory })).rejects.toMatchObject({
      name: 'StorageError',
      code: 'format',
      message: `The file ${file} is not a data file, or is damaged: restore it from a backup.`,
    });
    await writeFile(file, whole);
    expect(await textsOf(await openStore(), [testKey(1, 1)])).toEqual(['x']);
  });

  test.each(['data.mdb', 'lock.mdb', 'gate.mdb', 'gate.mdb-lock'])(
    'refuses a directory in which %s is not a file',
    async (name) => {
      await (await openStore()).close();
      await rm(join(directory, name));
      await mkdir(join(directory, name));
      await expect(openLmdbStore({ directory })).rejects.toMatchObject({
        name: 'StorageError',
        code: 'open',
        message: `The path ${join(directory, name)} is not a file: remove it.`,
      });
    },
  );

  test.each([
    { shared: false, blocks: 4_000 },
    // The log grows by 1 MB; there is room for three quarters of the second MB.
    { shared: false, blocks: 3_500 },
    { shared: true, blocks: 4_000 },
  ])(
    'tells the writers when the disk is full, writes nothing of theirs, and continues (shared: $shared, $blocks blocks)',
    async ({ shared, blocks }) => {
      // A limit on the size of files simulates a full disk: the system refuses the write in the same place.
      const module = new URL('./lmdb-store.ts', import.meta.url).href;
      const shell = `ulimit -f ${blocks}`;
      const options = { module, open: 'openLmdbStore', options: { directory, shared }, shell };
      const child = new StoreProcess(options);
      try {
        await child.ready();
        const outcomes: unknown[] = [];
        for (let index = 0; index < 120 && !outcomes.some(isFailure); index += 1) {
          const value = 'x'.repeat(60_000);
          outcomes.push(await child.call({ do: 'put', key: commandKey(testKey(1, index)), value }).catch(String));
        }
        const written = outcomes.length - 1;
        expect(written).toBeGreaterThan(10);
        expect(outcomes.at(-1)).toContain('nothing was written');
        // A write that fits succeeds again, especially after a removal.
        await child.call({ do: 'put', key: commandKey(testKey(2, 1)), value: 'small' });
        await child.call({ do: 'remove', key: commandKey(testKey(1, 0)) });
        await child.call({ do: 'put', key: commandKey(testKey(2, 2)), value: 'small too' });
        const ended = await child.close();
        expect(ended.signal).toBeNull();
        // The disk is still full. If the data file has no room for the log's contents, closing reports that, and the log stays.
        if (ended.code !== 0) {
          expect({ shared, errors: ended.errors }).toEqual({
            shared: false,
            errors: expect.stringContaining('could not be moved to the data file') as string,
          });
        }

        const store = await openStore();
        expect(await keysOf(store, wholeSpace(1))).toHaveLength(written - 1);
        expect(await textsOf(store, [testKey(2, 1), testKey(2, 2)])).toEqual(['small', 'small too']);
      } finally {
        await child.kill();
      }
    },
  );

  test('on a full disk, reads what is there, and refuses writes in words until there is room', async () => {
    const store = await openStore();
    await put(store, { key: testKey(1, 1), value: bytes('there') });
    await opened.pop()?.close();
    // No file may grow, or be written at all.
    const module = new URL('./lmdb-store.ts', import.meta.url).href;
    const child = new StoreProcess({ module, open: 'openLmdbStore', options: { directory }, shell: 'ulimit -f 0' });
    try {
      await child.ready();
      expect(await child.call({ do: 'read', key: commandKey(testKey(1, 1)) })).toBe('there');
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const write = child.call({ do: 'put', key: commandKey(testKey(1, 2)), value: 'x' }).catch(String);
        expect(await write).toMatch(
          /StorageError: the write-ahead log could not be created \(.*\); nothing was written/,
        );
      }
      expect(await child.close()).toEqual({ code: 0, signal: null, errors: '' });
    } finally {
      await child.kill();
    }
    const again = await openStore();
    await put(again, { key: testKey(1, 3), value: bytes('more') });
    expect(
      await textsOf(
        again,
        [1, 2, 3].map((at) => testKey(1, at)),
      ),
    ).toEqual(['there', undefined, 'more']);
  });

  test('says in words that a directory cannot be opened on a full disk after a kill, and opens it once there is room', async () => {
    const module = new URL('./lmdb-store.ts', import.meta.url).href;
    const child = new StoreProcess({ module, open: 'openLmdbStore', options: { directory } });
    await child.ready();
    for (let index = 0; index < 20; index += 1) {
      await child.call({ do: 'put', key: commandKey(testKey(1, index)), value: 'x'.repeat(60_000) });
    }
    await child.kill();

    const program = `
      const { openLmdbStore } = await import(${JSON.stringify(module)});
      const error = await openLmdbStore({ directory: process.argv[1] }).catch((error) => error);
      await new Promise((resolve) => setTimeout(resolve, 200));
      console.log(error.code, error.message);
    `;
    const blocks = Math.ceil((await stat(join(directory, 'data.mdb'))).size / 512);
    const limited = [
      '-c',
      `ulimit -f ${blocks}; exec "$0" "$@"`,
      process.execPath,
      ...nodeArguments(program, directory),
    ];
    const { stdout } = await promisify(execFile)('sh', limited, { cwd: here });
    expect(stdout).toBe(
      `open The data file in ${directory} cannot be opened, because the disk is full. Free some space and start again: no acknowledged write is lost.\n`,
    );

    expect(await keysOf(await openStore(), wholeSpace(1))).toHaveLength(20);
  });

  test('asks nothing of a data file that was closed while its log could not be applied', async () => {
    const program = `
      const { openLmdbStore } = await import(${JSON.stringify(new URL('./lmdb-store.ts', import.meta.url).href)});
      const store = await openLmdbStore({ directory: process.argv[1] });
      const put = (at) => {
        const key = new Uint8Array(20).fill(at);
        return store.write([], () => ({ answer: 'put', writes: [{ key, value: new Uint8Array(60_000) }] })).catch((error) => error.code);
      };
      for (let at = 1, answer = 'put'; answer === 'put' && at < 200; at += 1) answer = await put(at);
      await store.close();
      await new Promise((resolve) => setTimeout(resolve, 200));
      console.log('closed');
    `;
    const limited = ['-c', 'ulimit -f 4000; exec "$0" "$@"', process.execPath, ...nodeArguments(program, directory)];
    const { stdout } = await promisify(execFile)('sh', limited, { cwd: here });
    expect(stdout).toBe('closed\n');
  });

  test('loads its native code only when a directory is opened', async () => {
    const program = `
      const loaded = () => process.report.getReport().sharedObjects.some((path) => path.includes('lmdb'));
      const url = (path) => ${JSON.stringify(new URL('..', import.meta.url).href)} + path;
      const { openMemoryStore } = await import(url('memory/memory-store.ts'));
      await openMemoryStore().close();
      const { openLmdbStore } = await import(url('lmdb/lmdb-store.ts'));
      const before = loaded();
      await (await openLmdbStore({ directory: process.argv[1] })).close();
      console.log(JSON.stringify([before, loaded()]));
    `;
    expect(JSON.parse(await runProgram(program, directory))).toEqual([false, true]);
  });

  test('lets a process end that forgot to close it', async () => {
    const program = `
      const { openLmdbStore } = await import(${JSON.stringify(new URL('./lmdb-store.ts', import.meta.url).href)});
      const store = await openLmdbStore({ directory: process.argv[1] });
      const key = new Uint8Array(20);
      await store.write([], () => ({ answer: 1, writes: [{ key, value: new Uint8Array(1) }] }));
      store.read([key], ([value]) => console.log(value.length));
    `;
    expect(await runProgram(program, directory)).toBe('1\n');
    expect(await valueOf(await openStore(), new Uint8Array(20))).toEqual(new Uint8Array(1));
  });
});

const here = fileURLToPath(new URL('.', import.meta.url));

function isFailure(outcome: unknown): boolean {
  return typeof outcome === 'string';
}

/** How many transactions a data file has seen. The first one opens it. */
async function transactionsOf(directory: string): Promise<number> {
  const database = openLmdb({ path: directory, noSubdir: false, readOnly: true });
  const { lastTxnId } = database.getStats() as { lastTxnId: number };
  await database.close();
  return lastTxnId;
}

/** Runs a program in a process of its own. @returns what it wrote to its standard output. */
async function runProgram(program: string, ...programArguments: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, nodeArguments(program, ...programArguments), {
    cwd: here,
  });
  return stdout;
}

function nodeArguments(program: string, ...programArguments: readonly string[]): readonly string[] {
  return ['--import', 'tsx', '--input-type=module', '--eval', program, ...programArguments];
}
