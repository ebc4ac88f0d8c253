import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { combineCrc32, crc32Before, crc32OfShort } from './crc32.ts';

test('the checksum of two stretches follows from theirs, whatever their lengths', () => {
  const length = fc.oneof(fc.nat(3000), fc.constantFrom(0, 1, 1023, 1024, 1025, 400_000, 1_100_000));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), length, fc.nat(255), (a, bBytes, fill) => {
      const b = Buffer.alloc(bBytes, fill);
      const combined = combineCrc32(crc32(a) | 0, crc32(b) | 0, bBytes);
      expect(combined >>> 0).toBe(crc32(Buffer.concat([a, b])));
    }),
    { numRuns: 300 },
  );
});

test('the checksum of a part, and of what is behind a head, are those of zlib', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(80), fc.nat(20), (bytes, at, head) => {
      const start = Math.min(at, bytes.length);
      expect(crc32OfShort(bytes, crc32(bytes.subarray(0, start)) | 0, start) >>> 0).toBe(crc32(bytes));
      const count = Math.min(head, bytes.length);
      expect(crc32(bytes, crc32Before(bytes, count) >>> 0)).toBe(crc32(bytes.subarray(count)));
    }),
  );
});
