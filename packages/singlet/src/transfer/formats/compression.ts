import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { FormatError, messageOf } from './format-error.ts';
import type { Compression } from './item-record.ts';
import { loadPackage } from '../../values/missing-package.ts';

/**
 * zstd is decompressed in slices of this many bytes. A slice holds at most some hundred blocks of 128 KB each, which bounds the output of one
 * step for any input.
 */
const zstdSliceBytes = 1024;

/** Decompresses a stream. @throws {FormatError} if it is not in the format of `compression`. */
export function decompress(chunks: AsyncIterable<Uint8Array>, compression: Compression): AsyncIterable<Uint8Array> {
  switch (compression) {
    case 'NONE':
      return chunks;
    case 'GZIP':
      return gunzip(chunks);
    case 'ZSTD':
      return unzstd(chunks);
  }
}

/** Compresses a stream with gzip. */
export async function* gzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const deflated = createGzip();
  const work = pipeline(Readable.from(chunks), deflated).catch((error: unknown) => deflated.destroy(error as Error));
  yield* deflated as AsyncIterable<Uint8Array>;
  await work;
}

async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(chunks, { objectMode: false });
  const inflated = createGunzip();
  let sourceError: unknown;
  source.on('error', (error) => {
    sourceError = error;
    inflated.destroy(error);
  });
  source.pipe(inflated);
  let isEmpty = true;
  source.once('data', () => (isEmpty = false));
  try {
    yield* inflated as AsyncIterable<Uint8Array>;
  } catch (cause) {
    if (sourceError !== undefined) throw sourceError;
    // An empty object contains no items; it is not damaged.
    if (isEmpty) return;
    throw new FormatError(undefined, `not gzip data: ${messageOf(cause)}`, { cause });
  } finally {
    source.destroy();
    inflated.destroy();
  }
}

async function* unzstd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { Decompress } = await loadPackage('Reading Zstandard', () => import('fzstd'));
  let out: Uint8Array[] = [];
  const decompressor = new Decompress((data) => out.push(Uint8Array.from(data)));
  const push = (slice: Uint8Array, isLast: boolean): readonly Uint8Array[] => {
    out = [];
    try {
      decompressor.push(slice, isLast);
    } catch (cause) {
      throw new FormatError(undefined, `not zstd data: ${messageOf(cause)}`, { cause });
    }
    return out.filter(({ length }) => length > 0);
  };
  let isEmpty = true;
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += zstdSliceBytes) {
      isEmpty = false;
      yield* push(Uint8Array.from(chunk.subarray(from, from + zstdSliceBytes)), false);
    }
  }
  if (!isEmpty) yield* push(new Uint8Array(0), true);
}
