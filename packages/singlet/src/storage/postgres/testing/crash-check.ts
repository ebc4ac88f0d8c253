/** What must hold for the writes of `write-forever` after a crash. */
import { expect } from 'vitest';
import type { Store } from '../../store.ts';
import { crashKeys } from '../../testing/store-process-protocol.ts';
import { entriesOf, textsOf, wholeSpace } from '../../testing/store-probe.ts';

/** The last count that each writer has reported. */
export function reportsOf(output: string): readonly (readonly [number, number])[] {
  // The last line may have been cut off by the kill.
  const lines = output.slice(0, output.lastIndexOf('\n') + 1).split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const [writer = Number.NaN, count = Number.NaN] = line.split(' ').map(Number);
      return [writer, count] as const;
    });
}

export interface Acknowledged {
  /** The last count that each writer has reported. */
  readonly acknowledged: ReadonlyMap<number, number>;
  readonly writerCount: number;
}

/** Every acknowledged write is present, nothing is applied twice, and every decision is whole. */
export async function checkWrites(store: Store, { acknowledged, writerCount }: Acknowledged): Promise<void> {
  const left = await entriesOf(store, wholeSpace(1));
  const right = await entriesOf(store, wholeSpace(2));
  const withoutSpace = ({ entries }: typeof left): readonly string[] =>
    entries.map(({ key, value }) => `${key.slice(8)} ${value}`);
  expect(differences(withoutSpace(left), withoutSpace(right))).toEqual([]);
  const counters = Array.from({ length: writerCount }, (_, writer) => crashKeys.count(writer));
  const counts = (await textsOf(store, counters)).map((text) => Number(text ?? 0));
  const [total] = await textsOf(store, [crashKeys.total]);
  const sum = counts.reduce((one, other) => one + other, 0);
  expect(Number(total ?? 0)).toBe(sum);
  expect(left.entries).toHaveLength(sum);
  for (const [writer, count] of counts.entries()) {
    expect(count).toBeGreaterThanOrEqual(acknowledged.get(writer) ?? 0);
  }
}

/** What only one of them has. */
function differences(one: readonly string[], other: readonly string[]): readonly string[] {
  const [inOne, inOther] = [new Set(one), new Set(other)];
  return [...one.filter((text) => !inOther.has(text)), ...other.filter((text) => !inOne.has(text))];
}
