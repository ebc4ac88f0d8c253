import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wireCopy } from './wire-copy.ts';
import { SerializationException } from './serialization-exception.ts';

it('copies what JSON would carry', () => {
  const value = JSON.parse('{"a":[1,null,{"__proto__":{"b":true}}],"text":"\\ud83d\\ude00"}') as object;
  const copy = wireCopy({ ...value, gone: undefined, work: () => 1 });
  expect(copy).toStrictEqual(value);
  expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
});

it('carries no half characters, in values or in names', () => {
  expect(wireCopy({ 'a\ud800': ['b\udfff'] })).toStrictEqual({ 'a\ufffd': ['b\ufffd'] });
});

it('refuses what is nested without end', () => {
  const value: unknown[] = [];
  value.push(value);
  expect(() => wireCopy(value)).toThrow(SerializationException);
});

it('is what the text would have become', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), (value) => {
      // JSON writes lone surrogates as escapes, and UTF-8 cannot encode them.
      const text = JSON.stringify(value).replaceAll(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\ufffd');
      expect(JSON.stringify(wireCopy(value))).toBe(JSON.stringify(JSON.parse(text)));
    }),
    { numRuns: 500 },
  );
});
