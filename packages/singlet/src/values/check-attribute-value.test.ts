import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttributeValue, UncheckedAttributeMap, UncheckedAttributeValue } from './attribute-value.ts';
import { checkAttributeMap, checkAttributeValue, checkExpressionValue } from './check-attribute-value.ts';
import { MalformedValueException, ValidationException } from './service-error.ts';
import type { ValueCheckLayer } from './value-check-layer.ts';

const invalid = 'One or more parameter values were invalid: ';
const empty = 'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes';
const several =
  'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes';
const nesting =
  'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit';
const notNumeric = 'The parameter cannot be converted to a numeric value';
const emptyName = 'Empty attribute name';
const longName = 'Attribute name is too large, must be less than 65536 bytes';

/** Text off the wire: the only way to own properties of any name. */
const wire = (json: string): UncheckedAttributeValue => JSON.parse(json) as UncheckedAttributeValue;
const wireMap = (json: string): UncheckedAttributeMap => JSON.parse(json) as UncheckedAttributeMap;

function refusal(check: () => unknown): string {
  try {
    check();
  } catch (error) {
    expect(error).toBeInstanceOf(ValidationException);
    return (error as Error).message;
  }
  return '(accepted)';
}

const refusalOf = (value: UncheckedAttributeValue, layer: ValueCheckLayer = 'older'): string =>
  refusal(() => checkAttributeValue(value, layer));

/** `wraps` maps around a leaf: the leaf is at level `wraps` + 1. */
function nested(wraps: number, leaf: UncheckedAttributeValue = { S: 'leaf' }): UncheckedAttributeValue {
  let value = leaf;
  for (let level = 0; level < wraps; level += 1) value = level % 2 === 0 ? { M: { n: value } } : { L: [value] };
  return value;
}

