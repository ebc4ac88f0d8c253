import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import type { AttributeMap, AttributeValue, UncheckedAttributeMap } from '../values/attribute-value.ts';
import { DynamoError } from '../values/service-error.ts';
import { type CompiledExpressions, compileExpressions } from './compile-expressions.ts';
import { attributeSource } from './document-path.ts';
import {
  type ExpressionOperation,
  type ExpressionParameters,
  checkExpressionParameters,
} from './expression-parameters.ts';
import { resolveKeyCondition } from './resolve-key-condition.ts';

/**
 * Whatever is sent, the answer is a result or an error of the service. Sentences of random tokens, longer and deeper than
 * allowed, are compiled, and those that compile are run on random items.
 */

const tokenArbitrary = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'a.b', 'l[0]', 'l[1].a', '#n', '#p', '#p.#n', 'm.#p') },
  { weight: 6, arbitrary: fc.constantFrom(':s', ':n', ':l', ':m', ':ss', ':ns', ':bool', ':null', ':b', ':undefined') },
  { weight: 6, arbitrary: fc.constantFrom('=', '<>', '<', '<=', '>', '>=', '+', '-', ',', '(', ')', '[', ']', '.') },
  { weight: 4, arbitrary: fc.constantFrom('AND', 'or', 'Not', 'BETWEEN', 'in', 'SET', 'remove', 'Add', 'DELETE') },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(
        'attribute_exists',
        'attribute_not_exists',
        'attribute_type',
        'begins_with',
        'contains',
        'size',
        'if_not_exists',
        'list_append',
      )
      .map((name) => `${name}(`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('name', '0', '007', '4294967296', '_', '"x"', '\uD83D', '😀', '\u0000', '__proto__'),
  },
);
const soupArbitrary = fc.array(tokenArbitrary, { maxLength: 40 }).map((tokens) => tokens.join(' '));
const deepArbitrary = fc
  .tuple(
    fc.constantFrom('(', 'NOT ', 'size(', 'a.', 'a[0]', 'a=:s AND ', 'SET a=', '('),
    fc.nat({ max: 5000 }),
    soupArbitrary,
  )
  .map(([unit, count, rest]) => (unit.repeat(count) + rest).slice(0, 4200));

// Sentences that are mostly valid, so that the later checks and the evaluators are reached as well.
const operandArbitrary = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'm.a', 'l[0]', 'l[5]', '#p', 'm.#p', '#n.b', 'x.y.z') },
  { weight: 3, arbitrary: fc.constantFrom(':s', ':n', ':l', ':m', ':ss', ':ns', ':b') },
  { weight: 1, arbitrary: fc.constantFrom('size(a)', 'size(:s)', '(b)') },
);
const pathArbitrary = fc.constantFrom('a', 'b', 'c', 'm.a', 'm.b', 'l[0]', 'l[1]', 'l[9]', '#p', 'm.#p', 'x.y');
const conditionArbitrary = fc
  .array(
    fc.oneof(
      fc
        .tuple(operandArbitrary, fc.constantFrom('=', '<>', '<', '<='), operandArbitrary)
        .map((parts) => parts.join(' ')),
      fc.tuple(operandArbitrary, operandArbitrary, operandArbitrary).map(([x, y, z]) => `${x} BETWEEN ${y} AND ${z}`),
      fc
        .tuple(operandArbitrary, fc.array(operandArbitrary, { minLength: 1 }))
        .map(([x, list]) => `${x} IN (${list.join(',')})`),
      fc
        .tuple(fc.constantFrom('begins_with', 'contains', 'attribute_type'), pathArbitrary, operandArbitrary)
        .map(([f, x, y]) => `${f}(${x}, ${y})`),
      pathArbitrary.map((path) => `NOT attribute_exists(${path})`),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .chain((parts) => fc.constantFrom(' AND ', ' OR ', ' AND NOT ').map((joint) => parts.join(joint)));
const setValueArbitrary = fc.oneof(
  operandArbitrary,
  fc.tuple(operandArbitrary, fc.constantFrom('+', '-'), operandArbitrary).map((parts) => parts.join(' ')),
  fc.tuple(pathArbitrary, operandArbitrary).map(([x, y]) => `if_not_exists(${x}, ${y})`),
  fc.tuple(operandArbitrary, operandArbitrary).map(([x, y]) => `list_append(${x}, ${y})`),
);
const updateArbitrary = fc
  .tuple(
    fc.array(
      fc.tuple(pathArbitrary, setValueArbitrary).map((parts) => parts.join(' = ')),
      { maxLength: 2 },
    ),
    fc.array(pathArbitrary, { maxLength: 2 }),
    fc.array(
      fc.tuple(pathArbitrary, fc.constantFrom(':n', ':ss', ':ns')).map((parts) => parts.join(' ')),
      { maxLength: 1 },
    ),
    fc.array(
      fc.tuple(pathArbitrary, fc.constantFrom(':ss', ':ns')).map((parts) => parts.join(' ')),
      { maxLength: 1 },
    ),
  )
  .map((sections) =>
    sections
      .map((actions, index) =>
        actions.length > 0 ? `${['SET', 'REMOVE', 'ADD', 'DELETE'][index]} ${actions.join(', ')}` : '',
      )
      .join(' '),
  );
const textArbitrary = fc.oneof(
  { weight: 2, arbitrary: soupArbitrary },
  { weight: 1, arbitrary: deepArbitrary },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 4, arbitrary: conditionArbitrary },
  { weight: 4, arbitrary: updateArbitrary },
  { weight: 2, arbitrary: fc.array(pathArbitrary, { minLength: 1 }).map((paths) => paths.join(', ')) },
);

const allNames: Record<string, string> = { '#n': 'a.b', '#p': '__proto__' };
const allValues: UncheckedAttributeMap = {
  ':s': { S: 'x' },
  ':n': { N: '1e10' },
  ':l': { L: [{ S: 'x' }] },
  ':m': { M: { a: { N: '1' } } },
  ':ss': { SS: ['x', 'y'] },
  ':ns': { NS: ['1', '2'] },
  ':bool': { BOOL: true },
  ':null': { NULL: true },
  ':b': { B: 'AQ==' },
};

/** Only what the text uses, because otherwise little would pass that check. */
function used<T>(all: Readonly<Record<string, T>>, text: string): Record<string, T> | undefined {
  const entries = Object.entries(all).filter(([name]) => new RegExp(`${name}(?![0-9A-Za-z_])`).test(text));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

const { value: valueArbitrary } = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<AttributeValue>(
      { S: 'x' },
      { S: '' },
      { N: '1' },
      { N: '-7.5' },
      { B: 'AQ==' },
      { BOOL: true },
      { NULL: true },
    ),
    fc.constantFrom<AttributeValue>({ SS: ['x'] }, { NS: ['1', '3'] }, { BS: ['AQ=='] }),
    fc.array(tie('value'), { maxLength: 3 }).map((L) => ({ L })),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('value'), { maxKeys: 3 }).map((M) => ({ M })),
  ),
}));
const itemArbitrary: fc.Arbitrary<AttributeMap> = fc.oneof(
  fc.dictionary(fc.constantFrom('a', 'b', 'l', 'm', 'a.b', '__proto__'), valueArbitrary),
  // An item in which most paths lead somewhere.
  fc.constant<AttributeMap>({
    a: { N: '1' },
    b: { L: [{ S: 'x' }] },
    l: { L: [{ N: '2' }, { SS: ['x', 'z'] }] },
    m: { M: { a: { N: '3' }, b: { NS: ['1'] } } },
  }),
);

