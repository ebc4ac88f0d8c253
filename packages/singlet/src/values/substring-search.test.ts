import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SubstringSearch } from './substring-search.ts';
import { cpuTimeMs } from './testing/cpu-time.ts';

/** Texts of few characters and much repetition, in which searches fail or take long. */
const piece = fc.tuple(
  fc.constantFrom('a', 'b', 'ab', 'aab', 'aba', 'é', '𝄞', 'abaab'),
  fc.integer({ min: 1, max: 40 }),
);
const repetitive = (piecesMax: number): fc.Arbitrary<string> =>
  fc.array(piece, { maxLength: piecesMax }).map((pieces) => pieces.map(([unit, count]) => unit.repeat(count)).join(''));

/** Texts and needles that are long enough for the code paths that short ones never take. */
const longPair: fc.Arbitrary<readonly [text: string, needle: string]> = fc
  .tuple(
    repetitive(6),
    fc.integer({ min: 1, max: 400 }),
    fc.integer({ min: 0, max: 3000 }),
    fc.integer({ min: 251, max: 1500 }),
    fc.option(fc.tuple(fc.nat(), fc.constantFrom('a', 'b', 'c'))),
  )
  .map(([unit, count, from, length, change]) => {
    const base = (unit === '' ? 'a' : unit).repeat(count);
    const text = base.repeat(Math.ceil(6000 / base.length));
    const cut = text.slice(from, from + length);
    if (change === null) return [text, cut];
    const at = change[0] % cut.length;
    return [text, cut.slice(0, at) + change[1] + cut.slice(at + 1)];
  });

describe('SubstringSearch', () => {
  test('finds what the runtime finds, in short texts', () => {
    fc.assert(
      fc.property(repetitive(4), repetitive(2), (text, needle) => {
        expect(new SubstringSearch(needle).isIn(text)).toBe(text.includes(needle));
      }),
      { numRuns: 2000 },
    );
  });

  test('finds what the runtime finds, in long texts', () => {
    fc.assert(
      fc.property(longPair, ([text, needle]) => {
        expect(new SubstringSearch(needle).isIn(text)).toBe(text.includes(needle));
      }),
      { numRuns: 1000 },
    );
  });

  test('finds what the runtime finds in a hundred thousand pairs, one needle in many texts', () => {
    // Plain loops: a property of fast-check takes a hundred times as long for each pair.
    let state = 12_345;
    const below = (bound: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % bound;
    };
    const word = (letters: number, length: number): string => {
      let text = '';
      while (text.length < length) text += String.fromCharCode(97 + below(letters)).repeat(1 + below(60));
      return text.slice(0, length);
    };
    for (let round = 0; round < 1000; round += 1) {
      const letters = 1 + below(3);
      const unit = word(letters, 1 + below(400));
      const source = unit.repeat(Math.ceil(5000 / unit.length));
      const from = below(unit.length);
      let needle = source.slice(from, from + 251 + below(1200));
      if (below(2) === 0) needle = needle.slice(0, below(needle.length)) + 'a' + needle.slice(below(needle.length));
      const search = new SubstringSearch(needle);
      for (let pair = 0; pair < 50; pair += 1) {
        const at = below(source.length);
        const text = source.slice(below(400), at) + word(letters, below(30)) + source.slice(at - below(200));
        if (search.isIn(text) !== text.includes(needle)) expect.fail(JSON.stringify({ text, needle }));
      }
    }
  });

  test.each([
    [
      'a run with one other character in the needle',
      'a'.repeat(330_000),
      `${'a'.repeat(75_000)}b${'a'.repeat(75_000)}`,
    ],
    ['the same, shorter', 'a'.repeat(330_000), `${'a'.repeat(1500)}b${'a'.repeat(1500)}`],
    ['alternation', 'ab'.repeat(165_000), `${'ab'.repeat(5000)}aa${'ba'.repeat(5000)}`],
    ['runs', `${'a'.repeat(600)}b`.repeat(550), `${'a'.repeat(601)}${`b${'a'.repeat(600)}`.repeat(20)}`],
    ['the other character near the start', 'a'.repeat(330_000), `b${'a'.repeat(20_000)}`],
    ['the other character near the end', 'a'.repeat(330_000), `${'a'.repeat(20_000)}b`],
  ])('searches 330,000 characters in the worst cases in linear time: %s', (_, text, needle) => {
    const search = new SubstringSearch(needle);
    const startedMs = cpuTimeMs();
    for (let round = 0; round < 10; round += 1) expect(search.isIn(text)).toBe(false);
    // Some 30 ms; the runtime's own search takes 0.3 to 45 seconds for the first four.
    expect(cpuTimeMs() - startedMs).toBeLessThan(1500);
  });
});
