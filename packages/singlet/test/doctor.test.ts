import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAnyGeneration } from '../src/storage/lmdb/log-file-reader.ts';
import { openLmdbStore } from '../src/storage/lmdb/lmdb-store.ts';
import type { StoreWrite } from '../src/storage/store.ts';
import { itemCount, makeDirectory } from './damage-world.ts';
import { type CommandEnd, useCommands } from './singlet-commands.ts';
import { SingletProcess } from './singlet-process.ts';

let parent: string;
let sound: string;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'singlet-doctor-'));
  sound = join(parent, 'sound');
  await makeDirectory(sound);
});

afterAll(() => rmSync(parent, { recursive: true, force: true }));

const command = useCommands();
const doctor = async (...args: readonly string[]): Promise<CommandEnd> => command(['doctor', ...args]);

function copyOf(name: string): string {
  const directory = join(parent, name);
  cpSync(sound, directory, { recursive: true });
  return directory;
}

/** Changes entries of a store. `pick` returns the writes for an entry of a space; only the first is changed. */
async function change(
  directory: string,
  pick: (key: Buffer, value: Buffer) => readonly StoreWrite[] | undefined,
): Promise<void> {
  const store = await openLmdbStore({ directory });
  let writes: readonly StoreWrite[] | undefined;
  await store.range({ from: Buffer.alloc(20), to: Buffer.alloc(20, 0xff) }, (key, value) => {
    writes = pick(Buffer.from(key), Buffer.from(value));
    return writes === undefined;
  });
  await store.write([], () => ({ answer: undefined, writes: writes ?? [] }));
  await store.close();
}

