import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bucket, BucketError, directoryObjectStore, type ObjectStore, s3ObjectStore } from './index.ts';
import { type SmallS3, startSmallS3 } from './testing/small-s3.ts';

let directory: string;
let s3: SmallS3;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'singlet-buckets-'));
  mkdirSync(join(directory, 'data'));
  s3 = await startSmallS3(['data']);
});

afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await s3.close();
});

async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function objectText(bucket: Bucket, key: string): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of await bucket.read(key)) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

async function codeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof BucketError) return error.code;
    throw error;
  }
  return 'none';
}

const stores: readonly { readonly kind: string; readonly open: () => ObjectStore }[] = [
  { kind: 'directory', open: () => directoryObjectStore(directory) },
  {
    kind: 'S3 endpoint',
    open: () =>
      s3ObjectStore({
        endpoint: s3.url,
        region: 'us-east-1',
        credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
        maxAttempts: 1,
      }),
  },
];

describe.each(stores)('$kind', ({ open }) => {
  test('what is written is listed and read', async () => {
    const bucket = await open().open('data');
    const md5 = createHash('md5').update('onetwo');
    expect(await bucket.write('a/b.json', chunksOf('one', 'two'))).toEqual({
      bytes: 6,
      etag: md5.copy().digest('hex'),
      md5: md5.digest('base64'),
    });
    for (const key of ['a/b/c', 'a.txt', 'a/empty', 'é', 'b']) await bucket.write(key, chunksOf(''));
    const listed = async (prefix: string): Promise<unknown[]> => {
      const keys: unknown[] = [];
      for await (const { key, bytes } of bucket.list(prefix)) keys.push(`${key} ${bytes}`);
      return keys;
    };
    expect(await listed('')).toEqual(['a.txt 0', 'a/b.json 6', 'a/b/c 0', 'a/empty 0', 'b 0', 'é 0']);
    expect(await listed('a/')).toEqual(['a/b.json 6', 'a/b/c 0', 'a/empty 0']);
    expect(await listed('a/b')).toEqual(['a/b.json 6', 'a/b/c 0']);
    expect(await listed('nothing')).toEqual([]);
    expect(await objectText(bucket, 'a/b.json')).toBe('onetwo');
    await bucket.write('a/b.json', chunksOf('three'));
    expect(await objectText(bucket, 'a/b.json')).toBe('three');
  });

  test('an object is created once, and can be removed', async () => {
    const bucket = await open().open('data');
    await bucket.create('once/a', Buffer.from('first'));
    expect(await codeOf(() => bucket.create('once/a', Buffer.from('second')))).toBe('exists');
    expect(await objectText(bucket, 'once/a')).toBe('first');
    await bucket.remove('once/a');
    expect(await codeOf(async () => objectText(bucket, 'once/a'))).toBe('no-such-key');
    await bucket.remove('once/a');
    await bucket.create('once/a', Buffer.from('third'));
    expect(await objectText(bucket, 'once/a')).toBe('third');
  });

  test('what is not there is said to be so', async () => {
    expect(await codeOf(() => open().open('other'))).toBe('no-such-bucket');
    const bucket = await open().open('data');
    expect(await codeOf(async () => objectText(bucket, 'no/such'))).toBe('no-such-key');
  });

  test('an object whose bytes fail is not written, and leaves nothing behind', async () => {
    const bucket = await open().open('data');
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(17 * 1024 * 1024);
      yield Buffer.alloc(1);
      throw new RangeError('the table is gone');
    };
    await expect(bucket.write('broken/x', broken())).rejects.toThrow(RangeError);
    expect(await codeOf(async () => objectText(bucket, 'broken/x'))).toBe('no-such-key');
    expect(
      readdirSync(join(directory, 'data'), { recursive: true }).filter((name) => String(name).includes('partial')),
    ).toEqual([]);
    expect(s3.openUploads.size).toBe(0);
  });

  test('a large object goes in parts and comes back whole', async () => {
    const bucket = await open().open('data');
    const piece = Buffer.alloc(3 * 1024 * 1024, 'abcdefg');
    const md5 = createHash('md5');
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < 7; at += 1) {
        md5.update(piece);
        yield piece;
      }
    };
    const written = await bucket.write('large', chunks());
    expect(written).toMatchObject({ bytes: 7 * piece.length, md5: md5.digest('base64') });
    const read = createHash('md5');
    for await (const chunk of await bucket.read('large')) read.update(chunk);
    expect(read.digest('base64')).toBe(written.md5);
  });
});

describe('a directory', () => {
  test.each(['../data/x', 'a/../../x', '/etc/passwd', 'a//b', './a', '', 'a/', 'a\\b', 'a\0b'])(
    'no key leads out of it: %j',
    async (key) => {
      const bucket = await directoryObjectStore(directory).open('data');
      expect(await codeOf(() => bucket.read(key))).toBe('invalid-key');
      expect(await codeOf(() => bucket.write(key, chunksOf('x')))).toBe('invalid-key');
    },
  );

  test.each(['..', '.', '', 'data/../data', '/', '../data'])('no bucket name leads out of it: %j', async (name) => {
    expect(await codeOf(() => directoryObjectStore(directory).open(name))).toBe('no-such-bucket');
  });

  test('symbolic links are not listed', async () => {
    mkdirSync(join(directory, 'linked'));
    writeFileSync(join(directory, 'secret'), 'x');
    symlinkSync(join(directory, 'secret'), join(directory, 'linked/link'));
    const bucket = await directoryObjectStore(directory).open('linked');
    for await (const { key } of bucket.list('')) expect(key).toBe('none');
    await bucket.write('real', chunksOf('x'));
    expect(readFileSync(join(directory, 'linked/real'), 'utf8')).toBe('x');
  });
});

test('an object that cannot be looked up is not reported as missing', async () => {
  const bucket = await directoryObjectStore(directory).open('data');
  symlinkSync('loop', join(directory, 'data', 'loop'));
  expect(await codeOf(async () => objectText(bucket, 'loop'))).toBe('io');
  expect(await codeOf(async () => objectText(bucket, 'loop/a'))).toBe('io');
});
