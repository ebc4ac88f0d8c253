import { crc32 } from 'node:zlib';
import { crc32OfShort, loopBytesMax } from '../../values/crc32.ts';
import { UnjoinedBytes } from './answer-bytes.ts';

/*
 * The CRC-32 of the body that was encoded last. An answer is sent right after it was encoded, so this is nearly always the
 * requested checksum; for any other body it is computed again.
 */
let lastBody: Uint8Array | UnjoinedBytes | undefined;
let lastChecksum = 0;

/** @param checksum - of all of `body`, as a signed integer. */
export function rememberChecksum(body: Uint8Array | UnjoinedBytes, checksum: number): void {
  lastBody = body;
  lastChecksum = checksum;
}

/** The CRC-32 of a body, unsigned. */
export function bodyChecksum(body: Uint8Array | UnjoinedBytes): number {
  if (body === lastBody) return lastChecksum >>> 0;
  if (body instanceof UnjoinedBytes) return bodyChecksum(body.join());
  return body.length > loopBytesMax ? crc32(body) : crc32OfShort(body, 0) >>> 0;
}
