import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StoreManifest } from '../../storage/store.ts';
import type { AttributeMap, AttributeValue } from '../../values/attribute-value.ts';
import { itemSizeBytes } from '../../values/item-size.ts';
import { attributeValuesEqual } from '../../values/compare.ts';
import { findItemText, type ItemText } from '../../values/item-text.ts';
import {
  areIntact,
  changeStoredItem,
  copyOfItem,
  copyStoredItem,
  decodeHeldItem,
  decodeStoredItem,
  encodeItem,
  encodeItemText,
  encodeStoredItem,
  itemKeeper,
  keepStoredItem,
  keepUnverified,
  storedItemUnder,
} from './item-codec.ts';
import { textHash } from './partition-hash.ts';
import { DamagedValueError } from './damaged-value.ts';
import { storeKey } from './spaces.ts';
import { sameItem, sharedEnds, type StoredItem } from './stored-item.ts';

const name = fc.oneof(
  fc.constantFrom('a', 'b', 'c', '', '__proto__', '1', '"', '\\', 'ä', '\ud83d\ude00', 'a\nb', 'a.b'),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc
    .array(fc.constantFrom('"', '\\', '{', '}', ',', 'x'.repeat(23), 'ü'), { maxLength: 6 })
    .map((parts) => parts.join('')),
);
const value: fc.Arbitrary<AttributeValue> = fc.oneof(
  fc.record({ S: text }),
  fc.record({ N: fc.integer().map(String) }),
  fc.record({ L: fc.array(fc.record({ S: text }), { maxLength: 3 }) }),
);

const key = storeKey(300, textHash('a'), Buffer.from('sort key'));
const otherKey = storeKey(300, textHash('a'), Buffer.from('sort kez'));

function stored(map: AttributeMap): StoredItem {
  return decodeStoredItem(key, encodeItem(map).storedUnder(key));
}

test('a change of attributes in the text is the same change of the item', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(name, value), { maxLength: 6 }),
      fc.array(fc.tuple(name, fc.option(value, { nil: undefined })), { maxLength: 5 }),
      (attributes, changes) => {
        const before = Object.fromEntries(attributes);
        const changed = new Map(changes);
        const after = changeStoredItem(stored(before), changed);

        const expected = new Map(Object.entries(before));
        for (const [changedName, to] of changed) {
          if (to === undefined) expected.delete(changedName);
          else expected.set(changedName, to);
        }
        const expectedMap = Object.fromEntries(expected);
        expect(after.toMap()).toEqual(expectedMap);
        expect(after.sizeBytes).toBe(itemSizeBytes(expectedMap));
        const decoded = decodeStoredItem(key, after.storedUnder(key));
        expect(decoded.toMap()).toEqual(expectedMap);
        expect(decoded.sizeBytes).toBe(after.sizeBytes);
        // Only single commas separate the members, so the text can be changed and spliced into answers again.
        expect(after.json.length).toBe(Buffer.byteLength(JSON.stringify(expectedMap)));
      },
    ),
    { numRuns: 1000 },
  );
});

test('what is not changed is copied as it is', () => {
  const item: AttributeMap = { pk: { S: 'a' }, large: { S: 'x"'.repeat(1000) }, n: { N: '1' }, last: { BOOL: true } };
  const changes = new Map<string, AttributeValue | undefined>([
    ['n', { N: '2' }],
    ['last', undefined],
    ['absent', undefined],
    ['new', { S: 'ü' }],
  ]);
  const after = changeStoredItem(stored(item), changes);
  expect(after.json.toString('utf8')).toBe(
    JSON.stringify({ pk: item['pk'], large: item['large'], n: { N: '2' }, new: { S: 'ü' } }),
  );
});

test('items of the same bytes are not the same for that', () => {
  expect(sameItem(stored({ a: { S: '12' }, b: { S: '3' } }), stored({ a: { S: '21' }, b: { S: '3' } }))).toBe(false);
  expect(sameItem(stored({ a: { S: '12' }, b: { S: '3' } }), stored({ b: { S: '12' }, a: { S: '3' } }))).toBe(false);
  expect(sameItem(stored({ a: { NS: ['1', '2'] } }), stored({ a: { NS: ['2', '1'] } }))).toBe(true);
});

