import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { examine } from '../src/cli/doctor/examine.ts';
import { createDatabase, type Database } from '../src/index.ts';
import { openBackedUpStore } from '../src/shipping/open-backed-up-store.ts';
import { openTarget } from '../src/shipping/open-target.ts';
import { restoreDirectory } from '../src/shipping/restore-directory.ts';
import { keyRingKey, rotateKeys } from '../src/storage/encryption/with-encryption.ts';
import { parseWrappingKeys } from '../src/storage/encryption/wrapping-keys.ts';
import { openLmdbStore } from '../src/storage/lmdb/lmdb-store.ts';
import { SingletProcess } from './singlet-process.ts';

const table = {
  TableName: 'Letters',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    { AttributeName: 'id', AttributeType: 'S' },
    { AttributeName: 'page', AttributeType: 'S' },
    { AttributeName: 'owner', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'id', KeyType: 'HASH' },
    { AttributeName: 'page', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byOwner',
      KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
};
const secret = 'the combination is 1234';
const letter = { id: { S: 'letter-1' }, page: { S: 'page-one' }, owner: { S: 'ann' }, text: { S: secret } };

describe('encryption at rest', () => {
  let directory: string;
  const key = randomBytes(32).toString('base64');

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'singlet-encryption-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  async function withDatabase<T>(
    encryptionKeys: string | undefined,
    use: (database: Database) => Promise<T>,
  ): Promise<T> {
    const database = await createDatabase({ directory, encryptionKeys });
    try {
      return await use(database);
    } finally {
      await database.close();
    }
  }

  /** All bytes of the files in the directory. */
  const filesText = (): string =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .flatMap((name) => {
        try {
          return [readFileSync(join(directory, name), 'latin1')];
        } catch {
          return [];
        }
      })
      .join('\n');

  const read = (database: Database) =>
    database.request('GetItem', { TableName: 'Letters', Key: { id: letter.id, page: letter.page } });

  test('no value is in a file of the directory, while it is used or after', async () => {
    await withDatabase(key, async (database) => {
      await database.request('CreateTable', table);
      await database.request('UpdateContinuousBackups', {
        TableName: 'Letters',
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      });
      await database.request('PutItem', { TableName: 'Letters', Item: letter });
      await database.request('CreateBackup', { TableName: 'Letters', BackupName: 'first' });
      await database.request('PutItem', { TableName: 'Letters', Item: { ...letter, text: { S: `${secret}, again` } } });
      // Acknowledged, so it is in a file: the log.
      expect(filesText().includes(secret)).toBe(false);
      expect(filesText().includes('byOwner')).toBe(false);
    });
    const text = filesText();
    expect(text.includes(secret)).toBe(false);
    // Keys are visible, because a driver orders them: names of tables and sort keys. Of partition keys only a hash is in them.
    expect(text.includes('Letters')).toBe(true);
    expect(text.includes('page-one')).toBe(true);
    expect(text.includes('letter-1')).toBe(false);
    expect(text.includes(key)).toBe(false);
    await withDatabase(key, async (database) => {
      expect(await read(database)).toMatchObject({ Item: { text: { S: `${secret}, again` } } });
    });
  });

  test('the same without a key: then everything is there to read', async () => {
    await withDatabase(undefined, async (database) => {
      await database.request('CreateTable', table);
      await database.request('PutItem', { TableName: 'Letters', Item: letter });
    });
    expect(filesText().includes(secret)).toBe(true);
  });

  test('the data is not opened without its key, nor with another, and is unchanged by that', async () => {
    await withDatabase(key, async (database) => {
      await database.request('CreateTable', table);
      await database.request('PutItem', { TableName: 'Letters', Item: letter });
    });
    await expect(createDatabase({ directory })).rejects.toThrow('is encrypted: name the file with its encryption key');
    const other = randomBytes(32).toString('base64');
    await expect(createDatabase({ directory, encryptionKeys: other })).rejects.toThrow(
      'use the file that this data was',
    );
    await expect(createDatabase({ directory, encryptionKeys: 'none' })).rejects.toThrow('is not a key');
    await withDatabase(`${other}\n${key}\n`, async (database) => {
      expect(await read(database)).toEqual({ Item: letter });
    });
  });

  test('keys that are none leave no directory behind', async () => {
    const missing = join(directory, 'missing');
    for (const encryptionKeys of ['none', '']) {
      await expect(createDatabase({ directory: missing, encryptionKeys })).rejects.toThrow(
        /file of encryption keys is/,
      );
    }
    expect(readdirSync(directory)).toEqual([]);
  });

  test('begins with an empty directory only', async () => {
    await withDatabase(undefined, (database) => database.request('CreateTable', table));
    await expect(createDatabase({ directory, encryptionKeys: key })).rejects.toThrow('Encryption begins with an empty');
    await withDatabase(undefined, async (database) => {
      expect(await database.request('ListTables', {})).toEqual({ TableNames: ['Letters'] });
    });
  });

  test('goes with a directory, and not with memory or a store of its own', async () => {
    await expect(createDatabase({ encryptionKeys: key })).rejects.toThrow('never at rest');
  });

  test('a rotation takes the old key away, and keeps what was written under it', async () => {
    await withDatabase(key, async (database) => {
      await database.request('CreateTable', table);
      await database.request('PutItem', { TableName: 'Letters', Item: letter });
    });
    const next = randomBytes(32).toString('base64');
    const store = await openLmdbStore({ directory });
    expect(await rotateKeys(store, parseWrappingKeys(`${next}\n${key}`))).toMatchObject({ dataKeyCount: 2 });
    await store.close();
    await expect(createDatabase({ directory, encryptionKeys: key })).rejects.toThrow('encrypted with the key');
    await withDatabase(next, async (database) => {
      expect(await read(database)).toEqual({ Item: letter });
      await database.request('PutItem', { TableName: 'Letters', Item: { ...letter, text: { S: 'new' } } });
    });
    await withDatabase(next, async (database) => {
      expect(await read(database)).toMatchObject({ Item: { text: { S: 'new' } } });
    });
  });

  test('the doctor reads encrypted data with the key, and refuses it without', async () => {
    await withDatabase(key, async (database) => {
      await database.request('CreateTable', table);
      await database.request('PutItem', { TableName: 'Letters', Item: letter });
    });
    const options = { repair: false, acceptLoss: 'no', lines: undefined, onProgress: () => undefined } as const;
    expect(await examine(directory, { ...options, encryptionKeys: key })).toMatchObject({
      tableCount: 1,
      findings: [],
    });
    await expect(examine(directory, { ...options, encryptionKeys: undefined })).rejects.toThrow('is encrypted');
  });

  test('a backup outside of the directory is encrypted too, and restored with the key', async () => {
    const [target, restored] = [join(directory, 'target'), join(directory, 'restored')];
    const data = join(directory, 'data');
    const database = await createDatabase({ directory: data, encryptionKeys: key });
    await database.request('CreateTable', table);
    await database.request('PutItem', { TableName: 'Letters', Item: letter });
    await database.close();
    const { store, shipper } = await openBackedUpStore({
      directory: data,
      url: target,
      openTarget: () => openTarget(target, { create: true }),
      settings: { everyMs: 1_000, snapshotEveryMs: Infinity, keepMs: 3_600_000 },
      log: () => undefined,
    });
    await shipper.snapshot();
    await shipper.close(() => store.close());
    await restoreDirectory(await openTarget(target, {}), restored, { atMs: undefined });
    expect(filesText().includes(secret)).toBe(false);
    await expect(createDatabase({ directory: restored })).rejects.toThrow('is encrypted');
    const again = await createDatabase({ directory: restored, encryptionKeys: key });
    expect(await read(again)).toEqual({ Item: letter });
    await again.close();
  });

  test('a fork of an encrypted database reads what it reads', async () => {
    await withDatabase(key, async (database) => {
      await database.request('CreateTable', table);
      await database.request('PutItem', { TableName: 'Letters', Item: letter });
      const fork = await database.fork();
      expect(await read(fork)).toEqual({ Item: letter });
      await fork.close();
    });
  });

  test('data keys that are damaged are said to be, and without them the data is said to be not encrypted', async () => {
    await withDatabase(key, (database) => database.request('CreateTable', table));
    for (const [value, message] of [
      [Buffer.from('{}'), 'ring of data keys is damaged'],
      [undefined, 'The data is not encrypted'],
    ] as const) {
      const store = await openLmdbStore({ directory });
      await store.write([], () => ({ answer: undefined, writes: [{ key: keyRingKey, value }] }));
      await store.close();
      await expect(createDatabase({ directory, encryptionKeys: key })).rejects.toThrow(message);
    }
  });
});

