import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { prepareDataDirectory } from './data-directory.ts';

const marker = 'singlet.json';

let parent: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'singlet-directory-'));
});

afterEach(async () => rm(parent, { recursive: true }));

describe('a directory for data', () => {
  test('is created and marked', async () => {
    const directory = join(parent, 'data');
    expect(await prepareDataDirectory(directory)).toBe(directory);
    expect(await readdir(directory)).toEqual([marker]);
    expect(await readFile(join(directory, marker), 'utf8')).toBe(
      '{"format":2,"state":"creating","kind":"singlet-data","engine":"lmdb","check":"877cf75a"}\n',
    );
  });

  test('is accepted again, however it is named', async () => {
    const directory = join(parent, 'data');
    await prepareDataDirectory(directory);
    await writeFile(join(directory, 'data.mdb'), 'whatever the engine keeps');
    await symlink(directory, join(parent, 'link'));
    for (const name of [directory, `${directory}/`, relative(process.cwd(), directory), join(parent, 'link')]) {
      expect(await prepareDataDirectory(name)).toBe(directory);
    }
  });

  test('may be empty, or an empty volume', async () => {
    for (const name of ['empty', 'volume']) await mkdir(join(parent, name));
    await mkdir(join(parent, 'volume', 'lost+found'));
    await prepareDataDirectory(join(parent, 'empty'));
    await prepareDataDirectory(join(parent, 'volume'));
    expect(await readdir(join(parent, 'volume'))).toEqual(['lost+found', marker]);
  });

  test('may have a half-made marker in it, of a process that died or of one that is making it', async () => {
    await writeFile(join(parent, `${marker}.0b9e7c1c.tmp`), '{"form');
    await prepareDataDirectory(parent);
    expect(await readdir(parent)).toContain(marker);
  });

  test('is made once by many who ask at the same time', async () => {
    const directory = join(parent, 'data');
    await Promise.all(Array.from({ length: 20 }, async () => prepareDataDirectory(directory)));
    expect(await readdir(directory)).toEqual([marker]);
  });
});

describe('what is not a directory for data', () => {
  const refusal = async (directory: string): Promise<{ code: string; message: string }> => {
    try {
      await prepareDataDirectory(directory);
    } catch (error) {
      return error as { code: string; message: string };
    }
    throw new TypeError('it was accepted');
  };

  test('a directory whose parent does not exist', async () => {
    const directory = join(parent, 'no', 'data');
    expect(await refusal(directory)).toMatchObject({
      name: 'StorageError',
      code: 'open',
      message: `The directory ${directory} cannot be created because its parent does not exist: create the parent first.`,
    });
  });

  test('a file, or a path that leads through one', async () => {
    const file = join(parent, 'file');
    await writeFile(file, 'text');
    for (const path of [file, join(file, 'data')]) {
      expect(await refusal(path)).toMatchObject({
        code: 'open',
        message: `The path ${path} is not a directory, or leads through a file: name a directory.`,
      });
    }
    expect(await readFile(file, 'utf8')).toBe('text');
  });

  test('a directory with other files in it, which stay as they are', async () => {
    await writeFile(join(parent, 'thesis.txt'), 'text');
    expect(await refusal(parent)).toMatchObject({
      code: 'format',
      message: `The directory ${parent} holds other files (thesis.txt) and no singlet.json: choose an empty or a new directory for the data.`,
    });
    expect(await readdir(parent)).toEqual(['thesis.txt']);
  });

  test('a data directory that has lost its marker: the message says what writes it again', async () => {
    await writeFile(join(parent, 'data.mdb'), 'pages');
    expect(await refusal(parent)).toMatchObject({
      code: 'format',
      message: `The directory ${parent} holds other files (data.mdb) and no singlet.json: if this is a data directory, "singlet doctor ${parent} --repair" writes it again; otherwise choose another one.`,
    });
    expect(await readdir(parent)).toEqual(['data.mdb']);
  });

  test.each([
    [
      '{"format":3,"kind":"singlet-data","engine":"lmdb"}',
      'has format 3, and this version of Singlet reads formats 1 and 2: open it with the version that wrote it.',
    ],
    [
      '{"kind":"singlet-data","engine":"lmdb"}',
      'has format undefined, and this version of Singlet reads formats 1 and 2: open it with the version that wrote it.',
    ],
    [
      '{"format":1,"kind":"singlet-data","engine":"rocks"}',
      'was written for the engine "rocks", not "lmdb": open it with that engine.',
    ],
    ['{"format":1,"kind":"something"}', "is not one of Singlet's: choose another directory, or restore the file."],
    ['not JSON', "is not one of Singlet's: choose another directory, or restore the file."],
    ['null', "is not one of Singlet's: choose another directory, or restore the file."],
    ['', "is not one of Singlet's: choose another directory, or restore the file."],
  ])('a directory whose marker is %s', async (text, message) => {
    await writeFile(join(parent, marker), text);
    const error = await refusal(parent);
    expect(error.code).toBe('format');
    expect(error.message.endsWith(message)).toBe(true);
    expect(error.message).toContain(parent);
    expect(await readFile(join(parent, marker), 'utf8')).toBe(text);
  });

  test.each([
    '{"format":2,"kind":"singlet-data","engine":"lmdb"}',
    '{"format":2,"state":"creating","kind":"singlet-data","engine":"lmdb","check":"877cf75b"}',
    '{"format":1,"state":"creating","kind":"singlet-data","engine":"lmdb","check":"877cf75a"}',
    '{"format":2,"state":"creatina","kind":"singlet-data","engine":"lmdb","check":"877cf75a"}',
    '{"format":2,"state":"ready","store":"00","generation":7,"kind":"singlet-data","engine":"lmdb","check":"00000000"}',
  ])('a directory whose marker is not as it was written: %s', async (text) => {
    await writeFile(join(parent, marker), text);
    const { code, message } = await refusal(parent);
    expect(code).toBe('damaged');
    expect(message).toContain(`The file singlet.json in ${parent} is damaged`);
    expect(message).toContain(`singlet doctor ${parent}`);
    expect(await readFile(join(parent, marker), 'utf8')).toBe(text);
  });

  test('a directory that this user may not write', async () => {
    await mkdir(join(parent, 'theirs'), { mode: 0o555 });
    await asOrdinaryUser(async () => {
      for (const path of [join(parent, 'theirs'), join(parent, 'theirs', 'data')]) {
        expect(await refusal(path)).toMatchObject({
          code: 'open',
          message: `The directory ${path} is not writable for this user: change its permissions or choose another directory.`,
        });
      }
    });
  });
});

/** Permissions do not bind root, which tests may run as: runs `body` as an ordinary user. */
async function asOrdinaryUser(body: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return body();
  const { chmod } = await import('node:fs/promises');
  await chmod(parent, 0o755);
  process.seteuid?.(65_534);
  try {
    await body();
  } finally {
    process.seteuid?.(0);
  }
}
