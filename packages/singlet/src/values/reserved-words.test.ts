import { describe, expect, it } from 'vitest';
import { isReservedWord, reservedWords } from './reserved-words.ts';

describe('reserved words (DB-121)', () => {
  it('DB-121: there are 573, each once', () => {
    expect(reservedWords.length).toBe(573);
    expect(new Set(reservedWords).size).toBe(573);
    expect(reservedWords.filter((word) => !/^[A-Z]+$/.test(word))).toEqual([]);
    expect(reservedWords.toSorted()).toEqual(reservedWords);
  });

  it('DB-121: each is found in any case', () => {
    for (const word of reservedWords) {
      expect(isReservedWord(word)).toBe(true);
      expect(isReservedWord(word.toLowerCase())).toBe(true);
      expect(isReservedWord(word.slice(0, 1) + word.slice(1).toLowerCase())).toBe(true);
    }
  });

  it.each(['Bucket', 'By', 'Count', 'Month', 'Name', 'Timestamp', 'Timezone', 'Year', 'status', 'TTL'])(
    'DB-121: %s is reserved',
    (word) => {
      expect(isReservedWord(word)).toBe(true);
    },
  );

  it.each(['', 'PK', 'username', 'Names_', 'constructo', '__proto__', 'hasOwnProperty', 'LOCALTIMESTAMPS'])(
    'DB-121: %j is not reserved',
    (word) => {
      expect(isReservedWord(word)).toBe(false);
    },
  );
});
