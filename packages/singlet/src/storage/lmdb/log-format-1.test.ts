import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { crc32 } from 'node:zlib';
import { type FormatOneLog, readFormatOneLog } from './log-format-1.ts';
import { entryHeadBytes, type LoggedWrite, writeEntry } from './write-ahead-log-format.ts';

const groupHeadBytes = 24;

/** As written by releases that knew only format 1. */
function writeGroupHead(group: Buffer, { generation, number }: { generation: number; number: number }): void {
  group.writeUInt32LE(0x4c_67_6c_53, 0);
  group.writeBigUInt64LE(BigInt(generation), 4);
  group.writeUInt32LE(number, 12);
  group.writeUInt32LE(group.length - groupHeadBytes, 16);
  group.writeUInt32LE(crc32(group.subarray(groupHeadBytes), crc32(group.subarray(4, 20))), 20);
}

function readLog(file: Buffer): Pick<FormatOneLog, 'generation' | 'groups'> | undefined {
  const found = readFormatOneLog(file);
  return found && { generation: found.generation, groups: found.groups };
}

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

describe('a log of format 1', () => {
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
    // Whole groups of the same size in the correct place, but of another era.
    const same = Buffer.concat([groupOf(writes, { generation: 5, number: 0 }), ...earlier.slice(1)]);
    expect(readLog(same)).toEqual({ generation: 5, groups: [writes] });
  });

  test('that was never written is none', () => {
    expect(readLog(Buffer.alloc(0))).toBeUndefined();
    expect(readLog(Buffer.alloc(4096))).toBeUndefined();
  });

  test('says so when a group proves that it did not end where it seems to', () => {
    const writes = [{ key: Buffer.from('key'), value: Buffer.from('value') }];
    const parts = [0, 1, 2, 3, 4].map((number) => groupOf(writes, { generation: 7, number }));
    const whole = Buffer.concat(parts);
    const size = (parts[0] as Buffer).length;
    const withDamageIn = (group: number): FormatOneLog | undefined => {
      const harmed = Buffer.from(whole);
      harmed[group * size + 30] = (harmed[group * size + 30] as number) ^ 1;
      return readFormatOneLog(harmed);
    };
    expect(readFormatOneLog(whole)?.behind).toEqual({ groups: 0, writes: 0 });
    expect(withDamageIn(2)).toMatchObject({ endOffset: 2 * size, behind: { groups: 2, writes: 2 } });
    // The last two may have been in flight at the same time.
    expect(withDamageIn(3)?.behind).toEqual({ groups: 0, writes: 0 });
    expect(withDamageIn(4)?.behind).toEqual({ groups: 0, writes: 0 });
  });
});
