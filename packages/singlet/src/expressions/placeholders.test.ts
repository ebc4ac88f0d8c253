import { describe, expect, it } from 'vitest';
import type { UncheckedAttributeMap } from '../values/attribute-value.ts';
import { compileExpressions } from './compile-expressions.ts';
import type { ExpressionOperation } from './expression-parameters.ts';
import { Placeholders } from './placeholders.ts';

function problem(
  names?: Record<string, string>,
  values?: UncheckedAttributeMap,
  layer: 'older' | 'current' = 'older',
): string | undefined {
  try {
    new Placeholders(names, values, layer).checkAllUsed();
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ name: 'ValidationException' });
    return (error as Error).message;
  }
}

const longKey = 'The expression attribute map contains a key that is too long;';

describe('names and values, in the order of the service (DB-193, DB-194, DB-198)', () => {
  it.each([
    [{}, {}, 'ExpressionAttributeNames must not be empty'],
    [{ a: 'a' }, {}, 'ExpressionAttributeNames contains invalid key: Syntax error; key: "a"'],
    [{ '#': 'a' }, {}, 'ExpressionAttributeNames contains invalid key: Syntax error; key: "#"'],
    [{ '#a-b': 'a' }, {}, 'ExpressionAttributeNames contains invalid key: Syntax error; key: "#a-b"'],
    [{ '#a\n': 'a' }, {}, 'ExpressionAttributeNames contains invalid key: Syntax error; key: "#a\n"'],
    [{ '#a': '' }, {}, 'ExpressionAttributeNames contains invalid value: Empty attribute name for key #a'],
    [undefined, {}, 'ExpressionAttributeValues must not be empty'],
    [undefined, { ':b': {}, b: { S: 'a' } }, 'ExpressionAttributeValues contains invalid key: Syntax error; key: "b"'],
    [undefined, { '#a': { S: 'a' } }, 'ExpressionAttributeValues contains invalid key: Syntax error; key: "#a"'],
    [
      { '#a': 'a', '#b': 'b' },
      { ':a': { S: 'a' } },
      'Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #b}',
    ],
    [
      undefined,
      { ':a': { S: 'a' }, ':b': { S: 'b' } },
      'Value provided in ExpressionAttributeValues unused in expressions: keys: {:a, :b}',
    ],
    [undefined, undefined, undefined],
  ])('%j %j', (names, values, expected) => {
    expect(problem(names, values as UncheckedAttributeMap)).toBe(expected);
  });

  it('placeholders of 255 bytes at most, their first character included (DB-120)', () => {
    const name = (length: number): Record<string, string> => ({ [`#${'a'.repeat(length - 1)}`]: 'a' });
    const value = (length: number): UncheckedAttributeMap => ({ [`:${'a'.repeat(length - 1)}`]: { S: 'a' } });
    expect(problem(name(255))).toContain('unused');
    expect(problem(name(256))).toBe(`ExpressionAttributeNames contains invalid key: ${longKey} size of key: 256`);
    expect(problem(undefined, value(255))).toContain('unused');
    expect(problem(undefined, value(256))).toBe(`ExpressionAttributeValues contains invalid key: ${longKey}`);
  });

  it('names of 65,535 bytes at most (DB-113)', () => {
    expect(problem({ '#n': 'a'.repeat(65_535) })).toContain('unused');
    expect(problem({ '#n': 'a'.repeat(65_536) })).toBe(
      'ExpressionAttributeNames contains invalid value: Attribute name is too large, must be less than 65536 bytes for key #n',
    );
  });

  it('2 MB of names and values at most (DB-120)', () => {
    const megabyte = 1024 * 1024;
    // Several names, because one cannot be that long.
    const name = (sizeBytes: number): Record<string, string> => {
      const names: Record<string, string> = {};
      let missing = sizeBytes;
      for (let at = 10; missing > 0; at += 1) {
        const part = missing > 100_000 ? 50_000 : Math.min(missing, 65_000);
        names[`#${at}`] = 'a'.repeat(part - 3);
        missing -= part;
      }
      return names;
    };
    const value = (sizeBytes: number): UncheckedAttributeMap => ({ ':v': { S: 'a'.repeat(sizeBytes - 2) } });
    expect(problem(name(2 * megabyte))).toContain('unused');
    expect(problem(name(2 * megabyte + 1))).toBe('ExpressionAttributeNames exceeds max size');
    expect(problem(undefined, value(2 * megabyte))).toContain('unused');
    expect(problem(undefined, value(2 * megabyte + 1))).toBe('ExpressionAttributeValues exceeds max size');
    expect(problem(name(megabyte), value(megabyte + 1))).toBe(
      'Combined size of ExpressionAttributeNames and ExpressionAttributeValues exceeds max size',
    );
  });
});

describe('values are checked, and a bad one is named in the older layer only', () => {
  it.each([
    [{}, 'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes'],
    [{ SS: [] }, 'One or more parameter values were invalid: An string set  may not be empty'],
    [{ N: 'b' }, 'The parameter cannot be converted to a numeric value: b'],
    [
      { S: 'a', N: '1' },
      'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
    ],
  ])('%j', (value, text) => {
    expect(problem(undefined, { ':b': value })).toBe(
      `ExpressionAttributeValues contains invalid value: ${text} for key :b`,
    );
    expect(problem(undefined, { ':b': value }, 'current')).toBe(text);
  });
});

it('names that objects have of themselves are not defined', () => {
  const compile = (operation: ExpressionOperation): unknown =>
    compileExpressions(
      { filterExpression: '#constructor = :toString', expressionAttributeNames: { '#a': 'a' } },
      operation,
    );
  expect(() => compile('Scan')).toThrow('attribute name: #constructor');
});
