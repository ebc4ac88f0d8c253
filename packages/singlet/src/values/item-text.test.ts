import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type {
  AttributeMap,
  AttributeValue,
  UncheckedAttributeMap,
  UncheckedAttributeValue,
} from './attribute-value.ts';
import { checkAttributeMap } from './check-attribute-value.ts';
import { itemSizeBytes } from './item-size.ts';
import { findItemText, type ItemText } from './item-text.ts';

const find = (text: string): ItemText | undefined => findItemText(Buffer.from(text, 'utf8'), 0);
const jsonText = (found: ItemText): string => found.json.toString('utf8');

const name = fc.oneof(
  fc.constantFrom('a', 'b', 'ä', '\ud83d\ude00', '__proto__', 'constructor', 'a.b', 'S', 'Item'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc
    .array(fc.constantFrom('"', '\\', '{', '}', '\n', '\u0000', '/', '\u2028', 'ü', ']'), { maxLength: 6 })
    .map((parts) => parts.join('')),
);
const binary = fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const number = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e20, max: 1e20 }).map(String),
  fc.constantFrom(
    '0',
    '-0',
    '00',
    '1.0',
    '1.50',
    '1e3',
    '0.001',
    '9'.repeat(38),
    `0.${'0'.repeat(40)}1`,
    '+1',
    '',
    'x',
  ),
);
const { value } = fc.letrec<{ value: object }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.record({ S: text }),
    fc.record({ N: number }),
    fc.record({ B: binary }),
    fc.record({ BOOL: fc.boolean() }),
    fc.constant({ NULL: true }),
    fc.record({ SS: fc.array(text, { maxLength: 3 }) }),
    fc.record({ NS: fc.array(number, { maxLength: 3 }) }),
    fc.record({ BS: fc.array(binary, { maxLength: 3 }) }),
    fc.record({ L: fc.array(tie('value'), { maxLength: 3 }) }),
    fc.record({ M: fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map((all) => Object.fromEntries(all)) }),
  ),
}));
const anyMap = fc
  .array(fc.tuple(name, value), { maxLength: 6 })
  .map((all): UncheckedAttributeMap => Object.fromEntries<UncheckedAttributeValue>(all));

/** The result of the slow path for a text. */
function parsed(itemText: string): AttributeMap | undefined {
  try {
    return checkAttributeMap(JSON.parse(itemText) as UncheckedAttributeMap, 'current');
  } catch {
    return undefined;
  }
}

/** The result must be what the slow path would have stored, except for the order of names that look like numbers. */
function expectSame(found: ItemText, itemText: string): void {
  const long = parsed(itemText);
  expect(long).toBeDefined();
  const map = long as AttributeMap;
  expect(found.toMap()).toEqual(map);
  expect(found.sizeBytes).toBe(itemSizeBytes(map));
  expect(found.json.length).toBe(Buffer.byteLength(JSON.stringify(map)));
  expect(jsonText(found)).toBe(itemText);
  expect(found.toText()).toBe(JSON.stringify(JSON.parse(itemText)));
}

test('what it takes, it takes as the long way would', () => {
  let taken = 0;
  fc.assert(
    fc.property(anyMap, (map) => {
      const itemText = JSON.stringify(map);
      const found = find(itemText);
      if (found === undefined) return;
      taken += 1;
      expect(found.end).toBe(Buffer.byteLength(itemText));
      expectSame(found, itemText);
    }),
    { numRuns: 3000 },
  );
  expect(taken).toBeGreaterThan(300);
});

test('a text in which anything was changed is left alone, or is what it says', () => {
  const characters = ['"', '\\', '{', '}', '[', ']', ':', ',', ' ', '0', '1', 'a', 'S', 'N', 'u', '\n', 'é', ''];
  fc.assert(
    fc.property(
      anyMap,
      fc.array(fc.tuple(fc.nat(400), fc.nat(3), fc.constantFrom(...characters)), { minLength: 1, maxLength: 3 }),
      (map, changes) => {
        let changed = JSON.stringify(map);
        for (const [at, removed, added] of changes) {
          const place = at % (changed.length + 1);
          changed = changed.slice(0, place) + added + changed.slice(place + removed);
        }
        // As everywhere, the contents of a request are UTF-8.
        const bytes = Buffer.from(changed, 'utf8');
        const found = findItemText(bytes, 0);
        if (found !== undefined) expectSame(found, bytes.toString('utf8', 0, found.end));
      },
    ),
    { numRuns: 5000 },
  );
});

test('every byte of a long string is looked at', () => {
  const characters = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code));
  for (const inserted of [...characters, '\\"', '\\\\', '\\u0041', 'é', '\u00a0', '\ud83d\ude00']) {
    for (let at = 0; at <= 40; at += 1) {
      const itemText = `{"note":{"S":"${'x'.repeat(at)}${inserted}${'y'.repeat(40 - at)}"}}`;
      const found = find(itemText);
      if (found !== undefined) expectSame(found, itemText);
      // Of a valid text only an escape that is not needed is left to the parser.
      else expect(inserted === '\\u0041' || parsed(itemText) === undefined).toBe(true);
    }
  }
});

