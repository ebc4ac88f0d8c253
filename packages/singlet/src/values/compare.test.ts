import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttributeValue } from './attribute-value.ts';
import { attributeValuesEqual, compareScalars, containmentTest, prefixTest } from './compare.ts';

const base64 = (...bytes: number[]): string => Buffer.from(bytes).toString('base64');

/** One value of each type; those in one list look alike. */
const oneOfEach: readonly AttributeValue[] = [
  { S: '1' },
  { N: '1' },
  { B: 'MQ==' },
  { BOOL: true },
  { NULL: true },
  { L: [{ S: '1' }] },
  { M: { 0: { S: '1' } } },
  { SS: ['1'] },
  { NS: ['1'] },
  { BS: ['MQ=='] },
];

const name = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'toString', '');
const integer = fc.integer({ min: 0, max: 3 }).map(String);
const { value: anyValue } = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('', 'a', 'b').map((S): AttributeValue => ({ S })),
    integer.map((N): AttributeValue => ({ N })),
    fc.constantFrom('', 'AA==', '/w==').map((B): AttributeValue => ({ B })),
    fc.boolean().map((BOOL): AttributeValue => ({ BOOL })),
    fc.constant<AttributeValue>({ NULL: true }),
    fc.uniqueArray(integer, { minLength: 1, maxLength: 3 }).map((NS): AttributeValue => ({ NS })),
    fc.uniqueArray(integer, { minLength: 1, maxLength: 3 }).map((SS): AttributeValue => ({ SS })),
    fc.array(tie('value'), { maxLength: 3 }).map((L): AttributeValue => ({ L })),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }).map((M): AttributeValue => ({ M: { ...M } })),
  ),
}));

