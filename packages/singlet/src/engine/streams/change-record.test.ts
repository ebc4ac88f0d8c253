import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StorageError } from '../../storage/storage-error.ts';
import { StoredItem } from '../items/stored-item.ts';
import { createdAtMsOf, decodeChangeRecord, encodeChangeRecord } from './change-record.ts';

const item = fc
  .tuple(fc.dictionary(fc.string({ minLength: 1 }), fc.string()), fc.nat())
  .map(([texts, size]) => new StoredItem(Buffer.from(JSON.stringify(texts)), size));
const record = fc.record({
  eventName: fc.constantFrom('INSERT' as const, 'MODIFY' as const, 'REMOVE' as const),
  byService: fc.boolean(),
  createdAtMs: fc.maxSafeNat(),
  keys: item,
  oldImage: fc.option(item, { nil: undefined }),
  newImage: fc.option(item, { nil: undefined }),
});

describe('stored change records', () => {
  test('are read as they were written, on memory of their own', () => {
    fc.assert(
      fc.property(record, (written) => {
        const value = encodeChangeRecord(written);
        const read = decodeChangeRecord(value);
        expect(createdAtMsOf(value)).toBe(written.createdAtMs);
        value.fill(0xdb);
        expect(plain(read)).toEqual(plain(written));
      }),
    );
  });

  test('of another version are refused', () => {
    const value = Buffer.from([9, 0, 0]);
    expect(() => decodeChangeRecord(value)).toThrow(StorageError);
    expect(() => createdAtMsOf(value)).toThrow(StorageError);
  });
});

function plain(of: Parameters<typeof encodeChangeRecord>[0]): unknown {
  const texts = [of.keys, of.oldImage, of.newImage].map((part) => part && [part.json.toString(), part.sizeBytes]);
  return [of.eventName, of.byService, of.createdAtMs, texts];
}
