import { describe, expect, it } from 'vitest';
import type { AttributeMap, UncheckedAttributeValue } from '../values/attribute-value.ts';
import { compileExpressions } from './compile-expressions.ts';
import { attributeSource } from './document-path.ts';
import type { LegacyComparisonOperator, LegacyCondition, LegacyExpectation } from './legacy-parameters.ts';

const invalid = 'One or more parameter values were invalid: ';

function expectedHolds(
  expected: Record<string, LegacyExpectation>,
  item: AttributeMap,
  conditionalOperator?: 'AND' | 'OR',
): boolean | undefined {
  const { condition } = compileExpressions({ expected, conditionalOperator }, 'PutItem');
  return condition?.evaluate(attributeSource(item));
}

function refusal(compile: () => unknown): string {
  try {
    compile();
    return 'accepted';
  } catch (error) {
    expect(error).toMatchObject({ name: 'ValidationException' });
    return (error as Error).message;
  }
}

const a = { S: 'a' };

describe('Expected (DB-147)', () => {
  it.each<[LegacyExpectation, string]>([
    [{}, 'Value must be provided when Exists is null for Attribute: a'],
    [{ exists: true }, 'Value must be provided when Exists is true for Attribute: a'],
    [{ exists: false, value: a }, 'Value cannot be used when Exists is false for Attribute: a'],
    [
      { comparisonOperator: 'LT' },
      'Value or AttributeValueList must be used with ComparisonOperator: LT for Attribute: a',
    ],
    [
      { exists: true, comparisonOperator: 'LT' },
      'Exists and ComparisonOperator cannot be used together for Attribute: a',
    ],
    [
      { attributeValueList: [a], value: a, comparisonOperator: 'LT' },
      'Value and AttributeValueList cannot be used together for Attribute: a',
    ],
    [{ attributeValueList: [a] }, 'AttributeValueList can only be used with a ComparisonOperator for Attribute: a'],
    [
      { exists: true, attributeValueList: [a] },
      'AttributeValueList can only be used with a ComparisonOperator for Attribute: a',
    ],
    [
      { attributeValueList: [], comparisonOperator: 'EQ' },
      'Invalid number of argument(s) for the EQ ComparisonOperator',
    ],
    [
      { attributeValueList: [a], comparisonOperator: 'NULL' },
      'Invalid number of argument(s) for the NULL ComparisonOperator',
    ],
    [
      { attributeValueList: [], comparisonOperator: 'IN' },
      'Invalid number of argument(s) for the IN ComparisonOperator',
    ],
    [
      { attributeValueList: [{ N: '1' }, { N: '10' }, { N: '12' }], comparisonOperator: 'BETWEEN' },
      'Invalid number of argument(s) for the BETWEEN ComparisonOperator',
    ],
    [{ value: a, comparisonOperator: 'NULL' }, 'Invalid number of argument(s) for the NULL ComparisonOperator'],
    [{ value: a, comparisonOperator: 'BETWEEN' }, 'Invalid number of argument(s) for the BETWEEN ComparisonOperator'],
    [{ value: { SS: [] } }, 'An string set  may not be empty'],
  ])('%j is refused', (expectation, message) => {
    expect(refusal(() => expectedHolds({ a: expectation }, {}))).toBe(invalid + message);
  });

  it.each<[LegacyExpectation, AttributeMap, boolean]>([
    [{ value: a }, { a }, true],
    [{ value: a }, {}, false],
    [{ value: a, exists: true }, { a: { S: 'b' } }, false],
    [{ value: a, exists: true }, { a }, true],
    [{ exists: false }, {}, true],
    [{ exists: false }, { a }, false],
    [{ comparisonOperator: 'NULL' }, {}, true],
    [{ comparisonOperator: 'NULL', attributeValueList: [] }, { a }, false],
    [{ comparisonOperator: 'NOT_NULL' }, { a: { NULL: true } }, true],
    [{ comparisonOperator: 'EQ', value: { N: '1.0' } }, { a: { N: '1' } }, true],
  ])('%j of %j is %s', (expectation, item, expected) => {
    expect(expectedHolds({ a: expectation }, item)).toBe(expected);
  });

  it('several attributes are joined by AND, unless said otherwise', () => {
    const expected: Record<string, LegacyExpectation> = { a: { value: a }, b: { exists: false } };
    const both: AttributeMap = { a };
    const one: AttributeMap = { a, b: a };
    const neither: AttributeMap = { b: a };
    const outcomes = (operator?: 'AND' | 'OR'): unknown[] =>
      [both, one, neither].map((item) => expectedHolds(expected, item, operator));
    expect(outcomes()).toEqual([true, false, false]);
    expect(outcomes('AND')).toEqual([true, false, false]);
    expect(outcomes('OR')).toEqual([true, true, false]);
  });

  it('without attributes nothing is expected', () => {
    expect(expectedHolds({}, {})).toBe(true);
  });

  it('says which attributes it looks at, as conditions do', () => {
    const { condition } = compileExpressions({ expected: { a: { value: a }, 'b.c': { exists: false } } }, 'PutItem');
    expect(condition?.paths).toEqual([['a'], ['b.c']]);
    expect([...(condition?.attributeNames ?? [])]).toEqual(['a', 'b.c']);
  });
});

