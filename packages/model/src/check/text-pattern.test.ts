import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTemplate } from '../keys/template.ts';
import { canBeEqual, canBeginWith, textPattern } from './text-pattern.ts';

const pattern = (source: string) => textPattern(parseTemplate(source).template, '#');
const equal = (a: string, b: string): boolean => canBeEqual(pattern(a), pattern(b));

test.each([
  ['ORG#{name}', 'USER#{name}', false],
  ['{name}', 'USER#{id}', true],
  ['A#{x}', 'A#{x}#B', false],
  ['A#{x}#{y}', 'A#{z}#B', true],
  ['PROFILE', 'PROFILE', true],
  ['ORDER#{number:08}', 'ORDER#LAST', false],
  ['ORDER#{id}', 'ORDER#LAST', true],
  ['ORDER#{number:08}', 'ORDER#{id}', true],
  ['X{a}', '{b}Y', true],
])('%s and %s', (a, b, expected) => {
  expect(equal(a, b)).toBe(expected);
  expect(equal(b, a)).toBe(expected);
});

test('the beginning of a template may be all of it', () => {
  const begins = (text: string, beginning: string): boolean =>
    canBeginWith(parseTemplate(text).template, parseTemplate(beginning).template, '#', true);
  expect(begins('ORDER#{id}', 'ORDER#')).toBe(true);
  expect(begins('ORDERS', 'ORDER')).toBe(true);
  expect(begins('ORDER', 'ORDER')).toBe(true);
  expect(begins('OR', 'ORDER')).toBe(false);
});

test('agrees with trying all short texts', () => {
  // All texts of two letters, digits and the separator up to a length: an independent answer.
  const alphabet = ['a', '1', '#'];
  const texts = [''];
  for (let from = 0, length = 0; length < 6; length += 1) {
    const end = texts.length;
    for (; from < end; from += 1) for (const letter of alphabet) texts.push(`${texts[from] ?? ''}${letter}`);
  }
  const piece = fc.constantFrom('a', '1', '#', '{v}', '{n:03}');
  const template = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
  const expression = (source: string): RegExp => {
    const variable = source === '{v}' ? '[a1#]+' : '[a1]+';
    return new RegExp(`^${source.replaceAll('{v}', variable).replaceAll('{n:03}', '1+')}$`);
  };
  fc.assert(
    fc.property(template, template, (a, b) => {
      const [first, second] = [expression(a), expression(b)];
      expect(equal(a, b)).toBe(texts.some((text) => first.test(text) && second.test(text)));
    }),
    { numRuns: 300 },
  );
});
