import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type Compression, decompress, FormatError, gzip } from './index.ts';
import { inChunks } from './testing/arbitrary-items.ts';

async function inflated(bytes: Uint8Array, compression: Compression, chunkLength = 7): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of decompress(inChunks(bytes, [chunkLength]), compression)) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

async function problemOf(bytes: Uint8Array, compression: Compression): Promise<string> {
  try {
    return `no problem: ${await inflated(bytes, compression)}`;
  } catch (error) {
    if (error instanceof FormatError) return error.message;
    throw error;
  }
}

const text = '{"Item":{"pk":{"S":"zstd"}}}\n{"Item":{"pk":{"S":"two"},"n":{"N":"12"}}}\n';
/** The text above in two frames (`first frame`, `second frame`), written by the zstd command. */
const zstd = Buffer.from(
  'KLUv/QRY5QEARAN7Ikl0ZW0iOnsicGsiOnsiUyI6InpzdGQifX19CnR3byJ9LCJuIjp7Ik4iOiIxMiJ9fX0KAQABWjkB2QDdAA==',
  'base64',
);
const twoFrames = Buffer.from('KLUv/QRYYQAAZmlyc3QgZnJhbWUKDsLHKii1L/0EWGkAAHNlY29uZCBmcmFtZQqeOXOr', 'base64');

describe('decompress', () => {
  test('NONE', async () => expect(await inflated(Buffer.from(text), 'NONE')).toBe(text));

  test('GZIP, of one member and of several', async () => {
    expect(await inflated(gzipSync(text), 'GZIP')).toBe(text);
    expect(await inflated(Buffer.concat([gzipSync('first\n'), gzipSync('second\n')]), 'GZIP')).toBe('first\nsecond\n');
  });

  test('ZSTD, of one frame and of several', async () => {
    expect(await inflated(zstd, 'ZSTD')).toBe(text);
    expect(await inflated(twoFrames, 'ZSTD')).toBe('first frame\nsecond frame\n');
  });

  test.each(['NONE', 'GZIP', 'ZSTD'] as const)('an object of no bytes holds nothing: %s', async (compression) => {
    expect(await inflated(new Uint8Array(0), compression)).toBe('');
  });

  test('what is not compressed so, or is cut off, is refused', async () => {
    expect(await problemOf(Buffer.from(text), 'GZIP')).toBe('not gzip data: incorrect header check');
    expect(await problemOf(gzipSync(text).subarray(0, 20), 'GZIP')).toBe('not gzip data: unexpected end of file');
    expect(await problemOf(Buffer.from(text), 'ZSTD')).toBe('not zstd data: invalid zstd data');
    expect(await problemOf(zstd.subarray(0, 30), 'ZSTD')).toBe('not zstd data: unexpected EOF');
  });

  test.each(['GZIP', 'ZSTD'] as const)('a source that fails is not blamed on the data: %s', async (compression) => {
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield compression === 'GZIP' ? gzipSync(text).subarray(0, 12) : zstd.subarray(0, 12);
      throw new RangeError('the connection is gone');
    };
    const read = async (): Promise<void> => {
      for await (const part of decompress(broken(), compression)) expect(part.length).toBeGreaterThan(0);
    };
    await expect(read()).rejects.toThrow(RangeError);
  });
});

test('gzip writes what gunzip reads, and passes on what its source throws', async () => {
  const parts: Uint8Array[] = [];
  for await (const part of gzip(inChunks(Buffer.from(text), [5]))) parts.push(part);
  expect(await inflated(Buffer.concat(parts), 'GZIP')).toBe(text);
  const broken = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
    throw new RangeError('no more');
  };
  const write = async (): Promise<void> => {
    for await (const part of gzip(broken())) expect(part.length).toBeGreaterThan(0);
  };
  await expect(write()).rejects.toThrow('no more');
});
