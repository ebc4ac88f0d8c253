import { expect, test } from 'vitest';
import { checkStrictly } from './strict-parser.ts';
import { integer, list, required, string, structure, type StructureNode } from './shape.ts';

const { members } = structure<{ name: string; values: readonly string[]; count: number; note?: string }>('Input', {
  name: required(string()),
  values: required(list(string())),
  count: required(integer()),
  note: string(),
}) as unknown as StructureNode;

test.each([
  [{ Name: 'é', Values: null, Count: null }, 'invalid type: null, expected a sequence at line 1 column 26'],
  [{ Values: [], Count: null, Name: null }, 'invalid type: null, expected i32 at line 1 column 25'],
  [{ Name: null }, 'invalid type: null, expected a string at line 1 column 12'],
  [{ Count: 1 }, 'missing field `Name` at line 1 column 11'],
  [{ Name: 'a', Other: null }, 'missing field `Values` at line 1 column 25'],
])('%j is refused with the place that was read to', (json, message) => {
  expect(() => checkStrictly(json, members)).toThrow(message);
});

test('a member that need not be there may be null', () => {
  expect(() => checkStrictly({ Name: 'a', Values: [], Count: 1, Note: null }, members)).not.toThrow();
});
