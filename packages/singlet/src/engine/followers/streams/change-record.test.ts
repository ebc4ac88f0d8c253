import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StorageError } from '../../../storage/storage-error.ts';
import { StoredItem } from '../../layout/stored-item.ts';
import { DamagedValueError } from '../../layout/damaged-value.ts';
import { recordKey, shardPrefix } from './shard-keys.ts';
import { createdAtMsOf, decodeChangeRecord, encodeChangeRecord } from './change-record.ts';

const item = fc
  .tuple(fc.dictionary(fc.string({ minLength: 1 }), fc.string()), fc.nat())
  .map(([texts, size]) => new StoredItem(Buffer.from(JSON.stringify(texts)), size));
/** Often an image that differs little from the other. */
const images = fc.oneof(
  fc.tuple(fc.option(item, { nil: undefined }), fc.option(item, { nil: undefined })),
  fc.tuple(item, fc.nat(), fc.nat(5), fc.string({ maxLength: 5 })).map(([old, at, removed, added]) => {
    const text = old.json.toString('latin1');
    const place = at % text.length;
    const changed = text.slice(0, place) + added + text.slice(place + removed);
    return [old, new StoredItem(Buffer.from(changed || '{}', 'latin1'), 7)] as const;
  }),
);
const record = fc
  .record({
    eventName: fc.constantFrom('INSERT' as const, 'MODIFY' as const, 'REMOVE' as const),
    byService: fc.boolean(),
    createdAtMs: fc.maxSafeNat(),
    keys: item,
    images,
  })
  .map(({ images: [oldImage, newImage], ...rest }) => ({ ...rest, oldImage, newImage }));

const key = recordKey(shardPrefix(300, { number: 1, hashFrom: 0 }), 7);

describe('stored change records', () => {
  test('are read as they were written, on memory of their own', () => {
    fc.assert(
      fc.property(record, (written) => {
        const value = encodeChangeRecord(key, written);
        const read = decodeChangeRecord(key, value);
        expect(createdAtMsOf(key, value)).toBe(written.createdAtMs);
        value.fill(0xdb);
        expect(plain(read)).toEqual(plain(written));
      }),
    );
  });

  test('hold of the new image only what is its own', () => {
    const image = (version: number): StoredItem =>
      new StoredItem(Buffer.from(JSON.stringify({ pk: 'a', version, note: 'x'.repeat(1000) })), 1000);
    const keys = new StoredItem(Buffer.from('{"pk":"a"}'), 3);
    const written = { eventName: 'MODIFY' as const, byService: false, createdAtMs: 1, keys };
    const value = encodeChangeRecord(key, { ...written, oldImage: image(7), newImage: image(8) });
    expect(value.length).toBeLessThan(image(7).json.length + 100);
    expect(decodeChangeRecord(key, value).newImage?.json.toString()).toBe(image(8).json.toString());
  });

  test('with both images whole, as they once were written, are read', () => {
    const texts = ['{"pk":"a"}', '{"pk":"a","n":1}', '{"pk":"a","n":22}'];
    const head = Buffer.alloc(35);
    head[0] = 1;
    head[1] = 1;
    head.writeDoubleBE(12, 3);
    for (const [index, text] of texts.entries()) {
      head.writeUInt32BE(index + 1, 11 + 8 * index);
      head.writeUInt32BE(text.length, 15 + 8 * index);
    }
    expect(plain(decodeChangeRecord(key, Buffer.concat([head, Buffer.from(texts.join(''))])))).toEqual([
      'MODIFY',
      false,
      12,
      texts.map((text, index) => [text, index + 1]),
    ]);
  });

  test('with any bit changed are refused, or under another key', () => {
    fc.assert(
      fc.property(record, fc.nat(), (written, at) => {
        const value = encodeChangeRecord(key, written);
        const bit = at % (value.length * 8);
        value[bit >> 3] = (value[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(() => decodeChangeRecord(key, value)).toThrow(DamagedValueError);
        expect(() => createdAtMsOf(key, value)).toThrow(DamagedValueError);
        value[bit >> 3] = (value[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const other = recordKey(shardPrefix(300, { number: 1, hashFrom: 0 }), 8);
        expect(() => decodeChangeRecord(other, value)).toThrow(DamagedValueError);
      }),
    );
  });

  test('of another version are refused', () => {
    const value = Buffer.from([9, 0, 0]);
    expect(() => decodeChangeRecord(key, value)).toThrow(StorageError);
    expect(() => createdAtMsOf(key, value)).toThrow(StorageError);
  });
});

function plain(of: Parameters<typeof encodeChangeRecord>[1]): unknown {
  const texts = [of.keys, of.oldImage, of.newImage].map((part) => part && [part.json.toString(), part.sizeBytes]);
  return [of.eventName, of.byService, of.createdAtMs, texts];
}