describe('the comparison operators (DB-147)', () => {
  const item: AttributeMap = {
    a: { S: 'hello' },
    n: { N: '5' },
    b: { B: 'AQID' },
    ss: { SS: ['x', 'y'] },
    ns: { NS: ['1', '2'] },
    l: { L: [{ S: 'x' }, { BOOL: true }] },
    m: { M: { k: { S: 'v' } } },
  };
  it.each<[string, LegacyComparisonOperator, UncheckedAttributeValue[], boolean]>([
    ['n', 'EQ', [{ N: '5.0' }], true],
    ['n', 'EQ', [{ S: '5' }], false],
    ['ss', 'EQ', [{ SS: ['y', 'x'] }], true],
    ['m', 'EQ', [{ M: { k: { S: 'v' } } }], true],
    ['n', 'NE', [{ N: '6' }], true],
    ['n', 'NE', [{ S: '5' }], true],
    ['absent', 'NE', [{ N: '6' }], true],
    ['n', 'LE', [{ N: '5' }], true],
    ['n', 'LT', [{ N: '5' }], false],
    ['n', 'GE', [{ N: '5' }], true],
    ['n', 'GT', [{ N: '4' }], true],
    ['n', 'GT', [{ S: '4' }], false],
    ['absent', 'LT', [{ N: '5' }], false],
    ['a', 'NOT_NULL', [], true],
    ['absent', 'NULL', [], true],
    ['a', 'CONTAINS', [{ S: 'ell' }], true],
    ['ss', 'CONTAINS', [{ S: 'x' }], true],
    ['ns', 'CONTAINS', [{ N: '2.0' }], true],
    ['l', 'CONTAINS', [{ BOOL: true }], true],
    ['absent', 'CONTAINS', [{ S: 'x' }], false],
    ['a', 'NOT_CONTAINS', [{ S: 'xyz' }], true],
    ['ss', 'NOT_CONTAINS', [{ S: 'x' }], false],
    ['n', 'NOT_CONTAINS', [{ S: 'x' }], true],
    ['absent', 'NOT_CONTAINS', [{ S: 'x' }], false],
    ['a', 'BEGINS_WITH', [{ S: 'he' }], true],
    ['b', 'BEGINS_WITH', [{ B: 'AQI=' }], true],
    ['n', 'BEGINS_WITH', [{ S: '5' }], false],
    ['a', 'IN', [{ S: 'x' }, { S: 'hello' }], true],
    ['a', 'IN', [{ S: 'x' }], false],
    ['n', 'BETWEEN', [{ N: '4' }, { N: '6' }], true],
    ['n', 'BETWEEN', [{ N: '6' }, { N: '7' }], false],
  ])('%s %s %j is %s', (attribute, comparisonOperator, attributeValueList, expected) => {
    const conditions = { [attribute]: { comparisonOperator, attributeValueList } };
    const scan = compileExpressions({ scanFilter: conditions }, 'Scan').filter;
    expect(scan?.evaluate(attributeSource(item))).toBe(expected);
    expect(expectedHolds(conditions, item)).toBe(expected);
  });

  const filterRefusal = (conditions: Record<string, LegacyCondition>): string =>
    refusal(() => compileExpressions({ scanFilter: conditions }, 'Scan'));

  it.each<[LegacyComparisonOperator, number, number]>([
    ['EQ', 1, 1],
    ['NE', 1, 1],
    ['LE', 1, 1],
    ['LT', 1, 1],
    ['GE', 1, 1],
    ['GT', 1, 1],
    ['CONTAINS', 1, 1],
    ['NOT_CONTAINS', 1, 1],
    ['BEGINS_WITH', 1, 1],
    ['IN', 1, 100],
    ['BETWEEN', 2, 2],
    ['NULL', 0, 0],
    ['NOT_NULL', 0, 0],
  ])('%s takes %i to %i values', (comparisonOperator, min, max) => {
    const message = `${invalid}Invalid number of argument(s) for the ${comparisonOperator} ComparisonOperator`;
    for (let count = 0; count <= 3; count += 1) {
      const attributeValueList = Array.from({ length: count }, () => a);
      const isAllowed = count >= min && count <= max;
      expect(filterRefusal({ x: { comparisonOperator, attributeValueList } })).toBe(isAllowed ? 'accepted' : message);
    }
    if (min > 0) expect(filterRefusal({ x: { comparisonOperator } })).toBe(message);
  });

  const samples: Record<string, UncheckedAttributeValue> = {
    S: a,
    N: { N: '1' },
    B: { B: 'YQ==' },
    BOOL: { BOOL: true },
    NULL: { NULL: true },
    L: { L: [] },
    M: { M: {} },
    SS: { SS: ['a'] },
    NS: { NS: ['1'] },
    BS: { BS: ['YQ=='] },
  };
  it.each<[LegacyComparisonOperator, string]>([
    ['LT', 'S N B'],
    ['LE', 'S N B'],
    ['GT', 'S N B'],
    ['GE', 'S N B'],
    ['IN', 'S N B'],
    ['BETWEEN', 'S N B'],
    ['BEGINS_WITH', 'S B'],
    ['CONTAINS', 'S N B BOOL NULL'],
    ['NOT_CONTAINS', 'S N B BOOL NULL'],
    ['EQ', 'S N B BOOL NULL L M SS NS BS'],
    ['NE', 'S N B BOOL NULL L M SS NS BS'],
  ])('%s takes values of types %s', (comparisonOperator, types) => {
    for (const [type, value] of Object.entries(samples)) {
      const attributeValueList = comparisonOperator === 'BETWEEN' ? [value, value] : [value];
      const expected = types.split(' ').includes(type)
        ? 'accepted'
        : `${invalid}ComparisonOperator ${comparisonOperator} is not valid for ${type} AttributeValue type`;
      expect(filterRefusal({ x: { comparisonOperator, attributeValueList } })).toBe(expected);
    }
  });

  it.each<[LegacyCondition, string]>([
    [
      { comparisonOperator: 'IN', attributeValueList: [{ S: 'b' }, { N: '1' }] },
      `${invalid}AttributeValues inside AttributeValueList must be of same type`,
    ],
    [
      { comparisonOperator: 'BETWEEN', attributeValueList: [{ S: 'b' }, { S: 'a' }] },
      'The BETWEEN condition was provided a range where the lower bound is greater than the upper bound',
    ],
    [
      { comparisonOperator: 'EQ', attributeValueList: [{ N: 'b' }, a] },
      'The parameter cannot be converted to a numeric value: b',
    ],
    [
      { comparisonOperator: 'EQ', attributeValueList: [{}] },
      'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes',
    ],
  ])('%j is refused', (condition, message) => {
    expect(filterRefusal({ x: condition })).toBe(message);
    expect(refusal(() => compileExpressions({ keyConditions: { x: condition } }, 'Query'))).toBe(message);
  });

  it('KeyConditions may not be empty', () => {
    expect(refusal(() => compileExpressions({ keyConditions: {} }, 'Query'))).toBe(
      'Conditions can be of length 1 or 2 only',
    );
  });

  it('QueryFilter goes through the same evaluator', () => {
    const { filter, keyCondition } = compileExpressions(
      {
        keyConditions: { pk: { comparisonOperator: 'EQ', attributeValueList: [a] } },
        queryFilter: {
          a: { comparisonOperator: 'EQ', attributeValueList: [{ S: 'x' }] },
          n: { comparisonOperator: 'EQ', attributeValueList: [{ N: '5' }] },
        },
        conditionalOperator: 'OR',
      },
      'Query',
    );
    expect(filter?.evaluate(attributeSource(item))).toBe(true);
    expect(keyCondition?.terms).toEqual([{ attributeName: 'pk', operator: '=', operands: [a] }]);
  });
});
