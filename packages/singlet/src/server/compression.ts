import { promisify } from 'node:util';
import { gzip as gzipCallback, inflate as inflateCallback } from 'node:zlib';
import { gunzipMembers } from './gzip-members.ts';

const unwrap = promisify(inflateCallback);
const gzip = promisify(gzipCallback);

/** Why a compressed body cannot be used. */
export type InflateFailure = 'too-large' | 'unreadable';

/**
 * The contents of a body in the content coding `gzip` or `deflate`, or why there are none. Inflating stops as soon as the
 * limit is passed, so that a small body cannot fill the memory.
 */
export async function inflate(
  body: Uint8Array,
  coding: string,
  bytesMax: number,
): Promise<Uint8Array | InflateFailure> {
  try {
    if (coding === 'gzip') return await gunzipMembers(body, bytesMax);
    return coding === 'deflate' ? await unwrap(body, { maxOutputLength: bytesMax }) : 'unreadable';
  } catch (error) {
    return error instanceof RangeError ? 'too-large' : 'unreadable';
  }
}

/** Smallest body that is worth compressing, bytes: below it all fits in a few packets anyway. */
const compressedBytesMin = 4096;

/** Lowest level: most of the gain on JSON for the least time. */
const compressionLevel = 1;

/** The body as gzip if the client takes it and it pays; undefined otherwise. */
export async function deflate(body: Uint8Array, acceptEncoding: string): Promise<Uint8Array | undefined> {
  if (body.length < compressedBytesMin || !acceptsGzip(acceptEncoding)) return undefined;
  const compressed = await gzip(body, { level: compressionLevel });
  return compressed.length < body.length ? compressed : undefined;
}

/** Whether gzip is named and not weighed with zero. A wildcard does not count: clients that mean gzip say so. */
function acceptsGzip(acceptEncoding: string): boolean {
  return acceptEncoding.split(',').some((coding) => {
    const [name = '', ...parameters] = coding.split(';');
    if (name.trim().toLowerCase() !== 'gzip') return false;
    return !parameters.some((parameter) => /^\s*q\s*=\s*0(\.0*)?\s*$/i.test(parameter));
  });
}
