import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkJsonSize, unscannedBytesMax } from './json-limits.ts';
import { ValidationException } from '../values/service-error.ts';
import { SerializationException } from './serialization-exception.ts';
import { cpuTimeMs } from '../values/testing/cpu-time.ts';

const query = 'DynamoDB_20120810.Query';
const batchWrite = 'DynamoDB_20120810.BatchWriteItem';
const check = (target: string | undefined, json: string): void => checkJsonSize(target, Buffer.from(json));

describe('the size of JSON before it is parsed', () => {
  test.each([
    ['objects', (count: number) => `[${'{},'.repeat(count - 2)}{}]`],
    ['lists', (count: number) => `[${'[],'.repeat(count - 2)}[]]`],
    ['objects with short members', (count: number) => `[${'{"N":"1"},'.repeat(count - 2)}{"N":"1"}]`],
    [
      'objects between strings that are full of brackets',
      (count: number) => `[${'"[[{\\"{[",{},'.repeat(count - 2)}{}]`,
    ],
  ])('is limited by %s', (_, json) => {
    expect(() => check(query, json(250_000))).not.toThrow();
    expect(() => check(query, json(250_001))).toThrow(
      new ValidationException('The request has more than 250000 objects and lists'),
    );
    expect(() => check(undefined, json(250_001))).toThrow(ValidationException);
    expect(() => check(batchWrite, json(250_001))).not.toThrow();
  });

  test('is limited for actions that are full of values', () => {
    expect(() => check(batchWrite, `[${'{},'.repeat(1_999_998)}{}]`)).not.toThrow();
    expect(() => check(batchWrite, `[${'{},'.repeat(1_999_999)}{}]`)).toThrow(ValidationException);
  });

  test('is limited in depth', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ' '.repeat(unscannedBytesMax) + ']'.repeat(depth);
    expect(() => check(batchWrite, nested(1000))).not.toThrow();
    expect(() => check(batchWrite, nested(1001))).toThrow(SerializationException);
  });

  test('is not looked at in small bodies, nor in strings', () => {
    expect(() => check(query, '['.repeat(unscannedBytesMax))).not.toThrow();
    expect(() => check(query, `"${'['.repeat(1_000_000)}"`)).not.toThrow();
    expect(() => check(query, `"${'[\\"'.repeat(1_000_000)}"`)).not.toThrow();
  });

  test('counts what the parser makes, whatever the strings are', () => {
    const string = fc.string({ unit: fc.constantFrom('a', '"', '\\', '[', '{', 'é', 'a'.repeat(40), '\\"') });
    fc.assert(
      fc.property(fc.array(string, { minLength: 1, maxLength: 20 }), (strings) => {
        // One object too many, or not; the strings must not hide one, nor add any.
        const pad = ' '.repeat(unscannedBytesMax);
        const json = (count: number): string =>
          `[${pad}${JSON.stringify(strings)},${'{},'.repeat(count - 3)}${JSON.stringify(strings[0])},{}]`;
        expect(() => check(query, json(250_000))).not.toThrow();
        expect(() => check(query, json(250_001))).toThrow(ValidationException);
      }),
      { numRuns: 8 },
    );
  });

  test('is told in the time that a text of that length takes, whatever is in it', () => {
    const texts = [
      `"${'\\"'.repeat(1_000_000)}`,
      '"a'.repeat(1_000_000),
      `"${'a'.repeat(40)}`.repeat(50_000),
      `"${'a'.repeat(40)}\\"`.repeat(50_000),
      `"${`${'a'.repeat(40)}\\\\`.repeat(50_000)}`,
      `"${'\\'.repeat(2_000_000)}`,
    ].map((text) => Buffer.from(text));
    const startedMs = cpuTimeMs();
    for (const text of texts) checkJsonSize(query, text);
    // 12 MB, some 0.1 s; a search that starts over at each backslash takes many seconds.
    expect(cpuTimeMs() - startedMs).toBeLessThan(5000);
  });
});
