import { describe, expect, it } from 'vitest';
import type { UncheckedAttributeMap } from '../values/attribute-value.ts';
import { compileExpressions } from './compile-expressions.ts';
import type { KeyConditionTerm } from './key-condition.ts';

function terms(text: string, values?: UncheckedAttributeMap): readonly KeyConditionTerm[] | undefined {
  return compileExpressions({ keyConditionExpression: text, expressionAttributeValues: values }, 'Query').keyCondition
    ?.terms;
}

const a = { S: 'a' };
const b = { S: 'b' };

/** The text of the error, without the name of the parameter. */
function problem(text: string): string {
  const values = Object.fromEntries(
    Object.entries({ ':a': a, ':b': b }).filter(([name]) => new RegExp(`${name}\\b`).test(text)),
  );
  try {
    terms(text, Object.keys(values).length > 0 ? values : undefined);
    return 'accepted';
  } catch (error) {
    return (error as Error).message.replace('Invalid KeyConditionExpression: ', '');
  }
}

describe('key conditions (DB-083, DB-203 to DB-205, DB-209)', () => {
  it.each<[string, KeyConditionTerm[]]>([
    ['pk = :a', [{ attributeName: 'pk', operator: '=', operands: [a] }]],
    [
      '(sk > :b) AND pk = :a',
      [
        { attributeName: 'sk', operator: '>', operands: [b] },
        { attributeName: 'pk', operator: '=', operands: [a] },
      ],
    ],
    [
      'pk = :a AND sk BETWEEN :a AND :b',
      [
        { attributeName: 'pk', operator: '=', operands: [a] },
        { attributeName: 'sk', operator: 'BETWEEN', operands: [a, b] },
      ],
    ],
    [
      '(pk = :a and (begins_with(sk, :b)))',
      [
        { attributeName: 'pk', operator: '=', operands: [a] },
        { attributeName: 'sk', operator: 'begins_with', operands: [b] },
      ],
    ],
    [
      ':a = pk AND :b <= sk',
      [
        { attributeName: 'pk', operator: '=', operands: [a] },
        { attributeName: 'sk', operator: '>=', operands: [b] },
      ],
    ],
    [
      ':a < x AND :a > y AND :b >= z',
      [
        { attributeName: 'x', operator: '>', operands: [a] },
        { attributeName: 'y', operator: '<', operands: [a] },
        { attributeName: 'z', operator: '<=', operands: [b] },
      ],
    ],
  ])('%s', (text, expected) => {
    const values: UncheckedAttributeMap = { ':a': a, ...(text.includes(':b') && { ':b': b }) };
    expect(terms(text, values)).toEqual(expected);
  });

  const invalidOperator = 'Invalid operator used in KeyConditionExpression: ';
  const invalidCondition = 'Invalid condition in KeyConditionExpression: ';
  const nestedOperation = 'KeyConditionExpressions cannot contain nested operations';
  const nestedAttribute = 'KeyConditionExpressions cannot have conditions on nested attributes';
  const oncePerKey = 'KeyConditionExpressions must only contain one condition per key';
  it.each([
    ['a > b and size(b) > c or a > c', `${invalidOperator}OR`],
    ['a in (b, size(c), d)', `${invalidOperator}IN`],
    ['attribute_exists(a)', `${invalidOperator}attribute_exists`],
    ['attribute_not_exists(a)', `${invalidOperator}attribute_not_exists`],
    [
      'attribute_type(a, :a)',
      'Invalid attribute type name found; type: a, valid types: {S,SS,N,NS,B,BS,BOOL,NULL,L,M}',
    ],
    ['contains(a.d, b)', `${invalidOperator}contains`],
    ['not a > b', `${invalidOperator}NOT`],
    ['a <> b', `${invalidOperator}<>`],
    ['pk = :a AND (x = :a OR x = :b)', `${invalidOperator}OR`],
    [
      ':a between size(b) and size(a) and b > :b',
      `${invalidCondition}BETWEEN operator must have the key attribute as its first operand`,
    ],
    [
      'begins_with(:a, b) and a > :b',
      `${invalidCondition}begins_with operator must have the key attribute as its first operand`,
    ],
    ['size(b) > a AND a.b > b AND b > c', nestedOperation],
    ['a > size(b.d)', nestedOperation],
    ['a between size(b) and size(c)', nestedOperation],
    ['b > a.b', `${invalidCondition}Multiple attribute names used in one condition`],
    ['b between c[1] and d', `${invalidCondition}Multiple attribute names used in one condition`],
    ['a between b and size(c)', `${invalidCondition}Multiple attribute names used in one condition`],
    ['begins_with(a, b)', `${invalidCondition}Multiple attribute names used in one condition`],
    ['b.d > a AND c.d > e.f', nestedAttribute],
    ['b[0] > a', nestedAttribute],
    ['pk = :a AND sk.foo = :b', nestedAttribute],
    [':b > :a AND a < :b', `${invalidCondition}No key attribute specified`],
    [':a > b AND :a < :b', `${invalidCondition}No key attribute specified`],
    ['b > :a AND b < :a and c = :a and d = :a', oncePerKey],
    ['(a > :a and b > :a) and (b > :a and c > :a)', oncePerKey],
    ['pk = :a AND pk = :a', oncePerKey],
  ])('%s', (text, expected) => {
    expect(problem(text)).toBe(expected);
  });

  it('bounds are compared like those of any BETWEEN (DB-207)', () => {
    expect(problem('a between :b and :a')).toBe(
      'The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: {S:a}',
    );
  });

  it('a comma is not AND (DB-205)', () => {
    expect(problem('pk = :a, sk = :b')).toBe('Syntax error; token: ",", near: ":a, sk"');
  });
});
