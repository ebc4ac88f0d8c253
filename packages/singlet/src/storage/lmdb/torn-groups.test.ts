import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readGroupHead, groupHeadBytes, isWholeGroup, writeEntry, writeGroupHead } from './write-ahead-log-format.ts';

/** A group with one entry. Every group of the same `size` has the same length. */
function group(
  size: number,
  { text, ...head }: { text: number; nonce: number; number: number; before: number },
): Buffer {
  const value = Buffer.alloc(size, text);
  const bytes = Buffer.alloc(groupHeadBytes + 7 + 4 + size);
  writeEntry(bytes, groupHeadBytes, Buffer.from('key1'), value);
  const nonce = Buffer.alloc(8, head.nonce);
  writeGroupHead(bytes, { nonce, number: head.number, durable: 0, before: head.before, timeMs: 0 });
  return bytes;
}

const part = fc.record({
  text: fc.nat({ max: 255 }),
  nonce: fc.nat({ max: 255 }),
  number: fc.nat({ max: 3 }),
  before: fc.nat(),
});

test('a group that is torn over an older one of the same length is not whole, wherever it is torn', () => {
  fc.assert(
    fc.property(fc.nat({ max: 40 }), part, part, (size, first, second) => {
      const older = group(size, first);
      const newer = group(size, second);
      for (let cut = 0; cut <= newer.length; cut += 1) {
        const torn = Buffer.concat([newer.subarray(0, cut), older.subarray(cut)]);
        const head = readGroupHead(torn, 0);
        const isWhole = head !== undefined && isWholeGroup(torn, head);
        expect(isWhole).toBe(torn.equals(older) || torn.equals(newer));
      }
    }),
  );
});
