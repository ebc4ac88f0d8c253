import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StorageError } from '../../storage/storage-error.ts';
import { StoredItem } from '../items/stored-item.ts';
import { createdAtMsOf, decodeChangeRecord, encodeChangeRecord } from './change-record.ts';

const item = fc
  .tuple(fc.dictionary(fc.string({ minLength: 1 }), fc.string()), fc.nat())
  .map(([texts, size]) => new StoredItem(Buffer.from(JSON.stringify(texts)), size));
/** Often one with little changed in it. */
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

  test('hold of the new image only what is its own', () => {
    const image = (version: number): StoredItem =>
      new StoredItem(Buffer.from(JSON.stringify({ pk: 'a', version, note: 'x'.repeat(1000) })), 1000);
    const keys = new StoredItem(Buffer.from('{"pk":"a"}'), 3);
    const written = { eventName: 'MODIFY' as const, byService: false, createdAtMs: 1, keys };
    const value = encodeChangeRecord({ ...written, oldImage: image(7), newImage: image(8) });
    expect(value.length).toBeLessThan(image(7).json.length + 100);
    expect(decodeChangeRecord(value).newImage?.json.toString()).toBe(image(8).json.toString());
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
    expect(plain(decodeChangeRecord(Buffer.concat([head, Buffer.from(texts.join(''))])))).toEqual([
      'MODIFY',
      false,
      12,
      texts.map((text, index) => [text, index + 1]),
    ]);
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