describe('attributeValuesEqual (DB-026)', () => {
  it('DB-026: values of different types are never equal', () => {
    for (const [i, a] of oneOfEach.entries()) {
      for (const [j, b] of oneOfEach.entries()) expect(attributeValuesEqual(a, structuredClone(b))).toBe(i === j);
    }
  });

  it.each<[AttributeValue, AttributeValue]>([
    [{ S: 'a' }, { S: 'A' }],
    [{ N: '1' }, { N: '-1' }],
    [{ B: 'AA==' }, { B: 'AQ==' }],
    [{ BOOL: true }, { BOOL: false }],
    [{ L: [{ N: '1' }, { N: '2' }] }, { L: [{ N: '2' }, { N: '1' }] }],
    [{ L: [{ N: '1' }] }, { L: [{ N: '1' }, { N: '1' }] }],
    [{ L: [] }, { M: {} }],
    [{ M: { a: { N: '1' } } }, { M: { a: { N: '2' } } }],
    [{ M: { a: { N: '1' } } }, { M: { b: { N: '1' } } }],
    [{ M: { a: { N: '1' } } }, { M: { a: { N: '1' }, b: { N: '1' } } }],
    [{ M: { toString: { N: '1' } } }, { M: { a: { N: '1' } } }],
    [{ SS: ['a', 'b'] }, { SS: ['a', 'c'] }],
    [{ SS: ['a', 'b'] }, { SS: ['a'] }],
    [{ NS: ['1'] }, { NS: ['2'] }],
    [{ BS: ['AA=='] }, { BS: ['AQ=='] }],
  ])('DB-026: %j differs from %j', (a, b) => {
    expect(attributeValuesEqual(a, b)).toBe(false);
    expect(attributeValuesEqual(b, a)).toBe(false);
  });

  it('DB-034: sets are equal in any order, small and large', () => {
    const many = Array.from({ length: 100 }, (_, index) => String(index));
    expect(attributeValuesEqual({ SS: ['a', 'b', 'c'] }, { SS: ['c', 'a', 'b'] })).toBe(true);
    expect(attributeValuesEqual({ NS: many }, { NS: many.toReversed() })).toBe(true);
    expect(attributeValuesEqual({ NS: many }, { NS: [...many.slice(1), '100'] })).toBe(false);
    expect(attributeValuesEqual({ BS: ['AA==', '/w=='] }, { BS: ['/w==', 'AA=='] })).toBe(true);
  });

  it('DB-033: maps are equal in any order, with names of any kind', () => {
    const a = JSON.parse('{"M":{"__proto__":{"N":"1"},"constructor":{"S":"x"}}}') as AttributeValue;
    const b = JSON.parse('{"M":{"constructor":{"S":"x"},"__proto__":{"N":"1"}}}') as AttributeValue;
    const c = JSON.parse('{"M":{"constructor":{"S":"x"},"__proto__":{"N":"2"}}}') as AttributeValue;
    expect(attributeValuesEqual(a, b)).toBe(true);
    expect(attributeValuesEqual(a, c)).toBe(false);
    expect(attributeValuesEqual({ M: { constructor: { S: 'x' } } }, a)).toBe(false);
  });

  it('is an equivalence, and a copy is equal', () => {
    fc.assert(
      fc.property(anyValue, anyValue, anyValue, (a, b, c) => {
        expect(attributeValuesEqual(a, JSON.parse(JSON.stringify(a)) as AttributeValue)).toBe(true);
        expect(attributeValuesEqual(a, b)).toBe(attributeValuesEqual(b, a));
        if (attributeValuesEqual(a, b) && attributeValuesEqual(b, c)) expect(attributeValuesEqual(a, c)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('compareScalars (DB-051)', () => {
  const scalar = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4 }).map((S): AttributeValue => ({ S })),
    fc.integer().map((n): AttributeValue => ({ N: String(n) })),
    fc.uint8Array({ maxLength: 4 }).map((bytes): AttributeValue => ({ B: base64(...bytes) })),
  );

  it('DB-051: orders strings by UTF-8 bytes, numbers by value, binaries by unsigned bytes', () => {
    expect(compareScalars({ S: '10' }, { S: '2' })).toBeLessThan(0);
    expect(compareScalars({ N: '10' }, { N: '2' })).toBeGreaterThan(0);
    expect(compareScalars({ S: 'DeBrie' }, { S: 'Dean' })).toBeLessThan(0);
    expect(compareScalars({ S: '\u{1f600}' }, { S: '\uffff' })).toBeGreaterThan(0);
    expect(compareScalars({ B: base64(0x80) }, { B: base64(0x7f, 0xff) })).toBeGreaterThan(0);
    expect(compareScalars({ B: base64(1) }, { B: base64(1, 0) })).toBeLessThan(0);
  });

  it('DB-026: values of different or unordered types do not compare', () => {
    for (const [i, a] of oneOfEach.entries()) {
      for (const [j, b] of oneOfEach.entries()) expect(compareScalars(a, b)).toBe(i === j && i < 3 ? 0 : undefined);
    }
  });

  it('DB-051: is a total order on the values of one type, and 0 only for equal values', () => {
    fc.assert(
      fc.property(scalar, scalar, scalar, (a, b, c) => {
        const ab = compareScalars(a, b);
        if (ab === undefined) return;
        expect(Math.sign(compareScalars(b, a)!) + Math.sign(ab)).toBe(0);
        expect(ab === 0).toBe(attributeValuesEqual(a, b));
        const bc = compareScalars(b, c);
        if (bc !== undefined && ab <= 0 && bc <= 0) expect(compareScalars(a, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('prefixTest (DB-083)', () => {
  it.each<[AttributeValue, AttributeValue, boolean]>([
    [{ S: 'ORG#A' }, { S: 'ORG#' }, true],
    [{ S: 'ORG#A' }, { S: '' }, true],
    [{ S: 'ORG' }, { S: 'ORG#' }, false],
    [{ S: 'xORG#' }, { S: 'ORG#' }, false],
    [{ B: base64(1, 2, 3) }, { B: base64(1, 2) }, true],
    [{ B: base64(1, 2, 3) }, { B: base64(1, 2, 3) }, true],
    [{ B: base64(1, 2, 3) }, { B: '' }, true],
    [{ B: base64(1, 2) }, { B: base64(1, 2, 3) }, false],
    [{ B: base64(0x10, 0x2f) }, { B: base64(0x10, 0x20) }, false],
    [{ N: '12' }, { N: '1' }, false],
    [{ S: '12' }, { N: '1' }, false],
    [{ S: 'MQ==' }, { B: 'MQ==' }, false],
    [{ L: [{ S: 'a' }] }, { S: 'a' }, false],
  ])('DB-083: %j begins with %j: %s', (value, prefix, expected) => {
    expect(prefixTest(prefix)(value)).toBe(expected);
  });
});

describe('containmentTest (DB-027)', () => {
  it.each<[AttributeValue, AttributeValue, boolean]>([
    [{ S: 'Jeff Bezos' }, { S: 'f B' }, true],
    [{ S: 'Jeff Bezos' }, { S: 'JeffBezos' }, false],
    [{ S: 'abc' }, { S: '' }, true],
    [{ B: base64(1, 2, 3) }, { B: base64(2, 3) }, true],
    [{ B: base64(1, 2, 3) }, { B: base64(1, 3) }, false],
    [{ SS: ['Jeff Bezos', 'Andy Jassy'] }, { S: 'Andy Jassy' }, true],
    [{ SS: ['Jeff Bezos'] }, { S: 'Jeff' }, false],
    [{ NS: ['1', '2'] }, { N: '2' }, true],
    [{ NS: ['12'] }, { N: '2' }, false],
    [{ BS: ['AA=='] }, { B: 'AA==' }, true],
    [{ BS: ['AA=='] }, { B: 'AQ==' }, false],
    [{ SS: ['1'] }, { N: '1' }, false],
    [{ NS: ['1'] }, { S: '1' }, false],
    [{ SS: ['a'] }, { SS: ['a'] }, false],
    [{ L: [{ S: 'a' }, { N: '1' }] }, { N: '1' }, true],
    [{ L: [{ S: 'abc' }] }, { S: 'b' }, false],
    [{ L: [{ M: { a: { NS: ['1', '2'] } } }] }, { M: { a: { NS: ['2', '1'] } } }, true],
    [{ L: [{ L: [{ S: 'a' }] }] }, { S: 'a' }, false],
    [{ L: [{ NULL: true }] }, { NULL: true }, true],
    [{ N: '12' }, { N: '1' }, false],
    [{ M: { a: { S: 'a' } } }, { S: 'a' }, false],
    [{ BOOL: true }, { BOOL: true }, false],
  ])('DB-027: %j contains %j: %s', (container, operand, expected) => {
    expect(containmentTest(operand)(container)).toBe(expected);
  });
});
