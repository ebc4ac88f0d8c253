import { expect, test } from 'vitest';
import { factorize, searchTwoWay } from './two-way-search.ts';

const isIn = (text: string, needle: string): boolean => searchTwoWay(needle, factorize(needle), text);

function* words(letters: readonly string[], lengthMax: number): Generator<string> {
  let words = [''];
  for (let length = 1; length <= lengthMax; length += 1) {
    words = words.flatMap((word) => letters.map((letter) => word + letter));
    yield* words;
  }
}

test('finds what the runtime finds: all needles of two letters up to 8 in all texts of 13', () => {
  const texts = [...words(['a', 'b'], 13)].filter((text) => text.length === 13);
  for (const needle of words(['a', 'b'], 8)) {
    const factorization = factorize(needle);
    for (const text of texts) {
      if (searchTwoWay(needle, factorization, text) !== text.includes(needle)) expect.fail(`${needle} in ${text}`);
    }
  }
});

test('finds what the runtime finds: 300,000 pairs of repetitive words', () => {
  let state = 1;
  const below = (bound: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % bound;
  };
  const word = (letters: number, piecesMax: number): string => {
    let text = '';
    for (let pieces = 1 + below(piecesMax); pieces > 0; pieces -= 1) {
      // Sometimes the whole text again: words with periods within periods.
      if (below(3) === 0 && text.length < 60) text += text;
      text += String.fromCharCode(97 + below(letters)).repeat(1 + below(4));
    }
    return text;
  };
  for (let pair = 0; pair < 300_000; pair += 1) {
    const letters = 1 + below(3);
    const needle = word(letters, 5);
    const text = word(letters, 12) + (below(2) === 0 ? needle.slice(0, -1) + needle : '') + word(letters, 4);
    if (isIn(text, needle) !== text.includes(needle)) expect.fail(`${needle} in ${text}`);
  }
});

test('begins where it is told to', () => {
  expect(searchTwoWay('aba', factorize('aba'), 'abacaba', 1)).toBe(true);
  expect(searchTwoWay('aba', factorize('aba'), 'abacaba', 5)).toBe(false);
});
