import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import type { AttributeValue, UncheckedAttributeMap } from '../values/attribute-value.ts';
import { compareUtf8 } from '../values/utf8.ts';
import { compileExpressions } from './compile-expressions.ts';
import type { LegacyCondition } from './legacy-parameters.ts';
import { type QueriedKey, type ResolvedKeyCondition, resolveKeyCondition } from './resolve-key-condition.ts';

const simple: QueriedKey = { partition: [{ attributeName: 'pk', attributeType: 'S' }], sort: [] };
const composite: QueriedKey = { ...simple, sort: [{ attributeName: 'sk', attributeType: 'S' }] };
const numeric: QueriedKey = { ...simple, sort: [{ attributeName: 'sk', attributeType: 'N' }] };
const binary: QueriedKey = { ...simple, sort: [{ attributeName: 'sk', attributeType: 'B' }] };
/** An index with several attributes for each part of its key. */
const multiple: QueriedKey = {
  partition: [
    { attributeName: 'h', attributeType: 'S' },
    { attributeName: 'i', attributeType: 'N' },
  ],
  sort: ['a', 'b', 'c', 'd'].map((attributeName) => ({ attributeName, attributeType: 'S' })),
};

function resolve(text: string, key: QueriedKey, values: UncheckedAttributeMap): ResolvedKeyCondition {
  const { keyCondition } = compileExpressions(
    { keyConditionExpression: text, expressionAttributeValues: values },
    'Query',
  );
  if (keyCondition === undefined) throw new TypeError('no key condition');
  return resolveKeyCondition(keyCondition, key);
}

function resolveLegacy(keyConditions: Record<string, LegacyCondition>, key: QueriedKey): ResolvedKeyCondition {
  const { keyCondition } = compileExpressions({ keyConditions }, 'Query');
  if (keyCondition === undefined) throw new TypeError('no key condition');
  return resolveKeyCondition(keyCondition, key);
}

const p = { S: 'p' };
const s = { S: 's' };
const t = { S: 't' };
const typeMismatch = 'One or more parameter values were invalid: Condition parameter type does not match schema type';

