import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JsonPath, positionInJson } from './text-position.ts';

test('finds values by row and column', () => {
  const text = '{\n  "a": [1, { "b:,": "x\\"}" }],\n  "c": {}, "d": [], "e": null\n}';
  const positions: readonly [JsonPath, string][] = [
    [[], '1:1'],
    [['a'], '2:8'],
    [['a', 0], '2:9'],
    [['a', 1], '2:12'],
    [['a', 1, 'b:,'], '2:21'],
    [['c'], '3:8'],
    [['d'], '3:17'],
    [['e'], '3:26'],
  ];
  for (const [path, expected] of positions) {
    const { row, column } = positionInJson(text, path);
    expect(`${row}:${column}`, JSON.stringify(path)).toBe(expected);
  }
});

test('of two members of one name the last is meant, as JSON.parse has it', () => {
  expect(positionInJson('{"a":1,"a":2}', ['a'])).toEqual({ row: 1, column: 12 });
});

test('the text at the position of a value is that value, in any document', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, choice) => {
      const value: unknown = JSON.parse(text);
      const all = pathsOf(value, []);
      const [path, wanted] = all[choice % all.length]!;
      const { row, column } = positionInJson(text, path);
      expect(row).toBe(1);
      const rest = text.slice(column - 1);
      // The text that follows a value cannot be part of it, so the value is the longest text that can be parsed from there.
      const ends = Array.from({ length: rest.length }, (_, at) => rest.slice(0, rest.length - at));
      const read = ends.find((candidate) => isJson(candidate));
      expect(JSON.parse(read ?? '')).toEqual(wanted);
    }),
    { numRuns: 300 },
  );
});

function pathsOf(value: unknown, path: JsonPath): readonly (readonly [JsonPath, unknown])[] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  const parts: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((element, at) => [at, element])
    : Object.entries(value);
  return [[path, value], ...parts.flatMap(([name, part]) => pathsOf(part, [...path, name]))];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
