import * as zlib from 'node:zlib';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkedHeaderBytes, crc32, headChecksum, isIntact, sealValue } from './value-checksum.ts';

const bytes = fc.uint8Array({ maxLength: 200 });

it('is the CRC-32 of zlib, whatever the length, in one go or in parts', () => {
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      expect(crc32(a) >>> 0).toBe(zlib.crc32(a));
      expect(crc32(b, crc32(a)) >>> 0).toBe(zlib.crc32(Buffer.concat([a, b])));
    }),
  );
});

it('binds a content to its key, format and size', () => {
  fc.assert(
    fc.property(bytes, fc.nat(255), fc.nat(0xffff_ffff), (key, format, size) => {
      const head = Buffer.alloc(4);
      head.writeUInt32BE(size);
      expect(headChecksum(key, format) >>> 0).toBe(zlib.crc32(Buffer.concat([key, Buffer.of(format)])));
      expect(headChecksum(key, format, size) >>> 0).toBe(zlib.crc32(Buffer.concat([key, Buffer.of(format), head])));
    }),
  );
});

it('finds any bit that changed in a sealed value, and any other key', () => {
  fc.assert(
    fc.property(bytes, fc.uint8Array({ minLength: 20, maxLength: 60 }), fc.nat(), (content, key, at) => {
      const value = sealValue(key, 3, Buffer.concat([Buffer.alloc(checkedHeaderBytes), content]));
      expect(isIntact(key, value)).toBe(true);
      const bit = at % (value.length * 8);
      value[bit >> 3] = (value[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(isIntact(key, value)).toBe(false);
      value[bit >> 3] = (value[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const other = Uint8Array.from(key);
      other[at % key.length] = ((other[at % key.length] ?? 0) + 1) & 0xff;
      expect(isIntact(other, value)).toBe(false);
    }),
  );
});
