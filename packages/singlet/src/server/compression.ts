import { promisify } from 'node:util';
import { deflate as deflateCallback, gzip as gzipCallback, inflate as inflateCallback } from 'node:zlib';
import { gunzipMembers } from './gzip-members.ts';

const unwrap = promisify(inflateCallback);

/** Why a compressed body cannot be used. */
export type InflateFailure = 'too-large' | 'unreadable';

/**
 * The contents of a body in the content coding `gzip` or `deflate`, or why it cannot be used. Inflating stops as soon as the
 * limit is exceeded, so that a small body cannot fill the memory.
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

/** The highest ratio of deflate: one byte becomes 1,032 equal ones. */
const expansionMax = 1032;

/** The most bytes that a compressed body can inflate to, capped at `bytesMax`. */
export function inflatedBytesBound(body: Uint8Array, bytesMax: number): number {
  return Math.min(body.length * expansionMax, bytesMax);
}

/** Smallest body that is worth compressing, bytes: a smaller one fits in a few packets anyway. */
export const compressedBytesMin = 4096;

/** Lowest level: most of the gain on JSON for the least time. */
const compressionLevel = 1;

/** Content codings of answers. */
export type ContentCoding = 'gzip' | 'deflate';

const compressors: Readonly<Record<ContentCoding, (body: Uint8Array, options: { level: number }) => Promise<Buffer>>> =
  {
    gzip: promisify(gzipCallback),
    deflate: promisify(deflateCallback),
  };

/** A body in the coding that the client prefers. */
export interface CompressedBody {
  readonly coding: ContentCoding;
  readonly bytes: Uint8Array;
}

/** A body of at least {@link compressedBytesMin}, compressed if the client accepts that and it pays; undefined otherwise. */
export async function compress(body: Uint8Array, acceptEncoding: string): Promise<CompressedBody | undefined> {
  const coding = preferredCoding(acceptEncoding);
  if (coding === undefined) return undefined;
  const bytes = await compressors[coding](body, { level: compressionLevel });
  return bytes.length < body.length ? { coding, bytes } : undefined;
}

/**
 * The coding that the client weighs highest; of equal ones, the first. The client does not accept codings with weight
 * zero. A wildcard does not count: clients that want gzip name it.
 */
export function preferredCoding(acceptEncoding: string): ContentCoding | undefined {
  let preferred: ContentCoding | undefined;
  let greatest = 0;
  for (const each of acceptEncoding.split(',', codingsMax)) {
    const [name = '', ...parameters] = each.split(';', parametersMax);
    const coding = name.trim().toLowerCase();
    if (coding !== 'gzip' && coding !== 'deflate') continue;
    const weight = weightOf(parameters);
    if (weight <= greatest) continue;
    greatest = weight;
    preferred = coding;
  }
  return preferred;
}

/** How many codings are read from a header that may be 16 KB of commas and semicolons. */
const codingsMax = 32;
const parametersMax = 8;

const weightPattern = /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i;

/** @returns 1 when none is given, or none that can be parsed. */
function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const weight = weightPattern.exec(parameter)?.[1];
    if (weight !== undefined) return Number(weight);
  }
  return 1;
}
