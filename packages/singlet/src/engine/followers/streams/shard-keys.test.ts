import fc from 'fast-check';
import { expect, test } from 'vitest';
import { headKey, positionOf, recordKey, shardPrefix } from './shard-keys.ts';

const shard = fc.record({
  number: fc.integer({ min: 0, max: 0xffff_ffff }),
  hashFrom: fc.integer({ min: 0, max: 0xffff }),
});

test('DB-254 the keys of a shard sort by position, the head comes last, and no other shard comes between', () => {
  fc.assert(
    fc.property(shard, shard, fc.maxSafeNat(), fc.maxSafeNat(), (one, other, a, b) => {
      const prefix = shardPrefix(300, one);
      const [keyA, keyB, head] = [recordKey(prefix, a), recordKey(prefix, b), headKey(prefix)];
      expect(positionOf(keyA)).toBe(a);
      expect(positionOf(head)).toBeUndefined();
      expect(Math.sign(Buffer.compare(keyA, keyB))).toBe(Math.sign(a - b));
      expect(Buffer.compare(keyA, head)).toBe(-1);
      const elsewhere = recordKey(shardPrefix(300, other), b);
      const isBetween = Buffer.compare(keyA, elsewhere) < 0 && Buffer.compare(elsewhere, head) < 0;
      if (one.number !== other.number || one.hashFrom !== other.hashFrom) expect(isBetween).toBe(false);
    }),
  );
});