test('singlet serve encrypts, and singlet rotate-keys rotates', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'singlet-encryption-'));
  const data = join(directory, 'data');
  const file = join(directory, 'key');
  const old = randomBytes(32).toString('base64');
  const next = randomBytes(32).toString('base64');
  const rotate = async (): Promise<{ readonly code: number | null; readonly errors: string }> => {
    const command = new SingletProcess(['rotate-keys', data, '--encryption-key', file]);
    const { code } = await command.ended;
    return { code, errors: command.stderr };
  };
  try {
    writeFileSync(file, `${old}\n`);
    const served = new SingletProcess(['serve', '--data', data, '--port', '0', '--encryption-key', file]);
    try {
      await served.ready();
      expect(await rotate()).toMatchObject({ code: 1, errors: expect.stringContaining('A server uses') as string });
    } finally {
      await served.end('SIGTERM');
    }
    writeFileSync(file, `${next}\n${old}\n`);
    expect(await rotate()).toMatchObject({ code: 0 });
    const database = await createDatabase({ directory: data, encryptionKeys: next });
    await database.close();
    await expect(createDatabase({ directory: data, encryptionKeys: old })).rejects.toThrow('encrypted with the key');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

describe('what a table says of its encryption', () => {
  const encrypted = { ...table, SSESpecification: { Enabled: true, SSEType: 'KMS' } };
  const cannot = 'SSESpecification cannot be enabled: the data of this server is not encrypted at rest.';

  test('in a directory without a key it is refused, in every action that takes it, and nothing is described', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'singlet-encryption-'));
    const database = await createDatabase({ directory });
    try {
      await expect(database.request('CreateTable', encrypted)).rejects.toThrow(cannot);
      await database.request('CreateTable', { ...table, SSESpecification: { Enabled: false } });
      const { Table } = (await database.request('DescribeTable', { TableName: 'Letters' })) as {
        readonly Table: object;
      };
      expect(Table).not.toHaveProperty('SSEDescription');
      const change = { TableName: 'Letters', SSESpecification: { Enabled: true } };
      await expect(database.request('UpdateTable', change)).rejects.toThrow(cannot);
      const { BackupDetails } = (await database.request('CreateBackup', {
        TableName: 'Letters',
        BackupName: 'one',
      })) as {
        readonly BackupDetails: { readonly BackupArn: string };
      };
      const restore = {
        TargetTableName: 'Restored',
        BackupArn: BackupDetails.BackupArn,
        SSESpecificationOverride: { Enabled: true },
      };
      await expect(database.request('RestoreTableFromBackup', restore)).rejects.toThrow(cannot);
    } finally {
      await database.close();
      rmSync(directory, { recursive: true, force: true });
    }
  });

  test('in memory nothing is at rest, and it is described as asked for', async () => {
    const database = await createDatabase();
    await database.request('CreateTable', encrypted);
    expect(await database.request('DescribeTable', { TableName: 'Letters' })).toMatchObject({
      Table: { SSEDescription: { Status: 'ENABLED', SSEType: 'KMS' } },
    });
    await database.close();
  });
});
