import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareBytes, equalBytes } from './byte-order.ts';

test('compareBytes orders as memcmp does, the shorter first', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 6 }), fc.uint8Array({ maxLength: 6 }), (left, right) => {
      expect(Math.sign(compareBytes(left, right))).toBe(Buffer.compare(left, right));
      expect(equalBytes(left, right)).toBe(Buffer.compare(left, right) === 0);
      expect(compareBytes(left, new Uint8Array(left))).toBe(0);
    }),
  );
});

test('compareBytes skips what is known to be equal', () => {
  expect(compareBytes(new Uint8Array([1, 2, 3]), new Uint8Array([1, 2, 4]), 2)).toBeLessThan(0);
  expect(compareBytes(new Uint8Array([1, 2]), new Uint8Array([1]), 5)).toBeGreaterThan(0);
});
