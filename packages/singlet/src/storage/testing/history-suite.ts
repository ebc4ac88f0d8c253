import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import type { FixtureAccess } from './store-fixture.ts';
import { bytes, entriesOf, hex, testKey, valueText, textsOf } from './store-probe.ts';

/** A key from a small set, so that random operations collide: the numbers are a partition and the bytes after it. */
type Spot = readonly [partition: number, rest: readonly number[]];

type Operation =
  | { readonly kind: 'write'; readonly read: readonly Spot[]; readonly sets: readonly [Spot, number | undefined][] }
  | { readonly kind: 'decline'; readonly read: readonly Spot[] }
  | { readonly kind: 'read'; readonly keys: readonly Spot[] }
  | {
      readonly kind: 'range';
      readonly from: Spot;
      readonly to: Spot;
      readonly reverse: boolean;
      readonly limit: number | undefined;
    };

const spot: fc.Arbitrary<Spot> = fc.tuple(
  fc.constantFrom(0, 1, 127, 128, 255),
  fc.array(fc.constantFrom(0, 1, 127, 128, 255), { maxLength: 3 }),
);

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      read: fc.array(spot, { maxLength: 4 }),
      sets: fc.uniqueArray(fc.tuple(spot, fc.option(fc.nat(5_000), { nil: undefined, freq: 3 })), {
        maxLength: 12,
        selector: ([place]) => JSON.stringify(place),
      }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('decline' as const), read: fc.array(spot, { maxLength: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('read' as const), keys: fc.array(spot, { maxLength: 6 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('range' as const),
      from: spot,
      to: spot,
      reverse: fc.boolean(),
      limit: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
    }),
  },
);

/** Random histories, compared with a plain sorted array after every step. */
export function historySuite({ store }: FixtureAccess): void {
  describe('any history', () => {
    test('gives what a plain sorted array would give', async () => {
      let space = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (history) => {
          // Each run has its own space: an empty store without opening one.
          space += 1;
          const model = new Model(space);
          for (const step of history) await perform(store(), model, step);
          const { entries } = await entriesOf(store(), {
            from: testKey(space, 0),
            to: testKey(space, 255, [255, 255, 255, 255]),
          });
          expect(entries).toEqual(model.entries());
        }),
        { numRuns: 60 },
      );
    });
  });
}

async function perform(store: Store, model: Model, step: Operation): Promise<void> {
  switch (step.kind) {
    case 'write': {
      const reads = step.read.map((place) => model.key(place));
      const writes = step.sets.map(([place, size]) => ({
        key: model.key(place),
        value: size === undefined ? undefined : bytes(`${size},`.repeat(size / 10 + 1)),
      }));
      const seen = await store.write(reads, (values) => ({ answer: values.map(textOrNone), writes }));
      expect(seen).toEqual(reads.map((key) => model.get(key)));
      for (const { key, value } of writes) model.set(key, value);
      return;
    }
    case 'decline': {
      const error = new RangeError('declined');
      const attempt = store.write(
        step.read.map((place) => model.key(place)),
        () => {
          throw error;
        },
      );
      await expect(attempt).rejects.toBe(error);
      return;
    }
    case 'read': {
      const keys = step.keys.map((place) => model.key(place));
      expect(await textsOf(store, keys)).toEqual(keys.map((key) => model.get(key)));
      return;
    }
    case 'range': {
      const [from, to] = [model.key(step.from), model.key(step.to)];
      const { limit, reverse } = step;
      const got = await entriesOf(store, { from, to, reverse, ...(limit === undefined ? {} : { limit }) });
      const inRange = model.range(from, to, reverse);
      expect(got.entries).toEqual(inRange.slice(0, limit));
      expect(got.end).toBe(limit !== undefined && inRange.length >= limit ? 'stopped' : 'end');
    }
  }
}

/** The contract at its plainest: entries in an array, keys as hexadecimal, whose order is that of the bytes. */
class Model {
  readonly #space: number;
  #entries: { readonly key: string; readonly value: string }[] = [];

  constructor(space: number) {
    this.#space = space;
  }

  key([partition, rest]: Spot): Uint8Array {
    return testKey(this.#space, partition, rest);
  }

  get(key: Uint8Array): string | undefined {
    return this.#entries.find((entry) => entry.key === hex(key))?.value;
  }

  set(key: Uint8Array, value: Uint8Array | undefined): void {
    this.#entries = this.#entries.filter((entry) => entry.key !== hex(key));
    if (value === undefined) return;
    this.#entries.push({ key: hex(key), value: valueText(value) });
    this.#entries.sort((left, right) => (left.key < right.key ? -1 : 1));
  }

  entries(): readonly { readonly key: string; readonly value: string }[] {
    return this.#entries;
  }

  range(
    from: Uint8Array,
    to: Uint8Array,
    reverse: boolean,
  ): readonly { readonly key: string; readonly value: string }[] {
    const inside = this.#entries.filter(({ key }) => key >= hex(from) && key < hex(to));
    return reverse ? inside.toReversed() : inside;
  }
}

function textOrNone(value: Uint8Array | undefined): string | undefined {
  return value === undefined ? undefined : valueText(value);
}