test('items are the same when their values are, in whatever order their texts have them', () => {
  const attributes = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'é', '"'), smallValue), {
    selector: ([attributeName]) => attributeName,
  });
  fc.assert(
    fc.property(attributes, attributes, fc.nat(5), (left, right, turn) => {
      const [a, b] = [Object.fromEntries(left), Object.fromEntries(right)];
      expect(sameItem(stored(a), stored(b))).toBe(attributeValuesEqual({ M: a }, { M: b }));
      const turned = Object.fromEntries([...left.slice(turn), ...left.slice(0, turn)]);
      expect(sameItem(stored(a), stored(turned))).toBe(true);
      expect(encodeStoredItem(stored(a)).storedUnder(key)).toEqual(encodeItem(a).storedUnder(key));
    }),
    { numRuns: 1000 },
  );
});

const smallValue: fc.Arbitrary<AttributeValue> = fc.oneof(
  fc.record({ S: fc.constantFrom('x', 'y', '{"') }),
  fc.record({ N: fc.constantFrom('1', '2') }),
  fc.constantFrom<AttributeValue>({ SS: ['x', 'y'] }, { SS: ['y', 'x'] }, { SS: ['y', 'z'] }, { M: { a: { S: 'x' } } }),
);

test('an item of a text is stored as if it had been parsed, on memory of its own', () => {
  const map: AttributeMap = { pk: { S: 'ä' }, tags: { SS: ['x', 'y'] } };
  const bytes = Buffer.from(`xx${JSON.stringify(map)}yy`);
  const found = findItemText(bytes, 2);
  const item = encodeItemText(found as ItemText);
  bytes.fill(0);
  expect(item.storedUnder(key)).toEqual(encodeItem(map).storedUnder(key));
  expect(item.sizeBytes).toBe(itemSizeBytes(map));
  expect(item.toMap()).toEqual(map);
});

test('what two texts share at their ends is all of it, and never counted twice', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
  const long = fc.tuple(letters, fc.nat(900)).map(([end, count]) => 'c'.repeat(count) + end);
  fc.assert(
    fc.property(fc.oneof(letters, long), fc.oneof(letters, long), fc.nat(900), (left, right, tail) => {
      const [a, b] = [left, right].map((part) => Buffer.from(part + 'd'.repeat(tail))) as [Buffer, Buffer];
      const { start, end } = sharedEnds(a, b);
      const shorter = Math.min(a.length, b.length);
      expect(a.subarray(0, start)).toEqual(b.subarray(0, start));
      expect(a.subarray(a.length - end)).toEqual(b.subarray(b.length - end));
      expect(start + end).toBeLessThanOrEqual(shorter);
      if (start < shorter) expect(a[start]).not.toBe(b[start]);
      if (start + end < shorter) expect(a[a.length - 1 - end]).not.toBe(b[b.length - 1 - end]);
    }),
  );
});

test('an item with any bit changed is refused, and under any other key', () => {
  const value = encodeItem({ pk: { S: 'a' }, n: { N: '12' } }).storedUnder(key);
  for (let bit = 0; bit < value.length * 8; bit += 1) {
    const damaged = Buffer.from(value);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(() => decodeStoredItem(key, damaged), `bit ${bit}`).toThrow(DamagedValueError);
    expect(() => copyStoredItem(key, damaged), `bit ${bit}`).toThrow(DamagedValueError);
  }
  for (let length = 0; length < value.length; length += 1) {
    expect(() => decodeStoredItem(key, value.subarray(0, length)), `${length} bytes`).toThrow(DamagedValueError);
  }
  expect(() => decodeStoredItem(otherKey, value)).toThrow(DamagedValueError);
});

test.each([false, true])(
  'an item in memory is read without being verified, and is the same; in its form for memory: %s',
  (isForMemory) => {
    fc.assert(
      fc.property(fc.dictionary(name, value), (map) => {
        const item = encodeItem(map);
        if (isForMemory) item.storeInMemory();
        const stored = item.storedUnder(key);
        const [held, checked] = [decodeHeldItem(key, stored), decodeStoredItem(key, stored)];
        expect(held.sizeBytes).toBe(checked.sizeBytes);
        expect(held.json).toEqual(checked.json);
        expect(held.checksum).toBe(checked.checksum);
        expect(encodeStoredItem(held).storedUnder(otherKey)).toEqual(encodeItem(map).storedUnder(otherKey));
        const memory = { manifest: { readsOwnMemory: true } as StoreManifest };
        expect(itemKeeper(memory)(held).json).toEqual(copyOfItem(held).json);
      }),
    );
    expect(() => decodeHeldItem(key, Buffer.from([9, 1, 2, 3]))).toThrow(DamagedValueError);
  },
);

