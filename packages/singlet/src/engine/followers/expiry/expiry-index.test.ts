import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttributeValue } from '../../../values/attribute-value.ts';
import { canonicalizeNumber } from '../../../values/decimal.ts';
import { encodeItem } from '../../layout/item-codec.ts';
import { hashBytes, storeKey } from '../../layout/spaces.ts';
import {
  expiryBucketCount,
  expiryChanges,
  expiryEntry,
  expiryRange,
  expirySecondsOf,
  itemKeyOfExpiryEntry,
} from './expiry-index.ts';

const index = { space: 300, attributeName: 'expires', complete: true };
const itemSpace = 299;

const itemKey = fc
  .tuple(fc.uint8Array({ minLength: hashBytes, maxLength: hashBytes }), fc.uint8Array({ maxLength: 40 }))
  .map(([hash, sort]) => storeKey(itemSpace, hash, sort));
const seconds = fc.nat({ max: 10_000_000_000 });

describe('DB-258 the time at which an item expires', () => {
  test.each<[string, AttributeValue | undefined, number | undefined]>([
    ['a number of seconds', { N: '1581177334' }, 1_581_177_334],
    ['with a fraction', { N: '1581177334.999' }, 1_581_177_334],
    ['less than a second after 1970', { N: '0.25' }, 0],
    ['1970', { N: '0' }, 0],
    ['milliseconds, in the year 52075', { N: '1581177334000' }, 1_581_177_334_000],
    ['before 1970', { N: '-1' }, undefined],
    ['never', { N: canonicalizeNumber('1e16') }, undefined],
    ['DB-259 no attribute', undefined, undefined],
    ['DB-259 a text', { S: '1581177334' }, undefined],
    ['DB-259 a set of numbers', { NS: ['1581177334'] }, undefined],
    ['DB-259 a number inside', { M: { N: { N: '1581177334' } } }, undefined],
    ['DB-259 a number in a list', { L: [{ N: '1581177334' }] }, undefined],
    ['DB-259 a truth', { BOOL: true }, undefined],
    ['DB-259 a binary', { B: 'MTU4MTE3NzMzNA==' }, undefined],
  ])('%s', (_what, value, expected) => {
    expect(expirySecondsOf(value)).toBe(expected);
  });

  test('is before a second if and only if its whole seconds are', () => {
    fc.assert(
      fc.property(seconds, fc.nat(999), seconds, (whole, thousandths, now) => {
        const value = { N: canonicalizeNumber(`${whole}.${String(thousandths).padStart(3, '0')}`) };
        expect(expirySecondsOf(value)! < now).toBe(Number(value.N) < now);
      }),
    );
  });
});

describe('DB-258 an entry', () => {
  test('leads to its item', () => {
    fc.assert(
      fc.property(itemKey, seconds, (key, at) => {
        expect(itemKeyOfExpiryEntry(expiryEntry(index, at, key).key, itemSpace)).toEqual(key);
      }),
    );
  });

  test('is in one bucket, in the range of times that it belongs to', () => {
    fc.assert(
      fc.property(itemKey, seconds, seconds, fc.integer({ min: -1000, max: 10_000_000_000 }), (key, at, to, from) => {
        const entry = Buffer.from(expiryEntry(index, at, key).key);
        const ranges = Array.from({ length: expiryBucketCount }, (_, bucket) =>
          expiryRange(index, bucket, { fromSeconds: from, toSeconds: to }),
        );
        const holding = ranges.filter((range) => entry.compare(range.from) >= 0 && entry.compare(range.to) < 0);
        expect(holding).toHaveLength(at >= from && at < to ? 1 : 0);
      }),
    );
  });
});

describe('DB-258 a change of an item', () => {
  const key = storeKey(itemSpace, new Uint8Array(hashBytes).fill(0xab), Buffer.from('sort'));
  const item = (expires: AttributeValue | undefined) =>
    encodeItem({ pk: { S: 'x' }, ...(expires !== undefined && { expires }) });
  const changes = (before: AttributeValue | 'absent' | undefined, after: AttributeValue | 'absent' | undefined) =>
    expiryChanges(
      index,
      key,
      before === 'absent' ? undefined : item(before),
      after === 'absent' ? undefined : item(after),
    );
  const entered = (at: number) => expiryEntry(index, at, key);
  const removed = (at: number) => ({ key: entered(at).key, value: undefined });

  test('enters what is to expire', () => {
    expect(changes('absent', { N: '5' })).toEqual([entered(5)]);
    expect(changes(undefined, { N: '5' })).toEqual([entered(5)]);
    expect(changes({ S: '5' }, { N: '5' })).toEqual([entered(5)]);
  });

  test('removes what is not', () => {
    expect(changes({ N: '5' }, 'absent')).toEqual([removed(5)]);
    expect(changes({ N: '5' }, undefined)).toEqual([removed(5)]);
    expect(changes({ N: '5' }, { S: '5' })).toEqual([removed(5)]);
  });

  test('moves what is to expire at another time', () => {
    expect(changes({ N: '5' }, { N: '6' })).toEqual([removed(5), entered(6)]);
  });

  test('writes nothing where nothing changes', () => {
    expect(changes({ N: '5' }, { N: '5.5' })).toEqual([]);
    expect(changes(undefined, 'absent')).toEqual([]);
    expect(changes('absent', { S: '5' })).toEqual([]);
  });
});
