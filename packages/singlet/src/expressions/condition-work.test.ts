import { describe, expect, test } from 'vitest';
import type { AttributeMap, AttributeValue } from '../values/attribute-value.ts';
import { ValidationException } from '../values/service-error.ts';
import { evaluationUnits, evaluationUnitsMax } from '../values/work-units.ts';
import { compileExpressions } from './compile-expressions.ts';
import type { Condition } from './condition.ts';
import { type AttributeSource, attributeSource } from './document-path.ts';
import { cpuTimeMs } from '../values/testing/cpu-time.ts';

function compile(text: string, values: AttributeMap): Condition {
  const { condition } = compileExpressions({ conditionExpression: text, expressionAttributeValues: values }, 'PutItem');
  if (condition === undefined) throw new TypeError('no condition');
  return condition;
}

/** `contains(a, :0) OR contains(a, :1) …` */
function manySearches(count: number, needle: (at: number) => AttributeValue): Condition {
  const places = Array.from({ length: count }, (_, at) => at);
  return compile(
    places.map((at) => `contains(a, :${at})`).join(' OR '),
    Object.fromEntries(places.map((at) => [`:${at}`, needle(at)])),
  );
}

const largeText = attributeSource({ a: { S: 'a'.repeat(330_000) } });

describe('the work of conditions', () => {
  test('of a hundred searches in 330,000 characters is within the limit, and over soon', () => {
    const condition = manySearches(100, (at) => ({ S: `${'a'.repeat(3000 + at)}b${'a'.repeat(3000)}` }));
    const startedMs = cpuTimeMs();
    expect(condition.evaluate(largeText)).toBe(false);
    // A fifth of a second; the runtime's own search takes some forty.
    expect(cpuTimeMs() - startedMs).toBeLessThan(5000);
    expect(evaluationUnits()).toBeGreaterThan((100 * 330_000) / 64);
  });

  test('is refused beyond the limit, and the next condition starts over', () => {
    const condition = manySearches(110, (at) => ({ S: `b${at}` }));
    expect(() => condition.evaluate(largeText)).toThrow(ValidationException);
    expect(condition.evaluate(attributeSource({ a: { S: 'a b7 c' } }))).toBe(true);
    expect(evaluationUnits()).toBeLessThan(20);
  });

  test.each<[string, AttributeValue, (at: number) => AttributeValue]>([
    [
      'bytes',
      { B: Buffer.alloc(300_000, 1).toString('base64') },
      (at) => ({ B: Buffer.from([2, at]).toString('base64') }),
    ],
    ['a set', { NS: Array.from({ length: 60_000 }, (_, at) => String(at)) }, (at) => ({ N: `-${at + 1}` })],
    ['a list', { L: Array.from({ length: 60_000 }, () => ({ NULL: true })) }, (at) => ({ S: String(at) })],
  ])('is counted for %s', (_, value, needle) => {
    manySearches(10, needle).evaluate(attributeSource({ a: value }));
    expect(evaluationUnits()).toBeGreaterThan(15_000);
  });

  test('is counted for documents that are compared', () => {
    const document = (): AttributeValue => ({ L: Array.from({ length: 1000 }, () => ({ M: { x: { N: '1' } } })) });
    const condition = compile('a = :d', { ':d': document() });
    expect(condition.evaluate(attributeSource({ a: document() }))).toBe(true);
    expect(evaluationUnits()).toBeGreaterThan(1000);
  });

  test('is done once for a search that is repeated', () => {
    let readCount = 0;
    const source: AttributeSource = {
      getAttribute: () => {
        readCount += 1;
        return { S: 'nothing' };
      },
    };
    const repeated = Array.from({ length: 50 }, () => 'contains(a, :x)').join(' OR ');
    expect(compile(repeated, { ':x': { S: 'x' } }).evaluate(source)).toBe(false);
    expect(readCount).toBe(1);
    expect(compile('contains(a, :x) OR contains(b, :x)', { ':x': { S: 'x' } }).evaluate(source)).toBe(false);
    expect(readCount).toBe(3);
  });

  test('of small items does not come near the limit', () => {
    const condition = manySearches(100, (at) => ({ S: `needle ${at}` }));
    condition.evaluate(attributeSource({ a: { S: 'x'.repeat(4000) } }));
    expect(evaluationUnits()).toBeLessThan(evaluationUnitsMax / 50);
  });
});
