import { describe, expect, it } from 'vitest';
import type { UncheckedAttributeMap } from '../values/attribute-value.ts';
import { compileExpressions } from './compile-expressions.ts';

function sizeOf(
  updateExpression: string,
  values: UncheckedAttributeMap = { ':v': { S: '12345' } },
): number | undefined {
  const used = Object.entries(values).filter(([placeholder]) => updateExpression.includes(placeholder));
  const request = {
    updateExpression,
    ...(used.length > 0 && { expressionAttributeValues: Object.fromEntries(used) }),
    ...(updateExpression.includes('#name') && { expressionAttributeNames: { '#name': 'ä' } }),
  };
  return compileExpressions(request, 'UpdateItem').update?.statementSizeBytes();
}

describe('the size of an update (DB-039)', () => {
  it.each([
    ['SET b = :v', 3 + 19 + 1 + 5],
    ['SET #name = :v', 3 + 19 + 2 + 5],
    ['SET b = :v, c = :v', 3 + 2 * (19 + 1 + 5)],
    ['SET doc.leaf = :v', 3 + 19 + 3 + (4 + 4) + 5],
    ['SET l[10] = :v', 3 + 19 + 1 + (4 + 2) + 5],
    ['SET b = a.bc', 3 + 19 + 1 + 1 + (14 + 1) + (14 + 2)],
    ['SET b = a + :n', 3 + 19 + 1 + 34 + (1 + 14 + 1) + 2],
    ['SET b = a - :n', 3 + 19 + 1 + 37 + (1 + 14 + 1) + 2],
    ['SET b = if_not_exists(b, :v)', 3 + 19 + 1 + 39 + (1 + 14 + 1) + 5],
    ['SET b = list_append(b, :l)', 3 + 19 + 1 + 37 + (1 + 14 + 1) + (3 + 1 + 2)],
    ['ADD b :s', 3 + 19 + 1 + 3],
    ['DELETE b :s', 3 + 1 + 1],
    ['REMOVE b, doc.leaf', 3 + (1 + 1) + (1 + 3 + 4 + 4)],
  ])('%s', (text, sizeBytes) => {
    const values = { ':v': { S: '12345' }, ':n': { N: '1' }, ':l': { L: [{ N: '1' }] }, ':s': { SS: ['a', 'bc'] } };
    expect(sizeOf(text, values)).toBe(sizeBytes);
  });
});
