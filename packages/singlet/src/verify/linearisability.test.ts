import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RegisterChange, RegisterOperation } from './history.ts';
import { checkRegisters } from './linearisability.ts';

const parts = { client: 1, action: 'any', key: 'x' } as const;

function operation(id: number, change: RegisterChange, more: Partial<RegisterOperation> = {}): RegisterOperation {
  return { ...parts, id, invokedAt: id * 2, completedAt: id * 2 + 1, outcome: 'ok', change, ...more };
}

const put = (value: string): RegisterChange => ({ kind: 'put', value });
const read: RegisterChange = { kind: 'read' };
const isLinearisable = (history: readonly RegisterOperation[]): boolean =>
  checkRegisters(history).anomalies.length === 0;

describe('one item after the other', () => {
  test('a read finds the last value', () => {
    expect(isLinearisable([operation(1, put('a')), operation(2, read, { seen: { value: 'a' } })])).toBe(true);
    expect(isLinearisable([operation(1, put('a')), operation(2, read, { seen: { value: undefined } })])).toBe(false);
  });

  test('an unanswered write may happen late, or never', () => {
    const unanswered = operation(1, put('a'), { outcome: 'unknown', completedAt: Infinity });
    const nothing = operation(2, read, { seen: { value: undefined } });
    const late = operation(3, read, { seen: { value: 'a' } });
    const gone = operation(4, read, { seen: { value: undefined } });
    expect(isLinearisable([unanswered, nothing])).toBe(true);
    expect(isLinearisable([unanswered, nothing, late])).toBe(true);
    expect(isLinearisable([unanswered, nothing, late, gone])).toBe(false);
  });

  test('a refused condition must have been false', () => {
    const condition: RegisterChange = { kind: 'put-if', expected: 'a', value: 'b' };
    expect(isLinearisable([operation(1, put('a')), operation(2, condition, { outcome: 'failed' })])).toBe(false);
    expect(isLinearisable([operation(1, put('c')), operation(2, condition, { outcome: 'failed' })])).toBe(true);
  });

  test('the explanation says where it ends', () => {
    const { anomalies } = checkRegisters([operation(1, put('a')), operation(2, read, { seen: { value: 'b' } })]);
    expect(anomalies[0]?.explanation).toBe(
      'no order of the operations on x explains all answers: the last that fit were client 1: any (operation 1) put a',
    );
  });
});

/** Every order that agrees with real time, tried one by one. */
function bruteForce(history: readonly RegisterOperation[], state: string | undefined): boolean {
  if (history.every(({ outcome }) => outcome === 'unknown')) return true;
  const deadline = Math.min(...history.map(({ completedAt }) => completedAt));
  return history.some((next, at) => {
    if (next.invokedAt > deadline) return false;
    const after = effect(next, state);
    return after !== 'impossible' && bruteForce(history.toSpliced(at, 1), after.value);
  });
}

function effect({ change, outcome, seen }: RegisterOperation, state: string | undefined) {
  if (seen !== undefined && seen.value !== state) return 'impossible';
  if (change.kind === 'read') return { value: state };
  if (change.kind === 'delete') return { value: undefined };
  if (change.kind === 'put') return { value: change.value };
  if (outcome === 'ok' && state !== change.expected) return 'impossible';
  if (outcome === 'failed' && state === change.expected) return 'impossible';
  return { value: state === change.expected ? change.value : state };
}

test('agrees with trying every order', () => {
  const value = fc.constantFrom('a', 'b');
  const maybe = fc.option(value, { nil: undefined });
  const change = fc.oneof(
    fc.constant<RegisterChange>({ kind: 'read' }),
    fc.constant<RegisterChange>({ kind: 'delete' }),
    value.map((text): RegisterChange => ({ kind: 'put', value: text })),
    fc.tuple(maybe, value).map(([expected, text]): RegisterChange => ({ kind: 'put-if', expected, value: text })),
  );
  const script = fc.array(
    fc.record({
      change,
      seen: fc.option(
        maybe.map((text) => ({ value: text })),
        { nil: undefined },
      ),
      start: fc.integer({ min: 0, max: 12 }),
      length: fc.integer({ min: 1, max: 8 }),
      outcome: fc.constantFrom('ok' as const, 'ok' as const, 'unknown' as const, 'failed' as const),
    }),
    { minLength: 1, maxLength: 6 },
  );
  const verdicts = new Set<boolean>();
  fc.assert(
    fc.property(script, (steps) => {
      const history = steps.flatMap(({ change: chosen, seen, start, length, outcome }, at) => {
        // Clients never record these: a refusal of an unconditional write, or an item without an answer.
        if (outcome === 'failed' && chosen.kind !== 'put-if') return [];
        if (outcome === 'unknown' && chosen.kind === 'read') return [];
        const shown = seen !== undefined && outcome !== 'unknown' && (chosen.kind !== 'put-if' || outcome === 'failed');
        return operation(at, chosen, {
          invokedAt: start * 100 + at,
          completedAt: outcome === 'unknown' ? Infinity : (start + length) * 100 + 50 + at,
          outcome,
          ...(shown && { seen }),
        });
      });
      const expected = bruteForce(history, undefined);
      verdicts.add(expected);
      expect(isLinearisable(history)).toBe(expected);
    }),
    { numRuns: 2000 },
  );
  expect(verdicts.size).toBe(2);
});
