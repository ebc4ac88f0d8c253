import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchesPattern } from './wildcard.ts';

describe('DB-131 patterns', () => {
  test.each([
    ['*', '', true],
    ['a*c', 'abc', true],
    ['a*c', 'ac', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a?c', 'ac', false],
    ['**a', 'bba', true],
    ['table/*', 'table/x/index/y', true],
    ['table/x', 'table/xy', false],
    ['a.c', 'abc', false],
  ])('%s and %s: %s', (pattern, text, expected) => {
    expect(matchesPattern(pattern, text)).toBe(expected);
  });

  test('match as the same pattern does as a regular expression', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 });
    fc.assert(
      fc.property(letters, text, (pattern, subject) => {
        const expression = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`);
        expect(matchesPattern(pattern, subject)).toBe(expression.test(subject));
      }),
      { numRuns: 2000 },
    );
  });

  test('cannot be made slow', () => {
    // Trying every way to divide the text among the stars would never finish.
    expect(matchesPattern('*a'.repeat(2000), `${'a'.repeat(4000)}b`)).toBe(false);
  });
});
