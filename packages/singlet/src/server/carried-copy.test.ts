import { expect, it } from 'vitest';
import { carriedCopy } from './carried-copy.ts';
import { SerializationException } from './serialization-exception.ts';

it('copies what JSON would carry', () => {
  const value = JSON.parse('{"a":[1,null,{"__proto__":{"b":true}}],"text":"\\ud83d\\ude00"}') as object;
  const copy = carriedCopy({ ...value, gone: undefined, work: () => 1 });
  expect(copy).toStrictEqual(value);
  expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
});

it('carries no half characters, in values or in names', () => {
  expect(carriedCopy({ 'a\ud800': ['b\udfff'] })).toStrictEqual({ 'a\ufffd': ['b\ufffd'] });
});

it('refuses what is nested without end', () => {
  const value: unknown[] = [];
  value.push(value);
  expect(() => carriedCopy(value)).toThrow(SerializationException);
});