describe('singlet doctor', () => {
  test('finds a directory sound that was closed', async () => {
    const { code, stdout } = await doctor(sound);
    expect(stdout).toMatch(/^1 table and \d+ entries checked: all is sound\.\n$/);
    expect(code).toBe(0);
  });

  test('repairs an index, and says what is lost', async () => {
    const directory = copyOf('index');
    // Entries of the index have no text, so the first of them is removed.
    const isEntry = (key: Buffer, value: Buffer): boolean =>
      key.readUInt32BE() >= 256 && value.length > 9 && !value.includes('"text"');
    await change(directory, (key, value) => (isEntry(key, value) ? [{ key, value: undefined }] : undefined));
    const found = await doctor(directory);
    expect(found.stdout).toContain(
      'can be repaired: Index by-year of table Music lacks an item. Key: {"pk":{"S":"artist ',
    );
    expect(found.code).toBe(1);
    const repaired = await doctor(directory, '--repair');
    expect(repaired.stdout).toContain('repaired: Index by-year of table Music lacks an item.');
    expect(repaired.code).toBe(1);
    expect((await doctor(directory)).code).toBe(0);
  });

  test('names the table of a damaged item, and exports the others', async () => {
    const directory = copyOf('item');
    await change(directory, (key, value) => {
      if (!value.includes('"text"')) return undefined;
      value[value.length - 4] = (value[value.length - 4] ?? 0) ^ 2;
      return [{ key, value }];
    });
    const file = join(parent, 'left.jsonl');
    const { code, stdout } = await doctor(directory, '--export', file);
    expect(stdout).toMatch(/lost: An item of table Music does not match its checksum\. Key: 0000/);
    expect(code).toBe(2);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(itemCount - 1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ table: 'Music', item: { pk: { S: expect.any(String) } } });
    const again = await doctor(directory, '--export', file);
    expect(again.stderr).toContain(`The file ${file} exists: name a new one.`);
  });

  describe('with a damaged write-ahead log', () => {
    /** A directory as left by a process that is killed after twelve writes, with a flipped byte in the fifth. */
    async function damagedLog(name: string): Promise<string> {
      const running = copyOf(`${name} (running)`);
      const store = await openLmdbStore({ directory: running });
      const found: { readonly key: Buffer; readonly value: Buffer }[] = [];
      await store.range({ from: Buffer.alloc(20), to: Buffer.alloc(20, 0xff), limit: 12 }, (key, value) => {
        found.push({ key: Buffer.from(key), value: Buffer.from(value) });
        return true;
      });
      // Written already, so that all agrees with or without the log.
      for (const entry of found) await store.write([], () => ({ answer: undefined, writes: [entry] }));
      const directory = join(parent, name);
      cpSync(running, directory, { recursive: true });
      await store.close();
      for (const file of ['log-0', 'log-1'].map((log) => join(directory, log))) {
        const bytes = readFileSync(file);
        const groups = readAnyGeneration(bytes)?.groups ?? [];
        const fifth = groups[4]?.offset;
        if (fifth === undefined) continue;
        bytes[fifth + 60] = (bytes[fifth + 60] ?? 0) ^ 1;
        writeFileSync(file, bytes);
      }
      return directory;
    }

    test('says where, and changes nothing', async () => {
      const directory = await damagedLog('log');
      const before = readdirSync(directory);
      const { code, stdout } = await doctor(directory);
      expect(stdout).toMatch(
        /^lost: The write-ahead log of .* is damaged: in log-[01] \(generation \d+\), group 5 at offset \d+/,
      );
      expect(stdout).toMatch(
        /log-[01]: generation \d+; 4 groups with 4 writes up to offset \d+, 7 groups with 7 writes after it/,
      );
      expect(code).toBe(2);
      expect(readdirSync(directory)).toEqual(before);
    });

    test('applies what comes before, hands out what comes behind, and keeps the files', async () => {
      const directory = await damagedLog('accepted');
      const { code, stdout } = await doctor(directory, '--accept-loss');
      expect(stdout).toContain('4 writes of the log applied\n7 writes after the damage written to ');
      expect(code).toBe(2);
      const names = readdirSync(directory);
      expect(names.filter((name) => /^log-[01]\.damaged-/.test(name))).toHaveLength(2);
      const salvage = names.find((name) => name.startsWith('salvage-')) ?? '';
      const lines = readFileSync(join(directory, salvage), 'utf8').trimEnd().split('\n');
      expect(lines).toHaveLength(7);
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({
        group: 6,
        key: expect.stringMatching(/^[0-9a-f]+$/) as string,
      });
      expect((await doctor(directory)).code).toBe(0);
    });

    test('applies what comes behind on demand', async () => {
      const directory = await damagedLog('applied');
      const { stdout } = await doctor(directory, '--apply-behind-hole');
      expect(stdout).toContain('11 writes of the log applied\n');
      expect((await doctor(directory)).code).toBe(0);
    });
  });

  test('writes singlet.json again when it is damaged', async () => {
    const directory = copyOf('marker');
    const marker = join(directory, 'singlet.json');
    const whole = readFileSync(marker, 'utf8');
    writeFileSync(marker, whole.replace('"ready"', '"ripe"'));
    expect(await doctor(directory)).toMatchObject({ code: 3, stderr: expect.stringContaining('is damaged') as string });
    expect((await doctor(directory, '--repair')).code).toBe(0);
    expect(JSON.parse(readFileSync(marker, 'utf8'))).toMatchObject({ format: 2, state: 'ready' });
  });

  test('does not open a file with damaged pages, and exports what is left', async () => {
    const directory = copyOf('pages');
    const file = join(directory, 'data.mdb');
    const bytes = readFileSync(file);
    const leaf = leafWithItems(bytes);
    bytes.fill(0, leaf, leaf + 8192);
    writeFileSync(file, bytes);
    const left = join(parent, 'pages.jsonl');
    const { code, stdout } = await doctor(directory, '--json', '--export', left);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ pages: [{ page: leaf / 8192, what: 'it has the number 0' }] });
    const count = readFileSync(left, 'utf8').trimEnd().split('\n').length;
    expect(count).toBeGreaterThan(itemCount / 2);
    expect(count).toBeLessThan(itemCount);

    expect(JSON.parse(readFileSync(left, 'utf8').split('\n')[0] ?? '')).toMatchObject({
      item: { pk: { S: expect.any(String) } },
    });
  });

  test.each([
    [['--bogus', 'nothing'], /unknown option '--bogus'/],
    [['--endpoint', 'http://localhost:1', '--repair'], /cannot be used with option '--repair'/],
    [['--endpoint', 'nowhere'], /--endpoint/],
    [['nothing', '--export', process.execPath], /exists: name a new one/],
  ])('does not call %j a finding', async (args, words) => {
    const { code, stderr } = await doctor(...args);
    expect(stderr).toMatch(words);
    expect(code).toBe(3);
  });

  test('cannot read what is not there', async () => {
    const { code, stderr } = await doctor(join(parent, 'nothing'));
    expect(stderr).toMatch(/^singlet: The directory .*nothing has no data file\.\n$/);
    expect(code).toBe(3);
  });
});

