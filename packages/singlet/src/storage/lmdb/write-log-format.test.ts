import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  entryHeadBytes,
  groupHeadBytes,
  type LoggedWrite,
  readLog,
  writeEntry,
  writeGroupHead,
} from './write-log-format.ts';

function groupOf(writes: readonly LoggedWrite[], head: { generation: number; number: number }): Buffer {
  const bytes = writes.reduce((sum, { key, value }) => sum + entryHeadBytes + key.length + (value?.length ?? 0), 0);
  const group = Buffer.alloc(groupHeadBytes + bytes);
  let at = groupHeadBytes;
  for (const { key, value } of writes) at = writeEntry(group, at, key, value) + (value?.length ?? 0);
  writeGroupHead(group, head);
  return group;
}

const bytesOf = (minLength: number): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ minLength, maxLength: 40 }).map((bytes) => Buffer.from(bytes));
const aWrite: fc.Arbitrary<LoggedWrite> = fc.record({
  key: bytesOf(1),
  value: fc.option(bytesOf(0), { nil: undefined }),
});
const someGroups = fc.array(fc.array(aWrite, { maxLength: 4 }), { maxLength: 5 });

describe('a log', () => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(someGroups, fc.nat(2 ** 40), (groups, generation) => {
        const file = Buffer.concat([
          ...groups.map((writes, number) => groupOf(writes, { generation, number })),
          Buffer.alloc(100),
        ]);
        expect(readLog(file)).toEqual(groups.length === 0 ? undefined : { generation, groups });
      }),
    );
  });

  test('ends before a group that is not whole, wherever it was cut or damaged', () => {
    fc.assert(
      fc.property(someGroups, fc.nat(), fc.integer({ min: 1, max: 255 }), fc.boolean(), (groups, place, mask, cut) => {
        const parts = groups.map((writes, number) => groupOf(writes, { generation: 7, number }));
        const file = Buffer.concat(parts);
        if (file.length === 0) return;
        const at = place % file.length;
        let whole = 0;
        for (let end = 0; whole < parts.length; whole += 1) {
          end += (parts[whole] as Buffer).length;
          if (at < end) break;
        }
        const harmed = cut ? file.subarray(0, at) : Buffer.from(file);
        if (!cut) harmed[at] = (harmed[at] as number) ^ mask;
        expect(readLog(harmed)?.groups ?? []).toEqual(groups.slice(0, whole));
      }),
    );
  });

  test('ends where an earlier life of the file begins to show', () => {
    const writes = [{ key: Buffer.from('key'), value: Buffer.from('value') }];
    const earlier = [0, 1, 2].map((number) => groupOf(writes, { generation: 3, number }));
    const later = groupOf([{ key: Buffer.from('key'), value: undefined }, ...writes], { generation: 5, number: 0 });
    const file = Buffer.concat(earlier);
    expect(
      readLog(Buffer.concat([groupOf(writes, { generation: 5, number: 0 }), file.subarray(later.length)])),
    ).toEqual({
      generation: 5,
      groups: [writes],
    });
    // Whole groups of the same size in the right place, and yet of another life.
    const same = Buffer.concat([groupOf(writes, { generation: 5, number: 0 }), ...earlier.slice(1)]);
    expect(readLog(same)).toEqual({ generation: 5, groups: [writes] });
  });

  test('that was never written is none', () => {
    expect(readLog(Buffer.alloc(0))).toBeUndefined();
    expect(readLog(Buffer.alloc(4096))).toBeUndefined();
  });
});
