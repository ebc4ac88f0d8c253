import { describe, expect, it } from 'vitest';
import type { AttributeMap } from '../values/attribute-value.ts';
import { compileExpressions } from './compile-expressions.ts';
import type { LegacyAttributeUpdate } from './legacy-parameters.ts';
import type { Update } from './update.ts';

function compile(attributeUpdates: Record<string, LegacyAttributeUpdate>): Update {
  const { update } = compileExpressions({ attributeUpdates }, 'UpdateItem');
  if (update === undefined) throw new TypeError('no update');
  return update;
}

describe('AttributeUpdates (DB-147)', () => {
  it.each<[string, LegacyAttributeUpdate, AttributeMap, AttributeMap]>([
    ['PUT', { action: 'PUT', value: { S: 'new' } }, { a: { S: 'old' } }, { a: { S: 'new' } }],
    ['no action is PUT', { value: { L: [] } }, {}, { a: { L: [] } }],
    ['ADD to a number', { action: 'ADD', value: { N: '5' } }, { a: { N: '10' } }, { a: { N: '15' } }],
    ['ADD makes a number', { action: 'ADD', value: { N: '5.0' } }, {}, { a: { N: '5' } }],
    [
      'ADD to a set',
      { action: 'ADD', value: { SS: ['b', 'c'] } },
      { a: { SS: ['a', 'b'] } },
      { a: { SS: ['a', 'b', 'c'] } },
    ],
    [
      'ADD to a list',
      { action: 'ADD', value: { L: [{ S: 'b' }] } },
      { a: { L: [{ S: 'a' }] } },
      { a: { L: [{ S: 'a' }, { S: 'b' }] } },
    ],
    ['DELETE', { action: 'DELETE' }, { a: { S: 'x' }, b: { S: 'y' } }, { b: { S: 'y' } }],
    ['DELETE of what is not there', { action: 'DELETE' }, { b: { S: 'y' } }, { b: { S: 'y' } }],
    ['DELETE from a set', { action: 'DELETE', value: { SS: ['b'] } }, { a: { SS: ['a', 'b'] } }, { a: { SS: ['a'] } }],
    ['DELETE of the whole set', { action: 'DELETE', value: { NS: ['1'] } }, { a: { NS: ['1'] } }, {}],
    ['DELETE from no set', { action: 'DELETE', value: { NS: ['1'] } }, {}, {}],
  ])('%s', (_, update, item, expected) => {
    expect(compile({ a: update }).apply(item)).toEqual(expected);
  });

  it.each<[LegacyAttributeUpdate, AttributeMap]>([
    [{ action: 'ADD', value: { N: '1' } }, { a: { S: 'x' } }],
    [{ action: 'ADD', value: { SS: ['1'] } }, { a: { NS: ['1'] } }],
    [{ action: 'DELETE', value: { SS: ['1'] } }, { a: { S: '1' } }],
  ])('%j of %j', (update, item) => {
    expect(() => compile({ a: update }).apply(item)).toThrow('Type mismatch for attribute to update');
  });

  it.each<[LegacyAttributeUpdate, string]>([
    [{}, 'Only DELETE action is allowed when no attribute value is specified'],
    [{ action: 'ADD' }, 'Only DELETE action is allowed when no attribute value is specified'],
    [{ action: 'ADD', value: { S: 'x' } }, 'ADD action is not supported for the type S'],
    [{ action: 'ADD', value: { M: {} } }, 'ADD action is not supported for the type M'],
    [{ action: 'DELETE', value: { N: '1' } }, 'DELETE action with value is not supported for the type N'],
    [{ action: 'DELETE', value: { L: [] } }, 'DELETE action with value is not supported for the type L'],
    [{ action: 'ADD', value: { SS: [] } }, 'An string set  may not be empty'],
  ])('%j is refused', (update, message) => {
    expect(() => compile({ a: update })).toThrow(`One or more parameter values were invalid: ${message}`);
  });

  it('names are not paths, and several attributes are updated together', () => {
    const update = compile({ 'a.b': { value: { S: 'x' } }, c: { action: 'DELETE' }, '#d': { value: { S: 'y' } } });
    expect(update.targets).toEqual([['a.b'], ['c'], ['#d']]);
    expect(update.apply({ c: { S: 'z' } })).toEqual({ 'a.b': { S: 'x' }, '#d': { S: 'y' } });
  });

  it('deleting makes no item, updating nothing does', () => {
    expect(compile({ a: { action: 'DELETE' } }).createsItem).toBe(false);
    expect(compile({ a: { action: 'ADD', value: { N: '1' } } }).createsItem).toBe(true);
    expect(compile({}).createsItem).toBe(true);
  });
});

describe('the order of errors', () => {
  it('updates come before expectations, and these before expressions', () => {
    const attributeUpdates = { a: { action: 'ADD' } } as const;
    const expected = { a: {} };
    const expressionAttributeNames = {};
    expect(() => compileExpressions({ attributeUpdates, expected, expressionAttributeNames }, 'UpdateItem')).toThrow(
      'Only DELETE action',
    );
    expect(() => compileExpressions({ expected, expressionAttributeNames }, 'UpdateItem')).toThrow('Value must be');
  });
});
