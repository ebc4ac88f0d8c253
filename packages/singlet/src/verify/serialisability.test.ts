import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ListOperation, ListStep } from './history.ts';
import { findListAnomalies } from './serialisability.ts';

const append = (key: string, value: number): ListStep => ({ kind: 'append', key, value });
const read = (key: string, ...values: readonly number[]): ListStep => ({ kind: 'read', key, values });

/** Operations that all overlap, unless they have times. */
function history(
  ...operations: readonly (Partial<ListOperation> & { readonly steps: readonly ListStep[] })[]
): ListOperation[] {
  return operations.map((operation, at) => ({
    id: at + 1,
    client: at + 1,
    action: 'TransactWriteItems',
    invokedAt: at,
    completedAt: 1000 + at,
    outcome: 'ok',
    ...operation,
  }));
}

const namesIn = (operations: readonly ListOperation[]): readonly string[] =>
  findListAnomalies(operations).map(({ name }) => name);

describe('what strict serialisability allows', () => {
  test('operations in any order while they overlap', () => {
    const operations = history(
      { steps: [append('x', 1), append('y', 1)] },
      { steps: [read('x'), read('y')] },
      { steps: [read('x', 1, 2), read('y', 1)] },
      { steps: [append('x', 2)] },
    );
    expect(findListAnomalies(operations)).toEqual([]);
  });

  test('an unanswered operation that happened, and one that did not', () => {
    const operations = history(
      { steps: [append('x', 1), append('y', 1)], outcome: 'unknown', completedAt: Infinity },
      { steps: [append('x', 2)], outcome: 'unknown', completedAt: Infinity },
      { steps: [read('x', 1), read('y', 1)] },
    );
    expect(findListAnomalies(operations)).toEqual([]);
  });

  test('every execution that is serial, whatever the intervals around its moments', () => {
    const script = fc.array(
      fc.record({
        keys: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { minLength: 1, maxLength: 3 }),
        writes: fc.boolean(),
        before: fc.integer({ min: 0, max: 30 }),
        after: fc.integer({ min: 0, max: 30 }),
        isAnswered: fc.boolean(),
      }),
      { minLength: 1, maxLength: 40 },
    );
    fc.assert(
      fc.property(script, (parts) => {
        const state = new Map<string, readonly number[]>();
        const operations = parts.map(({ keys, writes, before, after, isAnswered }, at): ListOperation => {
          const steps = keys.map((key): ListStep => {
            if (!writes) return read(key, ...(state.get(key) ?? []));
            state.set(key, [...(state.get(key) ?? []), at]);
            return append(key, at);
          });
          const outcome = writes && !isAnswered ? 'unknown' : 'ok';
          const completedAt = outcome === 'ok' ? at * 10 + after + 1 : Infinity;
          return { id: at, client: at, action: 'any', invokedAt: at * 10 - before, completedAt, outcome, steps };
        });
        const last = { ...operations[0]!, id: -1, outcome: 'ok' as const, invokedAt: 1e6, completedAt: 1e6 + 1 };
        const final = { ...last, steps: ['x', 'y', 'z'].map((key) => read(key, ...(state.get(key) ?? []))) };
        expect(findListAnomalies([...operations, final])).toEqual([]);
      }),
    );
  });
});

describe('what it does not', () => {
  const rows: readonly (readonly [string, readonly ListOperation[]])[] = [
    [
      'G0: dirty write',
      history(
        { steps: [append('x', 1), append('y', 1)] },
        { steps: [append('x', 2), append('y', 2)] },
        { steps: [read('x', 1, 2)] },
        { steps: [read('y', 2, 1)] },
      ),
    ],
    ['G1a: aborted read', history({ steps: [append('x', 1)], outcome: 'failed' }, { steps: [read('x', 1)] })],
    [
      'G1c: circular information flow',
      history({ steps: [read('y', 2), append('x', 1)] }, { steps: [read('x', 1), append('y', 2)] }),
    ],
    [
      'G-single: read skew',
      history(
        { steps: [append('x', 1), append('y', 1)] },
        { steps: [read('x', 1), read('y')] },
        { steps: [read('y', 1)] },
      ),
    ],
    [
      'G2-item: write skew',
      history(
        { steps: [read('x'), read('y'), append('x', 1)] },
        { steps: [read('x'), read('y'), append('y', 2)] },
        { steps: [read('x', 1), read('y', 2)] },
      ),
    ],
    [
      'G-single: stale read, against real time',
      history(
        { steps: [append('x', 1)], invokedAt: 1, completedAt: 2 },
        { steps: [read('x')], invokedAt: 3, completedAt: 4 },
        { steps: [read('x', 1)], invokedAt: 5, completedAt: 6 },
      ),
    ],
    [
      'G0: dirty write, against real time',
      history(
        { steps: [append('x', 1)], invokedAt: 1, completedAt: 2 },
        { steps: [append('x', 2)], invokedAt: 3, completedAt: 4 },
        { steps: [read('x', 2, 1)], invokedAt: 5, completedAt: 6 },
      ),
    ],
    ['lost append', history({ steps: [append('x', 1)] }, { steps: [read('x')] })],
    [
      'partial transaction',
      history(
        { steps: [append('x', 1), append('y', 1)], outcome: 'unknown', completedAt: Infinity },
        { steps: [read('x', 1), read('y')] },
      ),
    ],
    ['duplicate append', history({ steps: [append('x', 1)] }, { steps: [read('x', 1, 1)] })],
    ['phantom value', history({ steps: [read('x', 7)] })],
    ['internal inconsistency', history({ steps: [append('x', 1), read('x')] }, { steps: [read('x', 1)] })],
    [
      'incompatible order',
      history(
        { steps: [append('x', 1)] },
        { steps: [append('x', 2)] },
        { steps: [read('x', 2)] },
        { steps: [read('x', 1, 2)] },
      ),
    ],
  ];

  test.each(rows)('%s', (name, operations) => {
    expect(namesIn(operations)).toContain(name);
  });

  test('an explanation names each operation and what it did', () => {
    const [anomaly] = findListAnomalies(
      history(
        { steps: [append('x', 1)], invokedAt: 1, completedAt: 2, action: 'UpdateItem' },
        { steps: [read('x')], invokedAt: 3, completedAt: 4, action: 'GetItem' },
        { steps: [read('x', 1)], invokedAt: 5, completedAt: 6 },
      ),
    );
    expect(anomaly?.explanation).toBe(
      'client 2: GetItem (operation 2) read x without 1, which the next appended; ' +
        'client 1: UpdateItem (operation 1) completed before the next was invoked; and the last comes before the first',
    );
  });
});
