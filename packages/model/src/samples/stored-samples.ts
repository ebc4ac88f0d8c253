import { InputError } from '../model-error.ts';
import type { EntityInfo, ResolvedModel } from '../resolve/resolved.ts';
import type { StoredItem } from '../run/attribute-value.ts';
import * as evaluator from '../patterns/evaluate.ts';
import { ItemCodec, type Values } from '../run/item-codec.ts';
import { guardsOf } from './load.ts';
import { type SampleItem, sampleItems, type SampleOptions } from './sample-items.ts';
import { talliesOf } from '../resolve/slots.ts';

/** A stored item. Further ones belong to the item before them: its copies, and guards of its unique values. */
export interface StoredSample {
  readonly entity: EntityInfo;
  readonly item: StoredItem;
  readonly further: boolean;
}

/**
 * Sample items as the patterns would have left them: with all copies, the guards of unique attributes, and the counters of
 * parents.
 */
export function* storedSamples(model: ResolvedModel, options: SampleOptions): Generator<StoredSample> {
  const samples = [...sampleItems(model, options)];
  for (const [n, { entity, values }] of countChildren(samples).entries()) {
    const codec = new ItemCodec(entity, evaluator);
    const items = encoded(codec, values) ?? encoded(codec, samples[n]?.values ?? values) ?? [];
    for (const [i, item] of items.entries()) yield { entity, item, further: i > 0 };
  }
}

/** All copies of an item, and its guards; undefined if it has a value that no key of them can hold. */
function encoded(codec: ItemCodec, values: Values): StoredItem[] | undefined {
  const { copies } = codec.entity.rules;
  try {
    const items = Array.from({ length: copies ?? 1 }, (_, i) =>
      codec.encode(copies === undefined ? values : { ...values, copy: i + 1 }),
    );
    return [...items, ...guardsOf(codec, values)];
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** What a parent keeps about its children: their number, or the last number it assigned. */
interface Tally {
  readonly parent: string;
  readonly counter: string;
  readonly by: readonly (readonly [parent: string, child: string])[];
  readonly add: (before: number, child: Values) => number;
}

function keptBy({ parents, sequences }: EntityInfo): Tally[] {
  return [
    ...parents.flatMap((parent): Tally[] =>
      talliesOf(parent).map(([counter, of]) => ({
        parent: parent.entity,
        counter,
        by: parent.by,
        add: (before, child) => before + (of === undefined ? 1 : Number(child[of] ?? 0)),
      })),
    ),
    ...sequences.map(({ attribute, counter, parent: { entity, by } }): Tally => ({
      parent: entity,
      counter,
      by,
      add: (before, child) => Math.max(before, Number(child[attribute] ?? 0)),
    })),
  ];
}

/** Parents count and number their children. The generated value of a counter is replaced by the true one. */
function countChildren(samples: readonly SampleItem[]): readonly SampleItem[] {
  const counters = new Map<string, Map<string, readonly string[]>>();
  const counts = new Map<string, number>();
  const keyOf = (entity: string, counter: string, values: readonly unknown[]): string =>
    JSON.stringify([entity, counter, values.map(String)]);
  for (const { entity, values } of samples) {
    for (const { parent, counter, by, add } of keptBy(entity)) {
      const names = by.map(([name]) => name);
      counters.set(parent, (counters.get(parent) ?? new Map<string, readonly string[]>()).set(counter, names));
      const key = keyOf(
        parent,
        counter,
        by.map(([, child]) => values[child]),
      );
      counts.set(key, add(counts.get(key) ?? 0, values));
    }
  }
  return samples.map((sample) => {
    const own = counters.get(sample.entity.name);
    if (own === undefined) return sample;
    const values: Record<string, unknown> = { ...sample.values };
    for (const [counter, names] of own) {
      const key = keyOf(
        sample.entity.name,
        counter,
        names.map((name) => sample.values[name]),
      );
      values[counter] = counts.get(key) ?? 0;
    }
    return { ...sample, values };
  });
}