describe('one attribute for each part of the key (DB-203 to DB-207)', () => {
  it.each<[string, QueriedKey, ResolvedKeyCondition]>([
    ['pk = :p', simple, { partition: [p], sortEquals: [] }],
    ['pk = :p', composite, { partition: [p], sortEquals: [] }],
    ['pk = :p AND sk = :s', composite, { partition: [p], sortEquals: [s] }],
    ['sk = :s AND pk = :p', composite, { partition: [p], sortEquals: [s] }],
    [
      'pk = :p AND sk >= :s',
      composite,
      { partition: [p], sortEquals: [], range: { attributeName: 'sk', operator: '>=', operands: [s] } },
    ],
    [
      'pk = :p AND begins_with(sk, :s)',
      composite,
      { partition: [p], sortEquals: [], range: { attributeName: 'sk', operator: 'begins_with', operands: [s] } },
    ],
    [
      'pk = :p AND sk BETWEEN :s AND :t',
      composite,
      { partition: [p], sortEquals: [], range: { attributeName: 'sk', operator: 'BETWEEN', operands: [s, t] } },
    ],
  ])('%s', (text, key, expected) => {
    const all: UncheckedAttributeMap = { ':p': p, ':s': s, ':t': t };
    const used = Object.fromEntries(Object.entries(all).filter(([name]) => text.includes(name)));
    expect(resolve(text, key, used)).toEqual(expected);
  });

  it.each<[string, QueriedKey, UncheckedAttributeMap, string]>([
    // Recorded from the service
    ['sk = :v', composite, { ':v': s }, 'Query condition missed key schema element: pk'],
    ['attr1 = :v', composite, { ':v': s }, 'Query condition missed key schema element: pk'],
    [
      'z BETWEEN :a AND :b',
      composite,
      { ':a': { N: '1' }, ':b': { N: '1' } },
      'Query condition missed key schema element: pk',
    ],
    [
      'pk = :p AND sk > :a AND extra = :b',
      numeric,
      { ':p': p, ':a': { N: '1' }, ':b': { N: '5' } },
      'The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)',
    ],
    ['pk = :p AND begins_with(sk, :v)', numeric, { ':p': p, ':v': s }, typeMismatch],
    ['pk = :p AND sk = :v', numeric, { ':p': p, ':v': { BOOL: true } }, typeMismatch],
    ['pk > :p', composite, { ':p': p }, 'Query key condition not supported'],
    ['begins_with(pk, :p)', simple, { ':p': p }, 'Query key condition not supported'],
    ['pk BETWEEN :p AND :p', simple, { ':p': p }, 'Query key condition not supported'],
    // In the same order
    ['pk = :p AND extra = :v', composite, { ':p': p, ':v': s }, 'Query condition missed key schema element: sk'],
    [
      'pk = :p AND extra = :v',
      simple,
      { ':p': p, ':v': s },
      'The number of query conditions (2) exceeds the number of key attributes defined in the schema (1)',
    ],
    ['pk > :p AND sk = :s', composite, { ':p': { N: '1' }, ':s': { N: '1' } }, typeMismatch],
    ['pk > :p AND sk = :s', composite, { ':p': p, ':s': { N: '1' } }, 'Query key condition not supported'],
    ['pk = :p AND sk BETWEEN :a AND :b', composite, { ':p': p, ':a': { N: '1' }, ':b': { N: '2' } }, typeMismatch],
    // Values that no key has
    [
      'pk = :p',
      simple,
      { ':p': { S: '' } },
      'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk',
    ],
    [
      'pk = :p AND sk > :s',
      binary,
      { ':p': p, ':s': { B: '' } },
      'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty binary value. Key: sk',
    ],
    [
      'pk = :p',
      simple,
      { ':p': { S: 'x'.repeat(2049) } },
      'One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes',
    ],
    [
      'pk = :p AND sk BETWEEN :s AND :t',
      composite,
      { ':p': p, ':s': s, ':t': { S: 'x'.repeat(1025) } },
      'One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes',
    ],
  ])('%s', (text, key, values, message) => {
    expect(() => resolve(text, key, values)).toThrow(
      expect.objectContaining({ name: 'ValidationException', message }) as Error,
    );
  });

  it('accepts keys of the longest length', () => {
    const values = { ':p': { S: 'x'.repeat(2048) }, ':s': { S: 'x'.repeat(1024) } };
    expect(resolve('pk = :p AND sk < :s', composite, values).partition).toEqual([values[':p']]);
  });
});

describe('several attributes for each part of the key (DB-076)', () => {
  const values: UncheckedAttributeMap = {
    ':h': { S: 'h' },
    ':i': { N: '1' },
    ':a': { S: 'A' },
    ':b': { S: 'B' },
    ':c': { S: 'C' },
    ':d': { S: 'D' },
  };
  const partition = [values[':h'], values[':i']];
  const used = (text: string): UncheckedAttributeMap =>
    Object.fromEntries(Object.entries(values).filter(([name]) => text.includes(name)));

  it.each<[string, readonly unknown[], string | undefined]>([
    ['h = :h AND i = :i', [], undefined],
    ['i = :i AND h = :h AND a = :a', [values[':a']], undefined],
    ['b = :b AND h = :h AND a = :a AND i = :i', [values[':a'], values[':b']], undefined],
    ['h = :h AND i = :i AND a < :a', [], 'a'],
    [
      'h = :h AND i = :i AND a = :a AND b = :b AND c = :c AND begins_with(d, :d)',
      [values[':a'], values[':b'], values[':c']],
      'd',
    ],
    [
      'h = :h AND i = :i AND a = :a AND b = :b AND c = :c AND d = :d',
      [values[':a'], values[':b'], values[':c'], values[':d']],
      undefined,
    ],
  ])('%s', (text, sortEquals, rangeAttribute) => {
    const resolved = resolve(text, multiple, used(text));
    expect(resolved.partition).toEqual(partition);
    expect(resolved.sortEquals).toEqual(sortEquals);
    expect(resolved.range?.attributeName).toBe(rangeAttribute);
  });

  const rule = (missing: string, present: string): string =>
    `RANGE key attributes ${missing} must have equality conditions specified in the query because a condition is present on key attribute ${present}`;
  it.each([
    ['h = :h', 'Query condition missed key schema element: i'],
    ['i = :i', 'Query condition missed key schema element: h'],
    ['h = :h AND i > :i', 'Query key condition not supported'],
    ['h = :h AND i = :i AND a = :a AND c = :c', rule('b', 'c')],
    ['h = :h AND i = :i AND a = :a AND b > :b AND c = :c', rule('b', 'c')],
    ['h = :h AND i = :i AND b = :b', rule('a', 'b')],
    ['h = :h AND i = :i AND d = :d', rule('a, b, c', 'd')],
    ['h = :h AND i = :i AND a = :a AND x = :b', 'Query condition missed key schema element: b'],
  ])('%s', (text, message) => {
    expect(() => resolve(text, multiple, used(text))).toThrow(message);
  });
});

