import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareBytes } from '../byte-order.ts';
import { headBytes, headOf, orderByPrefix, sharedLength } from './key-heads.ts';

const key = fc.array(fc.constantFrom(0, 1, 8, 128, 255), { maxLength: 16 }).map((bytes) => Uint8Array.from(bytes));

test('heads sort as the keys do; where they are equal, so are whole bytes, or one key ends', () => {
  fc.assert(
    fc.property(key, key, key, (prefix, left, right) => {
      const [a, b] = [left, right].map((end) => Uint8Array.from([...prefix, ...end])) as [Uint8Array, Uint8Array];
      const difference = headOf(a, prefix.length) - headOf(b, prefix.length);
      if (difference !== 0) expect(Math.sign(difference)).toBe(Math.sign(compareBytes(a, b)));
      else {
        expect(Math.sign(compareBytes(a, b, prefix.length + headBytes))).toBe(Math.sign(compareBytes(a, b)));
      }
      const within = Uint8Array.from([...a, 255, 255, 255, 255, 255, 255, 255]);
      expect(headOf(within, prefix.length, a.length)).toBe(headOf(a, prefix.length));
    }),
    { numRuns: 1000 },
  );
});

test('a prefix says on which side of its keys another key is', () => {
  fc.assert(
    fc.property(key, key, key, (prefix, end, other) => {
      const inside = Uint8Array.from([...prefix, ...end]);
      expect(orderByPrefix(inside, prefix)).toBe(0);
      const order = orderByPrefix(other, prefix);
      if (order === 0) expect(other.slice(0, prefix.length)).toEqual(prefix);
      else expect(Math.sign(compareBytes(other, inside))).toBe(Math.sign(order));
      const shared = sharedLength(other, prefix);
      expect(other.slice(0, shared)).toEqual(prefix.slice(0, shared));
      if (shared < Math.min(other.length, prefix.length)) expect(other[shared]).not.toBe(prefix[shared]);
      expect(shared === prefix.length).toBe(order === 0);
    }),
    { numRuns: 1000 },
  );
});
