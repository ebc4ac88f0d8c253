import { keyBytesSuccessor } from '../../values/key-bytes.ts';
import { hashBytes } from '../layout/spaces.ts';

/** Where a partition is cut in two. */
export interface SplitPoint {
  /** First key of the second part, without the space. */
  readonly at: Buffer;
  /** The estimated fraction of its data and demand in the first part. */
  readonly shareBefore: number;
}

/** The keys of a partition, without the space. */
interface KeyRange {
  readonly from: Buffer;
  /** Exclusive; undefined at the end of the table. */
  readonly to: Buffer | undefined;
}

/**
 * Where to split a partition so that its demand divides as evenly as possible, judging by the last sampled keys. A single hot
 * key is split off, first from the keys before it, then from the keys after it.
 *
 * @param wholeCollections - with a local index, no split divides an item collection.
 * @returns undefined when the partition is one item (or one collection) and cannot be split.
 */
export function splitPoint(
  range: KeyRange,
  samples: readonly Buffer[],
  wholeCollections: boolean,
): SplitPoint | undefined {
  const even = (): SplitPoint | undefined => evenCut(range, samples, wholeCollections);
  return samples.length < samplesMin ? (middle(range) ?? even()) : (even() ?? middle(range));
}

/** Fewer keys say little about demand. */
const samplesMin = 8;

function evenCut(range: KeyRange, samples: readonly Buffer[], wholeCollections: boolean): SplitPoint | undefined {
  const places = samples
    .map((key) => (wholeCollections ? key.subarray(0, hashBytes) : key))
    .toSorted((a, b) => a.compare(b));
  let best: SplitPoint | undefined;
  const consider = (at: Buffer | undefined, countBefore: number): void => {
    if (at === undefined || at.compare(range.from) <= 0) return;
    if (range.to !== undefined && at.compare(range.to) >= 0) return;
    const shareBefore = countBefore / places.length;
    if (best === undefined || Math.abs(shareBefore - 0.5) < Math.abs(best.shareBefore - 0.5))
      best = { at, shareBefore };
  };
  places.forEach((place, n) => {
    if (n > 0 && place.equals(places[n - 1] as Buffer)) return; // a repeated place
    consider(place, n);
    const next = places.findIndex((other) => other.compare(place) > 0);
    consider(justAfter(place, wholeCollections), next < 0 ? places.length : next);
  });
  return best;
}

/** The first place after all keys of a collection, or after one key. */
function justAfter(place: Buffer, wholeCollections: boolean): Buffer | undefined {
  if (!wholeCollections) return Buffer.concat([place, Uint8Array.of(0)]);
  const next = keyBytesSuccessor(place);
  return next === undefined ? undefined : wholeHash(next);
}

/** Half of the hashes, when there is no better information. */
function middle({ from, to }: KeyRange): SplitPoint | undefined {
  const start = from.readBigUInt64BE(0);
  const end = to === undefined ? 1n << 64n : to.readBigUInt64BE(0);
  const half = (start + end) / 2n;
  if (half <= start) return undefined;
  const at = Buffer.alloc(hashBytes);
  at.writeBigUInt64BE(half, 0);
  return { at, shareBefore: 0.5 };
}

function wholeHash(bytes: Uint8Array): Buffer {
  const hash = Buffer.alloc(hashBytes);
  hash.set(bytes);
  return hash;
}
