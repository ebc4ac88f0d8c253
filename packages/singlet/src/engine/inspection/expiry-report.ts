import type { RequestContext } from '../environment.ts';
import { tableNotFound } from '../catalog/parameter-errors.ts';
import { expiryBucketCount, expiryRange } from '../followers/expiry/expiry-index.ts';
import { restOf } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';

/** The items of a table that have expired but still exist. */
export interface ExpiryReport {
  /** Null where time to live is off. */
  readonly attributeName: string | null;
  /** Whether the expiry index holds all items: not while time to live is being enabled. */
  readonly isComplete: boolean;
  /** Items that have expired and were not removed yet, counted up to {@link expiredCountMax}. */
  readonly due: number;
  readonly isCountedToTheEnd: boolean;
  /** The expiry time of the item that has waited longest; null when there is none. */
  readonly oldestDueEpochMs: number | null;
  /** The time at which the next item expires; null when none will. */
  readonly nextEpochMs: number | null;
}

/** The maximum count of expired items. */
const expiredCountMax = 10_000;

const yearSeconds = 365 * 24 * 60 * 60;

/** Expiry times further ahead are not reported, seconds. */
const farSeconds = 1_000 * yearSeconds;

/** @throws {ResourceNotFoundException} when there is no such table. */
export async function expiryReport(
  { catalog, store, environment, limits }: EngineServices,
  { tableName }: { readonly tableName: string },
  context: RequestContext,
): Promise<ExpiryReport> {
  const table = await catalog.load(context, tableName);
  if (table === undefined) throw tableNotFound(tableName);
  const { expiryIndex } = table;
  const nothing = { due: 0, isCountedToTheEnd: true, oldestDueEpochMs: null, nextEpochMs: null };
  if (expiryIndex === undefined) return { attributeName: null, isComplete: true, ...nothing };
  const nowSeconds = Math.floor(environment.clock.nowMs() / 1000);
  // Items that expired longer ago than that are not deleted, as in the service.
  const fromSeconds = nowSeconds - limits.timeToLiveAgeYearsMax * yearSeconds;
  const perBucket = Math.ceil(expiredCountMax / expiryBucketCount);
  let due = 0;
  let isCountedToTheEnd = true;
  let oldest = Infinity;
  let next = Infinity;
  for (let bucket = 0; bucket < expiryBucketCount; bucket += 1) {
    let inBucket = 0;
    await store.range(expiryRange(expiryIndex, bucket, { fromSeconds, toSeconds: nowSeconds }), (key) => {
      if (inBucket >= perBucket) {
        isCountedToTheEnd = false;
        return false;
      }
      oldest = Math.min(oldest, secondsOf(key));
      inBucket += 1;
      return true;
    });
    due += inBucket;
    const later = expiryRange(expiryIndex, bucket, { fromSeconds: nowSeconds, toSeconds: nowSeconds + farSeconds });
    await store.range({ ...later, limit: 1 }, (key) => {
      next = Math.min(next, secondsOf(key));
      return false;
    });
  }
  return {
    attributeName: expiryIndex.attributeName,
    isComplete: expiryIndex.complete,
    due,
    isCountedToTheEnd,
    oldestDueEpochMs: oldest === Infinity ? null : oldest * 1000,
    nextEpochMs: next === Infinity ? null : next * 1000,
  };
}

/** The time in the key of an entry. */
function secondsOf(key: Uint8Array): number {
  const rest = restOf(key);
  return new DataView(rest.buffer, rest.byteOffset).getFloat64(0);
}