describe('checkAttributeValue', () => {
  it.each<AttributeValue>([
    { S: '' },
    { S: 'x' },
    { N: '-12.5' },
    { B: '' },
    { B: 'AQI=' },
    { BOOL: false },
    { NULL: true },
    { L: [] },
    { L: [{ S: 'a' }, { N: '1' }, { M: {} }] },
    { M: {} },
    { M: { a: { SS: ['', 'x'] } } },
    { SS: ['a', 'b'] },
    { NS: ['1', '2', '10'] },
    { BS: ['', 'AA=='] },
  ])('DB-024: accepts %j and gives the same object back', (value) => {
    expect(checkAttributeValue(value)).toBe(value);
    expect(checkAttributeValue(value, 'current')).toBe(value);
  });

  it.each<[UncheckedAttributeValue, AttributeValue]>([
    [{ N: '3.140' }, { N: '3.14' }],
    [{ NS: ['1e2', '200'] }, { NS: ['100', '200'] }],
    [{ B: 'AB==' }, { B: 'AA==' }],
    [{ BS: ['AB==', '/w=='] }, { BS: ['AA==', '/w=='] }],
    [{ L: [{ S: 'a' }, { N: '1.0' }] }, { L: [{ S: 'a' }, { N: '1' }] }],
    [{ M: { a: { S: 'a' }, b: { L: [{ N: '+1' }] } } }, { M: { a: { S: 'a' }, b: { L: [{ N: '1' }] } } }],
  ])('DB-029, DB-030: puts %j into canonical form', (value, checked) => {
    const before = structuredClone(value);
    expect(checkAttributeValue(value)).toEqual(checked);
    expect(value).toEqual(before);
  });

  it.each<[UncheckedAttributeValue, AttributeValue]>([
    [{ SS: ['b', '', '\u{1d11e}', '\u{ff66}', 'a', 'B'] }, { SS: ['', 'B', 'a', 'b', '\u{ff66}', '\u{1d11e}'] }],
    [{ NS: ['10', '9', '-1', '1.5', '1e-3', '-20'] }, { NS: ['-20', '-1', '0.001', '1.5', '9', '10'] }],
    [{ BS: ['/w==', '', 'AA==', 'AAA=', 'gA=='] }, { BS: ['', 'AA==', 'AAA=', 'gA==', '/w=='] }],
  ])('DB-034: puts the set %j into the order in which it is answered', (value, checked) => {
    const before = structuredClone(value);
    expect(checkAttributeValue(value)).toEqual(checked);
    expect(checkAttributeMap({ m: { L: [value] } })).toEqual({ m: { L: [checked] } });
    expect(value).toEqual(before);
  });

  it('copies only what contains a change', () => {
    const kept = { M: { x: { S: 'x' } } };
    const map = { a: kept, b: { M: { n: { N: '1.0' }, k: kept } } };
    const checked = checkAttributeMap(map);
    expect(checked['a']).toBe(kept);
    expect((checked['b'] as { M: UncheckedAttributeMap }).M['k']).toBe(kept);
    expect(checked['b']).toEqual({ M: { n: { N: '1' }, k: kept } });
  });

  it('DB-023: keeps names such as __proto__ when it copies', () => {
    const json = '{"a":{"N":"1.0"},"__proto__":{"M":{"__proto__":{"N":"2.0"},"constructor":{"S":"c"}}}}';
    const checked = checkAttributeMap(wireMap(json));
    expect(JSON.stringify(checked)).toBe(json.replace('1.0', '1').replace('2.0', '2'));
    expect(Object.getPrototypeOf(checked)).toBe(Object.prototype);
  });

  it.each(['{}', '{"X":"1"}', '{"S":null}', '{"toString":{"S":"x"}}', '{"__proto__":{"S":"x"}}', '{"s":"lower"}'])(
    'DB-025: refuses %s, which has no tag',
    (json) => {
      expect(refusalOf(wire(json))).toBe(empty);
      expect(refusalOf({ L: [wire(json)] })).toBe(empty);
    },
  );

  it.each([{}, { S: 'a', N: '1' }])('DB-025: tells %j, which is not a value at all, from a bad value', (value) => {
    expect(() => checkAttributeMap({ a: { L: [value] } })).toThrow(MalformedValueException);
    expect(() => checkAttributeMap({ a: { N: 'x' } })).not.toThrow(MalformedValueException);
  });

  it('DB-025: members that the service does not know, or that are null, do not count', () => {
    expect(checkAttributeValue(wire('{"S":"x","X":"1"}'))).toEqual({ S: 'x' });
    expect(checkAttributeValue(wire('{"X":"1","N":"1.0"}'))).toEqual({ N: '1' });
    expect(checkAttributeValue(wire('{"S":"x","N":null}'))).toEqual({ S: 'x' });
  });

  it('DB-025: refuses two tags, after the contents of each', () => {
    expect(refusalOf({ S: 'a', N: '1' })).toBe(several);
    expect(refusalOf({ S: '1', NULL: true })).toBe(several);
    expect(refusalOf({ S: 'a', N: 'abc' })).toBe(`${notNumeric}: abc`);
    expect(refusalOf({ SS: [], N: 'abc' })).toBe(`${notNumeric}: abc`);
    expect(refusalOf({ NULL: false, SS: [] })).toBe(`${invalid}Null attribute value types must have the value of true`);
    expect(refusalOf({ L: [{}], S: 'a' })).toBe(empty);
  });

  it('DB-031: refuses a NULL that is false', () => {
    expect(refusalOf({ NULL: false })).toBe(`${invalid}Null attribute value types must have the value of true`);
  });

  it.each<[UncheckedAttributeValue, string]>([
    [{ SS: [] }, `${invalid}An string set  may not be empty`],
    [{ NS: [] }, `${invalid}An number set  may not be empty`],
    [{ BS: [] }, `${invalid}Binary sets should not be empty`],
  ])('DB-035, DB-248: refuses the empty set %j', (value, message) => {
    expect(refusalOf(value)).toBe(message);
    expect(refusalOf(value, 'current')).toBe(message);
    expect(refusalOf({ M: { deep: { L: [value] } } })).toBe(message);
  });

  // As recorded: in the current layer those before the first repetition come in byte order.
  it.each<[UncheckedAttributeValue, string, string]>([
    [
      { SS: ['a', 'a'] },
      `${invalid}Input collection [a, a] contains duplicates.`,
      `${invalid}Input collection ["a", "a"] contains duplicates.`,
    ],
    [
      { SS: ['b', 'a', 'b'] },
      `${invalid}Input collection [b, a, b] contains duplicates.`,
      `${invalid}Input collection ["a", "b", "b"] contains duplicates.`,
    ],
    [
      { SS: ['d', 'b', 'd', 'c', 'a'] },
      `${invalid}Input collection [d, b, d, c, a] contains duplicates.`,
      `${invalid}Input collection ["b", "d", "d", "c", "a"] contains duplicates.`,
    ],
    [
      { BS: ['/w==', 'AA==', 'AA=='] },
      `${invalid}Input collection [/w==, AA==, AA==]of type BS contains duplicates.`,
      `${invalid}Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.`,
    ],
    [
      { NS: ['2', '1', '2'] },
      'Input collection contains duplicates',
      `${invalid}Input collection contains duplicates.`,
    ],
    [{ NS: ['1', '1.0'] }, 'Input collection contains duplicates', `${invalid}Input collection contains duplicates.`],
    [
      { SS: ['', ''] },
      `${invalid}Input collection [, ] contains duplicates.`,
      `${invalid}Input collection ["", ""] contains duplicates.`,
    ],
  ])('DB-035: refuses the duplicates of %j', (value, older, current) => {
    expect(refusalOf(value, 'older')).toBe(older);
    expect(refusalOf(value, 'current')).toBe(current);
  });

  it('DB-035: sees a number that cannot be read before a duplicate', () => {
    expect(refusalOf({ NS: ['1', 'b', 'a'] })).toBe(`${notNumeric}: b`);
    expect(refusalOf({ NS: ['1', '1', 'x'] })).toBe(`${notNumeric}: x`);
    expect(refusalOf({ NS: ['1', ''] })).toBe(notNumeric);
    expect(refusalOf({ NS: ['1', ''] }, 'current')).toBe(`${notNumeric}: `);
  });

  it('DB-029: hands the layer down to numbers at any depth', () => {
    const value = nested(20, { N: '1e2147483648' });
    expect(refusalOf(value, 'older')).toBe(`${notNumeric}: 1e2147483648`);
    expect(refusalOf(value, 'current')).toMatch(/^Number overflow/);
  });

  it('DB-036: accepts 32 levels and refuses 33', () => {
    expect(refusalOf(nested(31))).toBe('(accepted)');
    expect(refusalOf(nested(32))).toBe(nesting);
    expect(refusalOf(nested(31, { M: {} }))).toBe('(accepted)');
    expect(refusalOf(nested(31, { L: [{ S: 'leaf' }] }))).toBe(nesting);
    expect(refusal(() => checkAttributeMap({ pk: { S: 'k' }, deep: nested(31) }))).toBe('(accepted)');
    expect(refusal(() => checkAttributeMap({ pk: { S: 'k' }, deep: nested(32) }))).toBe(nesting);
  });

  it('DB-036: lets an expression value be one level deeper in the older layer', () => {
    const refusalIn = (wraps: number, layer: ValueCheckLayer): string =>
      refusal(() => checkExpressionValue(nested(wraps), layer));
    expect(refusalIn(31, 'current')).toBe('(accepted)');
    expect(refusalIn(32, 'current')).toBe(nesting);
    expect(refusalIn(32, 'older')).toBe('(accepted)');
    expect(refusalIn(33, 'older')).toBe(nesting);
  });

  it('DB-036: refuses deep nesting without recursing into it', () => {
    expect(refusalOf(nested(200_000))).toBe(nesting);
  });

  it('DB-036: reports depth and numbers in the order of the document', () => {
    const map = (first: UncheckedAttributeValue, second: UncheckedAttributeValue): UncheckedAttributeMap => ({
      a: first,
      b: second,
    });
    expect(refusal(() => checkAttributeMap(map(nested(40), { N: 'abc' })))).toBe(nesting);
    expect(refusal(() => checkAttributeMap(map({ N: 'abc' }, nested(40))))).toBe(`${notNumeric}: abc`);
    expect(refusalOf(nested(40, { N: 'abc' }))).toBe(nesting);
  });
});

