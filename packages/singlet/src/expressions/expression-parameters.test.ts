import { describe, expect, it } from 'vitest';
import { compileExpressions } from './compile-expressions.ts';
import { attributeSource } from './document-path.ts';
import {
  type ExpressionOperation,
  type ExpressionParameters,
  checkExpressionParameters,
} from './expression-parameters.ts';

function refusal(request: ExpressionParameters, operation: ExpressionOperation): string | undefined {
  try {
    checkExpressionParameters(request, operation);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ name: 'ValidationException' });
    return (error as Error).message;
  }
}

const names = { '#a': 'a' };
const values = { ':a': { S: 'a' } };
const condition = { comparisonOperator: 'NULL' } as const;
const mixed = (legacy: string, expressions: string): string =>
  `Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {${legacy}} Expression parameters: {${expressions}}`;

describe('expressions and legacy parameters do not mix (DB-147)', () => {
  it.each<[ExpressionOperation, ExpressionParameters, string | undefined]>([
    ['PutItem', { conditionExpression: '', expected: {} }, mixed('Expected', 'ConditionExpression')],
    [
      'DeleteItem',
      { conditionExpression: '', expected: {}, conditionalOperator: 'OR' },
      mixed('Expected, ConditionalOperator', 'ConditionExpression'),
    ],
    ['UpdateItem', { updateExpression: '', attributeUpdates: {} }, mixed('AttributeUpdates', 'UpdateExpression')],
    [
      'UpdateItem',
      { conditionExpression: '', updateExpression: '', expected: {}, attributeUpdates: {} },
      mixed('AttributeUpdates, Expected', 'UpdateExpression, ConditionExpression'),
    ],
    ['UpdateItem', { conditionExpression: '', attributeUpdates: {} }, mixed('AttributeUpdates', 'ConditionExpression')],
    ['GetItem', { projectionExpression: '', attributesToGet: ['a'] }, mixed('AttributesToGet', 'ProjectionExpression')],
    [
      'BatchGetItem',
      { projectionExpression: '', attributesToGet: ['a', 'a'] },
      mixed('AttributesToGet', 'ProjectionExpression'),
    ],
    [
      'Query',
      {
        keyConditionExpression: '',
        filterExpression: '',
        projectionExpression: '',
        keyConditions: {},
        queryFilter: {},
        attributesToGet: [],
        conditionalOperator: 'AND',
      },
      mixed(
        'AttributesToGet, QueryFilter, ConditionalOperator, KeyConditions',
        'ProjectionExpression, FilterExpression, KeyConditionExpression',
      ),
    ],
    ['Query', { keyConditions: {}, filterExpression: '', projectionExpression: '' }, undefined],
    ['Query', { keyConditions: {}, keyConditionExpression: '' }, mixed('KeyConditions', 'KeyConditionExpression')],
    ['Scan', { filterExpression: '', scanFilter: {} }, mixed('ScanFilter', 'FilterExpression')],
    ['Scan', { projectionExpression: '', scanFilter: {} }, mixed('ScanFilter', 'ProjectionExpression')],
    ['PutItem', { conditionExpression: '' }, undefined],
    ['PutItem', { expected: {} }, undefined],
  ])('%s %j', (operation, request, expected) => {
    expect(refusal(request, operation)).toBe(expected);
  });
});