describe('legacy KeyConditions (DB-147)', () => {
  it('are held against the key in the same way', () => {
    const resolved = resolveLegacy(
      {
        sk: { comparisonOperator: 'BEGINS_WITH', attributeValueList: [s] },
        pk: { comparisonOperator: 'EQ', attributeValueList: [p] },
      },
      composite,
    );
    expect(resolved).toEqual({
      partition: [p],
      sortEquals: [],
      range: { attributeName: 'sk', operator: 'begins_with', operands: [s] },
    });
  });

  it.each(['NULL', 'NOT_NULL', 'NE', 'CONTAINS', 'NOT_CONTAINS', 'IN'] as const)('%s serves no index', (operator) => {
    const attributeValueList = operator.endsWith('NULL') ? [] : [p];
    expect(() => resolveLegacy({ pk: { comparisonOperator: operator, attributeValueList } }, simple)).toThrow(
      'Attempted conditional constraint is not an indexable operation',
    );
  });

  it.each(['LE', 'LT', 'GE', 'GT', 'BEGINS_WITH'] as const)('%s is not an equality', (operator) => {
    expect(() => resolveLegacy({ pk: { comparisonOperator: operator, attributeValueList: [p] } }, simple)).toThrow(
      'Query key condition not supported',
    );
  });
});

describe('BETWEEN can say everything (DB-208)', () => {
  // Strings of a few characters, of at most three of them, so that neighbours can be named.
  const alphabet = ['a', 'b', 'c'];
  const keys = [1, 2, 3].flatMap((length) =>
    Array.from({ length: alphabet.length ** length }, (_, number) =>
      number
        .toString(3)
        .padStart(length, '0')
        .replaceAll(/\d/g, (digit) => alphabet[Number(digit)] ?? ''),
    ),
  );
  const sorted = keys.toSorted(compareUtf8);

  function matches({ sortEquals, range }: ResolvedKeyCondition): string[] {
    const text = (value: AttributeValue | undefined): string => (value && 'S' in value ? value.S : '');
    const [first, second] = (range?.operands ?? sortEquals).map(text);
    if (first === undefined) return sorted;
    return sorted.filter((key) => {
      const order = compareUtf8(key, first);
      switch (range?.operator) {
        case undefined:
          return order === 0;
        case '<':
          return order < 0;
        case '<=':
          return order <= 0;
        case '>':
          return order > 0;
        case '>=':
          return order >= 0;
        case 'begins_with':
          return key.startsWith(first);
        case 'BETWEEN':
          return order >= 0 && compareUtf8(key, second ?? '') <= 0;
      }
    });
  }

  it('each operator equals a suitable BETWEEN', () => {
    const operators = fc.constantFrom('=', '<', '<=', '>', '>=', 'begins_with');
    fc.assert(
      fc.property(operators, fc.constantFrom(...keys), (operator, operand) => {
        const condition = operator === 'begins_with' ? 'begins_with(sk, :s)' : `sk ${operator} :s`;
        const found = matches(resolve(`pk = :p AND ${condition}`, composite, { ':p': p, ':s': { S: operand } }));
        const [lower, upper] = [found.at(0), found.at(-1)];
        if (lower === undefined || upper === undefined) return;
        const bounds = { ':p': p, ':l': { S: lower }, ':u': { S: upper } };
        expect(matches(resolve('pk = :p AND sk BETWEEN :l AND :u', composite, bounds))).toEqual(found);
      }),
    );
  });
});