describe('attribute names (DB-113)', () => {
  const named = (name: string): UncheckedAttributeMap => ({ [name]: { S: 'x' } });

  it('DB-113: accepts 65,535 bytes and refuses none and 65,536, at the top and in maps', () => {
    for (const wrap of [named, (name: string): UncheckedAttributeMap => ({ m: { L: [{ M: named(name) }] } })]) {
      expect(refusal(() => checkAttributeMap(wrap('n'.repeat(65_535))))).toBe('(accepted)');
      expect(refusal(() => checkAttributeMap(wrap('n'.repeat(65_536))))).toBe(longName);
      expect(refusal(() => checkAttributeMap(wrap('é'.repeat(32_767))))).toBe('(accepted)');
      expect(refusal(() => checkAttributeMap(wrap('é'.repeat(32_768))))).toBe(longName);
      expect(refusal(() => checkAttributeMap(wrap('')))).toBe(emptyName);
    }
    expect(refusalOf({ M: named('') })).toBe(emptyName);
  });

  it('DB-113: an empty name of the item is reported first, one in a map last', () => {
    expect(refusal(() => checkAttributeMap({ deep: nested(100), '': { S: 'x' } }))).toBe(emptyName);
    expect(refusal(() => checkAttributeMap({ n: { N: 'abc' }, '': { S: 'x' } }))).toBe(emptyName);
    expect(refusal(() => checkAttributeMap({ m: { M: named('') }, deep: nested(40) }))).toBe(nesting);
    expect(refusalOf({ L: [{ M: named('') }, {}] })).toBe(empty);
  });
});