describe('names and values need an expression (DB-198)', () => {
  const namesAlone = 'ExpressionAttributeNames can only be specified when using expressions';
  const valuesAlone = 'ExpressionAttributeValues can only be specified when using expressions';
  it.each<[ExpressionOperation, ExpressionParameters, string | undefined]>([
    ['GetItem', { expressionAttributeNames: names }, namesAlone],
    ['PutItem', { expressionAttributeNames: names, expressionAttributeValues: values }, namesAlone],
    ['PutItem', { expressionAttributeValues: values }, valuesAlone],
    ['Query', { expressionAttributeValues: values, projectionExpression: 'a' }, valuesAlone],
    [
      'Scan',
      { expressionAttributeValues: values, projectionExpression: 'a' },
      `${valuesAlone}: FilterExpression is null`,
    ],
    ['TransactPut', { expressionAttributeNames: names, expressionAttributeValues: values }, undefined],
    ['TransactDelete', { expressionAttributeNames: names, expressionAttributeValues: values }, undefined],
    ['TransactGetItems', { expressionAttributeNames: names }, undefined],
    ['GetItem', { projectionExpression: '', expressionAttributeNames: names }, undefined],
    ['Scan', { filterExpression: '', expressionAttributeNames: names, expressionAttributeValues: values }, undefined],
    ['UpdateItem', { updateExpression: '', expressionAttributeValues: {} }, undefined],
  ])('%s %j', (operation, request, expected) => {
    expect(refusal(request, operation)).toBe(expected);
  });

  it('an empty key condition is reported before names and values', () => {
    expect(refusal({ keyConditionExpression: '', expressionAttributeValues: {} }, 'Query')).toBe(
      'Invalid KeyConditionExpression: The expression can not be empty;',
    );
  });

  it('Scan looks at its filter before the operator that joins it, Query after it', () => {
    const filter = { a: { comparisonOperator: 'EQ', attributeValueList: [{ N: 'x' }] } } as const;
    expect(refusal({ scanFilter: filter, conditionalOperator: 'AND' }, 'Scan')).toContain('numeric value: x');
    expect(refusal({ queryFilter: filter, conditionalOperator: 'AND' }, 'Query')).toContain('two or more elements');
  });

  it('mixing is reported first', () => {
    const request = { projectionExpression: 'a', attributesToGet: ['a'], expressionAttributeValues: values };
    expect(refusal(request, 'Scan')).toBe(mixed('AttributesToGet', 'ProjectionExpression'));
  });
});

describe('ConditionalOperator', () => {
  it.each<[ExpressionOperation, ExpressionParameters, string | undefined]>([
    ['PutItem', { conditionalOperator: 'OR' }, 'ConditionalOperator cannot be used without Filter or Expected'],
    [
      'Scan',
      { conditionalOperator: 'OR', scanFilter: {} },
      'ConditionalOperator cannot be used without Filter or Expected',
    ],
    [
      'Query',
      { conditionalOperator: 'AND', queryFilter: { a: condition } },
      'ConditionalOperator can only be used when Filter or Expected has two or more elements',
    ],
    ['PutItem', { conditionalOperator: 'OR', expected: { a: condition, b: condition } }, undefined],
  ])('%s %j', (operation, request, expected) => {
    expect(refusal(request, operation)).toBe(expected);
  });
});

describe('what Query and Scan check before their start key', () => {
  const badFilter = { a: { comparisonOperator: 'EQ' } } as const;
  const badFilterText =
    'One or more parameter values were invalid: Invalid number of argument(s) for the EQ ComparisonOperator';
  const duplicate = 'One or more parameter values were invalid: Duplicate value in attribute name: a';

  it('a Query its filter and then the attributes to get, a Scan the other way round', () => {
    const attributesToGet = ['b', 'a', 'a'];
    expect(refusal({ queryFilter: badFilter, attributesToGet }, 'Query')).toBe(badFilterText);
    expect(refusal({ queryFilter: {}, attributesToGet }, 'Query')).toBe(duplicate);
    expect(refusal({ scanFilter: badFilter, attributesToGet }, 'Scan')).toBe(duplicate);
    expect(refusal({ scanFilter: badFilter, attributesToGet: ['a'] }, 'Scan')).toBe(badFilterText);
  });

  it('other operations leave both to the second phase', () => {
    expect(refusal({ attributesToGet: ['a', 'a'] }, 'GetItem')).toBeUndefined();
    expect(() => compileExpressions({ attributesToGet: ['a', 'a'] }, 'GetItem')).toThrow(duplicate);
  });
});

it('AttributesToGet is a projection on whole attributes (DB-147)', () => {
  const { projection } = compileExpressions({ attributesToGet: ['a.b', 'c', 'absent'] }, 'GetItem');
  const source = attributeSource({ 'a.b': { S: 'x' }, a: { M: { b: { S: 'y' } } }, c: { L: [] } });
  expect(projection?.project(source)).toEqual({ 'a.b': { S: 'x' }, c: { L: [] } });
  expect(projection?.paths).toEqual([['a.b'], ['c'], ['absent']]);
});
