import { type Encoder, encoderNamed, type KeyValue, shardNumber } from '../../keys/encoders.ts';

/** A way in which an attribute may be written in a key, with its text for each item of a sample. */
export interface Encoding {
  readonly attribute: string;
  /** `number:07`, as in a template. */
  readonly variable: string;
  readonly texts: readonly string[];
  /** How far it is from the plain value. The simplest encoding that fits is used. */
  readonly cost: number;
  /** All items have the same text. */
  readonly constant: boolean;
}

const widthMax = 18;
const shardsMax = 256;
const times = ['utc', 'seconds', 'date', 'hour', 'day', 'month', 'year', 'week', 'inverseTime'];

/**
 * All encodings that an attribute's values allow, simplest first. If two produce the same texts, only the simpler one is
 * kept.
 */
export function encodingsOf(attribute: string, values: readonly unknown[]): Encoding[] {
  const seen = new Set<string>();
  return chainsOf(values).flatMap(({ names, cost }) => {
    const texts = encoded(values, names);
    const id = texts?.join('\u0000');
    if (texts === undefined || id === undefined || seen.has(id)) return [];
    seen.add(id);
    const constant = texts.every((text) => text === texts[0]);
    return [{ attribute, variable: [attribute, ...names].join(':'), texts, cost, constant }];
  });
}

/** Encodings with shards, ordered by the number of shards. Separate from the others, because each requires hashing and few keys have them. */
export function shardsOf(attribute: string, values: readonly unknown[]): Encoding[] {
  const hashes = values.map((value) => shardNumber(String(value), 2 ** 32));
  return Array.from({ length: shardsMax - 1 }, (_, i): Encoding => {
    const texts = hashes.map((hash) => String(hash % (i + 2)));
    return {
      attribute,
      variable: `${attribute}:shard${i + 2}`,
      texts,
      cost: 3 + i / shardsMax,
      constant: texts.every((text) => text === texts[0]),
    };
  });
}

interface Chain {
  readonly names: readonly string[];
  readonly cost: number;
}

function chainsOf(values: readonly unknown[]): Chain[] {
  const chains: Chain[] = [{ names: [], cost: 0 }];
  if (values.every((value) => typeof value === 'string')) {
    const timed = values.every((value) => value.length === 27)
      ? ['ksuid']
      : values.every((value) => value.length === 26)
        ? ['ulid']
        : undefined;
    if (values.every(isTime)) chains.push(...times.map((name) => ({ names: [name], cost: 1 })));
    chains.push({ names: ['lower'], cost: 1 }, { names: ['upper'], cost: 1 }, { names: ['trim'], cost: 1 });
    chains.push({ names: ['trim', 'lower'], cost: 1.5 }, { names: ['slug'], cost: 2 }, { names: ['escape'], cost: 2 });
    for (const id of timed ?? []) chains.push(...times.map((name) => ({ names: [id, name], cost: 2 })));
  } else if (values.every((value) => typeof value === 'number' || typeof value === 'bigint')) {
    const whole = values.every((value) => Number.isInteger(Number(value)) && Number(value) >= 0);
    if (whole) {
      for (let width = 1; width <= widthMax; width += 1) {
        chains.push({ names: [`0${width}`], cost: 1 }, { names: [`inverse${width}`], cost: 2 });
        chains.push({ names: [`tens${width}`], cost: 2 });
      }
      if (values.every((value) => Number(value) > 1e11))
        chains.push(...times.map((name) => ({ names: [name], cost: 1 })));
      else if (values.every((value) => Number(value) > 1e8))
        chains.push(...times.map((name) => ({ names: ['epoch', name], cost: 2 })));
    }
  }
  return chains;
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d(T|$)/.test(value);
}

/** Undefined where a value has no such text. */
function encoded(values: readonly unknown[], names: readonly string[]): string[] | undefined {
  const encoders = names.map(encoderNamed).filter((encoder): encoder is Encoder => encoder !== undefined);
  try {
    const texts = values.map((value) =>
      String(encoders.reduce((text, encoder) => encoder.encode(text), value as KeyValue)),
    );
    return texts.includes('') ? undefined : texts;
  } catch {
    return undefined; // an encoder rejects a value, so it did not make the key
  }
}
