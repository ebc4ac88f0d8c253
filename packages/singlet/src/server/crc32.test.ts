import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { crc32, tableCrc32 } from './crc32.ts';

it('DB-126 is the CRC-32 that the service sends', () => {
  // Recorded: the checksums of two answers of the service.
  expect(crc32(Buffer.from('<UnknownOperationException/>\n'))).toBe(3_552_371_480);
  expect(crc32(Buffer.from('{"__type":"com.amazon.coral.service#SerializationException"}'))).toBe(3_948_637_019);
  expect(crc32(Buffer.alloc(0))).toBe(0);
});

it('is the same in JavaScript', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(tableCrc32(bytes)).toBe(crc32(bytes));
    }),
  );
});