/** A leaf in use with items. The first leaf also has the record of the table. */
function leafWithItems(bytes: Buffer): number {
  const newest = Math.max(Number(bytes.readBigInt64LE(152)), Number(bytes.readBigInt64LE(8192 + 152)));
  const meta = (newest % 2) * 8192;
  const root = Number(bytes.readBigInt64LE(meta + 96 + 40)) * 8192;
  const count = bytes.readUInt16LE(root + 20) >> 1;
  for (let index = 1; index < count; index += 1) {
    const node = root + 24 + bytes.readUInt16LE(root + 24 + 2 * index);
    const leaf = bytes.readUIntLE(node, 6) * 8192;
    if (bytes.subarray(leaf, leaf + 8192).includes('"text"')) return leaf;
  }
  throw new TypeError('no leaf has items');
}

describe('singlet doctor --endpoint', () => {
  async function doctorOf(directory: string): Promise<CommandEnd> {
    const server = new SingletProcess(['serve', '--data', directory, '--port', '0']);
    const end = await doctor('--endpoint', await server.ready());
    await server.end('SIGTERM');
    return end;
  }

  test('finds a server sound', async () => {
    const { code, stdout } = await doctorOf(copyOf('served'));
    expect(stdout).toMatch(/^1 table and \d+ entries checked: all is sound\.\n$/);
    expect(code).toBe(0);
  });

  test('finds an entry of an index that is missing, and a damaged item', async () => {
    const directory = copyOf('served-damaged');
    const isEntry = (key: Buffer, value: Buffer): boolean =>
      key.readUInt32BE() >= 256 && value.length > 9 && !value.includes('"text"');
    await change(directory, (key, value) => (isEntry(key, value) ? [{ key, value: undefined }] : undefined));
    const lacking = await doctorOf(directory);
    expect(lacking.stdout).toContain(
      'can be repaired, once the server is stopped: Index by-year of table Music lacks an item',
    );
    expect(lacking.code).toBe(1);
    await change(directory, (key, value) => {
      if (!value.includes('"text"')) return undefined;
      value[value.length - 4] = (value[value.length - 4] ?? 0) ^ 2;
      return [{ key, value }];
    });
    const damaged = await doctorOf(directory);
    expect(damaged.stdout).toContain('lost: An item of table Music does not match its checksum.');
    expect(damaged.code).toBe(2);
  });

  test('needs no credentials for a server that requires none, even where a profile is named that is not there', async () => {
    const server = new SingletProcess(['serve', '--data', copyOf('served'), '--port', '0']);
    const env = { ...process.env, AWS_PROFILE: 'not-there' };
    const { code, stdout } = await command(['doctor', '--endpoint', await server.ready()], { env });
    expect(code).toBe(0);
    expect(stdout).toContain('all is sound');
    await server.end('SIGTERM');
  });

  test('says in a sentence that a server cannot be asked', async () => {
    const { code, stderr } = await doctor('--endpoint', 'http://127.0.0.1:1');
    expect(code).toBe(3);
    expect(stderr).toMatch(/^singlet: The server at http:\/\/127\.0\.0\.1:1 could not be reached: .*\n$/);
  });

  test('takes a directory or a server, not both', async () => {
    const { code, stderr } = await doctor();
    expect(code).toBe(3);
    expect(stderr).toContain('either a directory or --endpoint');
  });
});
