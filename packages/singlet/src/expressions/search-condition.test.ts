import { describe, expect, test } from 'vitest';
import { ValidationException } from '../values/service-error.ts';
import { compileExpressions } from './compile-expressions.ts';
import { checkExpressionParameters } from './expression-parameters.ts';

const compiled = (searchConditionExpression: string, names?: Readonly<Record<string, string>>) =>
  compileExpressions(
    {
      searchConditionExpression,
      expressionAttributeValues: { ':a': { S: 'x' }, ':b': { N: '1' } },
      ...(names && { expressionAttributeNames: names }),
    },
    'SearchVectors',
  ).searchCondition;

describe('search conditions', () => {
  test('are equalities, joined by AND, either way round', () => {
    expect(compiled('a = :a AND (:b = #n)', { '#n': 'name' })).toEqual({
      equalities: [
        { path: ['a'], value: { S: 'x' } },
        { path: ['name'], value: { N: '1' } },
      ],
    });
  });

  test.each([
    ['a < :a AND b = :b', 'comparator'],
    ['a <> :a AND b = :b', 'comparator'],
    ['a BETWEEN :a AND :b', 'operator'],
    ['a IN (:a, :b)', 'operator'],
    ['a = :a OR b = :b', 'operator'],
    ['NOT a = :a', 'operator'],
    ['begins_with(a, :a)', 'operator'],
    ['a = b', 'operator'],
    [':a = :b', 'operator'],
    ['size(a) = :b', 'operator'],
  ])('know no other: %s', (text, what) => {
    expect(() => compiled(text)).toThrow(
      new ValidationException(`Invalid SearchConditionExpression: Invalid ${what} used in SearchConditionExpression`),
    );
  });

  test('are written like all conditions, and refused like them', () => {
    expect(() => compiled('')).toThrow('Invalid SearchConditionExpression: The expression can not be empty;');
    expect(() => compiled('a = ')).toThrow('Invalid SearchConditionExpression: Syntax error; token: "<EOF>"');
    expect(() => compiled('size = :a')).toThrow('Attribute name is a reserved keyword; reserved keyword: size');
    expect(() => compiled('a = :c')).toThrow(
      'Invalid SearchConditionExpression: An expression attribute value used in expression is not defined; attribute value: :c',
    );
    expect(() => compiled('a = :a')).toThrow(
      'Value provided in ExpressionAttributeValues unused in expressions: keys: {:b}',
    );
    const idle = { expressionAttributeValues: { ':a': { S: 'x' } }, projectionExpression: 'a' };
    expect(() => checkExpressionParameters(idle, 'SearchVectors')).toThrow(
      'ExpressionAttributeValues can only be specified when using expressions',
    );
  });
});