test('in its form for memory, an item has one value under all keys, and a changed text is refused', () => {
  const item = encodeItem({ pk: { S: 'a' }, n: { N: '12' } });
  const checked = Buffer.from(item.storedUnder(key));
  item.storeInMemory();
  const value = item.storedUnder(key);
  expect(item.storedUnder(otherKey)).toBe(value);
  expect(decodeStoredItem(otherKey, value).json).toEqual(decodeStoredItem(key, checked).json);
  for (let at = 5; at < value.length; at += 1) {
    const damaged = Buffer.from(value);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    expect(() => decodeStoredItem(key, damaged), `byte ${at}`).toThrow(DamagedValueError);
  }
});

test('an item that was stored before there were checksums is read, and becomes one with a checksum', () => {
  const map: AttributeMap = { pk: { S: 'a' }, n: { N: '12' } };
  const text = JSON.stringify(map);
  const value = Buffer.concat([Buffer.of(1, 0, 0, 0, itemSizeBytes(map)), Buffer.from(text)]);
  const item = decodeStoredItem(key, value);
  expect(item.toMap()).toEqual(map);
  expect(item.sizeBytes).toBe(itemSizeBytes(map));
  expect(encodeStoredItem(item).storedUnder(key)).toEqual(encodeItem(map).storedUnder(key));
  expect(() => decodeStoredItem(key, value.subarray(0, value.length - 2))).toThrow(DamagedValueError);
});

test('what was stored under one key does not change when the item is stored under another', () => {
  const item = encodeItem({ pk: { S: 'a' } });
  const first = item.storedUnder(key);
  const asItWas = Buffer.from(first);
  const second = item.storedUnder(otherKey);
  expect(first).toEqual(asItWas);
  expect(item.storedUnder(key)).toEqual(asItWas);
  expect(decodeStoredItem(otherKey, second).toMap()).toEqual({ pk: { S: 'a' } });
  expect(storedItemUnder(decodeStoredItem(key, first), otherKey)).toEqual(second);
});

test('items that are kept have commas between them, whatever their lengths', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 30_000 }), { minLength: 1, maxLength: 12 }), (texts) => {
      const maps = texts.map((S): AttributeMap => ({ pk: { S } }));
      const kept = maps.map((map) => keepStoredItem(stored(map)));
      expect(kept.map((item) => item.toMap())).toEqual(maps);
      for (const [at, item] of kept.entries()) {
        const before = kept[at - 1];
        if (before?.bytes === item.bytes && before.end + 1 === item.start) expect(item.bytes[before.end]).toBe(0x2c);
      }
    }),
    { numRuns: 50 },
  );
});

test('items that are kept before they are verified are those that are kept afterwards', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 30_000 }), { minLength: 1, maxLength: 12 }), (texts) => {
      const maps = texts.map((S): AttributeMap => ({ pk: { S } }));
      const values = maps.map((map) => encodeItem(map).storedUnder(key));
      const kept = values.map((each) => keepUnverified(key, each));
      const verified = values.map((each) => keepStoredItem(decodeStoredItem(key, each)));
      const asRead = ({ json, sizeBytes, checksum }: StoredItem): unknown => [json.toString(), sizeBytes, checksum];
      expect(kept.map(asRead)).toEqual(verified.map(asRead));
      expect(areIntact(kept)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('a value that is not an item is refused', () => {
  const value = encodeItem({ pk: { S: 'a' } }).storedUnder(key);
  for (const length of [0, 1, 5, 8, 9]) {
    expect(() => keepUnverified(key, value.subarray(0, length)), String(length)).toThrow(DamagedValueError);
  }
  expect(areIntact([keepUnverified(key, value.subarray(0, -1))])).toBe(false);
  expect(areIntact([keepUnverified(otherKey, value)])).toBe(false);
});