test('integers have the size that their text has', () => {
  for (let digits = 1; digits <= 40; digits += 1) {
    for (let zeros = 0; zeros < digits; zeros += 1) {
      for (const sign of ['', '-']) {
        const integer = `${sign}${'7'.repeat(digits - zeros)}${'0'.repeat(zeros)}`;
        const found = find(JSON.stringify({ n: { N: integer } }));
        // A sign takes one of the 38 characters that a plain number may have.
        expect(found === undefined).toBe(integer.length > 38);
        if (found !== undefined) expectSame(found, JSON.stringify({ n: { N: integer } }));
      }
    }
  }
});

test('a text that is cut anywhere is left alone', () => {
  const whole = JSON.stringify({ pk: { S: 'a"b' }, tags: { SS: ['x', 'y'] }, m: { M: { n: { N: '-1.5' } } } });
  expect(find(whole)?.end).toBe(whole.length);
  for (let end = 0; end < whole.length; end += 1) expect(find(whole.slice(0, end))).toBeUndefined();
});

describe('takes', () => {
  const deep = (levels: number): AttributeValue => (levels === 1 ? { S: 'x' } : { L: [deep(levels - 1)] });
  test.each<[string, AttributeMap]>([
    ['nothing', {}],
    ['escapes that JSON.stringify writes', { a: { S: '"\\\b\f\n\r\t' } }],
    [
      'sets in their order',
      { s: { SS: ['A', 'a', 'aa', 'ä'] }, n: { NS: ['-2', '0', '10'] }, b: { BS: ['AA==', 'AQ=='] } },
    ],
    ['empty contents', { s: { S: '' }, b: { B: '' }, l: { L: [] }, m: { M: {} } }],
    ['32 levels', { a: deep(32) }],
    ['names of all objects', JSON.parse('{"__proto__":{"S":"x"},"toString":{"N":"1"}}') as AttributeMap],
  ])('%s', (_what, map) => {
    const itemText = JSON.stringify(map);
    const found = find(itemText);
    expect(found).toBeDefined();
    expectSame(found as ItemText, itemText);
  });

  test('names that are numbers, which parsing and printing puts first', () => {
    const itemText = '{"b":{"S":"x"},"10":{"M":{"c":{"N":"1"},"7":{"N":"2"}}},"9":{"S":"y"}}';
    expectSame(find(itemText) as ItemText, itemText);
    expect(find(itemText)?.toText()).toBe('{"9":{"S":"y"},"10":{"M":{"7":{"N":"2"},"c":{"N":"1"}}},"b":{"S":"x"}}');
  });

  test('an item in the midst of other text', () => {
    const found = findItemText(Buffer.from('xx{"a":{"S":"b"}},yy'), 2);
    expect(found?.end).toBe(17);
    expect(found && jsonText(found)).toBe('{"a":{"S":"b"}}');
  });
});

describe('leaves alone', () => {
  test.each([
    ['blanks', '{"a": {"S":"b"}}'],
    ['a name twice', '{"a":{"S":"b"},"a":{"S":"c"}}'],
    ['a name in two ways', '{"a":{"S":"b"},"\\u0061":{"S":"c"}}'],
    ['an empty name', '{"":{"S":"b"}}'],
    ['a name that is too long', `{"${'a'.repeat(65_536)}":{"S":"b"}}`],
    ['other escapes', '{"a":{"S":"\\u0041\\/"}}'],
    ['control characters', '{"a":{"S":"\n"}}'],
    ['a number in another form', '{"a":{"N":"1.0"}}'],
    ['a number that is none', '{"a":{"N":"x"}}'],
    ['base64 that is none', '{"a":{"B":"?"}}'],
    ['an empty set', '{"a":{"SS":[]}}'],
    ['a set out of order', '{"a":{"SS":["b","a"]}}'],
    ['an element twice', '{"a":{"SS":["a","a"]}}'],
    ['numbers out of order', '{"a":{"NS":["10","9"]}}'],
    ['NULL that is false', '{"a":{"NULL":false}}'],
    ['an unknown type', '{"a":{"X":"b"}}'],
    ['two types', '{"a":{"S":"b","N":"1"}}'],
    ['no type', '{"a":{}}'],
    ['null', '{"a":null}'],
    ['no map', '["a"]'],
    ['33 levels', `{"a":${'{"L":['.repeat(32)}{"S":"x"}${']}'.repeat(32)}}`],
  ])('%s', (_what, itemText) => {
    expect(find(itemText)).toBeUndefined();
  });
});