const places = [
  ['filterExpression', 'Scan'],
  ['conditionExpression', 'PutItem'],
  ['keyConditionExpression', 'Query'],
  ['updateExpression', 'UpdateItem'],
  ['updateExpression', 'TransactUpdate'],
  ['projectionExpression', 'GetItem'],
] as const satisfies readonly (readonly [keyof ExpressionParameters, ExpressionOperation])[];

const outcomes = { refused: 0, compiled: 0, applied: 0 };

function run(text: string, item: AttributeMap): void {
  for (const [parameter, operation] of places) {
    const request: ExpressionParameters = {
      [parameter]: text,
      expressionAttributeNames: used(allNames, text),
      expressionAttributeValues: operation === 'GetItem' ? undefined : used(allValues, text),
    };
    const before = JSON.stringify(item);
    attempt(() => {
      checkExpressionParameters(request, operation);
      evaluate(compileExpressions(request, operation), item);
    });
    expect(JSON.stringify(item)).toBe(before);
  }
}

function evaluate(
  { condition, filter, keyCondition, update, projection }: CompiledExpressions,
  item: AttributeMap,
): void {
  outcomes.compiled += 1;
  const source = attributeSource(item);
  expect(typeof (condition ?? filter)?.evaluate(source)).toMatch(/boolean|undefined/);
  projection?.project(source);
  if (update) {
    update.apply(item);
    outcomes.applied += 1;
  }
  if (keyCondition) {
    const key = { attributeName: 'a', attributeType: 'S' } as const;
    resolveKeyCondition(keyCondition, { partition: [key], sort: [{ ...key, attributeName: 'b' }] });
  }
}

function attempt(action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof DynamoError)) throw error;
    expect(error.name).toBe('ValidationException');
    outcomes.refused += 1;
  }
}

describe('nothing but ValidationException escapes', () => {
  it('for any text and item', () => {
    fc.assert(fc.property(textArbitrary, itemArbitrary, run), { numRuns: 5000 });
    expect(outcomes.compiled).toBeGreaterThan(1000);
    expect(outcomes.applied).toBeGreaterThan(100);
    expect(outcomes.refused).toBeGreaterThan(1000);
  });

  it.each(['(', 'NOT ', 'a=b AND ', 'f(', 'a[0]', 'a.b.', ')', '#', ':', '\u0000'])('for 4 KB of %j', (unit) => {
    const text = unit.repeat(4096 / unit.length);
    run(text, {});
    run(`SET a = ${text}`.slice(0, 4096), {});
  });
});