describe('checking as a whole', () => {
  const { value: uncheckedValue } = fc.letrec<{ value: UncheckedAttributeValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.record({ S: fc.string() }),
      fc.record({ N: fc.oneof(fc.integer().map(String), fc.double().map(String), fc.constant('1.50')) }),
      fc.record({ B: fc.base64String() }),
      fc.record({ BOOL: fc.boolean() }),
      fc.record({ NULL: fc.boolean() }),
      fc.record({ SS: fc.array(fc.string({ maxLength: 2 }), { maxLength: 3 }) }),
      fc.record({ NS: fc.array(fc.constantFrom('1', '1.0', '2', '-3e1', 'x'), { maxLength: 3 }) }),
      fc.record({ L: fc.array(tie('value'), { maxLength: 3 }) }),
      fc.record({ M: fc.dictionary(fc.string({ maxLength: 2 }), tie('value'), { maxKeys: 3 }) }),
      fc.constant({}),
    ),
  }));

  it('DB-025: what is accepted is accepted again, unchanged, and nothing but service errors is thrown', () => {
    fc.assert(
      fc.property(uncheckedValue, fc.constantFrom<ValueCheckLayer>('older', 'current'), (value, layer) => {
        const before = JSON.stringify(value);
        let checked: AttributeValue;
        try {
          checked = checkAttributeValue(value, layer);
        } catch (error) {
          expect(error).toBeInstanceOf(ValidationException);
          return;
        }
        expect(JSON.stringify(value)).toBe(before);
        expect(checkAttributeValue(checked as UncheckedAttributeValue, layer)).toBe(checked);
      }),
      { numRuns: 1000 },
    );
  });
});
