import { ConditionalCheckFailedException, ResourceNotFoundException } from '../../values/service-error.ts';
import type { Condition } from '../../expressions/index.ts';
import { decodeStoredItem } from '../layout/item-codec.ts';
import { type ItemKey, itemKeyOfItem } from '../catalog/item-key.ts';
import type { UserIdentity } from '../followers/item-write.ts';
import { writeItem } from '../items/write-item.ts';
import type { EngineServices } from '../services.ts';
import { ClosingSignal, takeTurn } from '../background/background-pace.ts';
import { repeatTask } from '../background/background-task.ts';
import { asHolder } from '../background/held-work.ts';
import type { ExpiryIndex, Table } from '../catalog/table.ts';
import {
  expiryBucketCount,
  expiryRange,
  expirySecondsOf,
  itemKeyOfExpiryEntry,
} from '../followers/expiry/expiry-index.ts';
import { fillExpiryIndex } from './fill-expiry-index.ts';
import { listTimeToLiveTables, type TimeToLiveTable } from './time-to-live-tables.ts';

/*
 * The deletion of expired items. It reads the beginnings of the expiry indexes and only the items that it deletes,
 * so its cost depends on the number of expired items and not of stored ones.
 *
 * Each item is deleted by the same decision as in any write, so indexes, counts, sizes and streams follow. The decision
 * checks again that the item has expired: a request that extends its life meanwhile wins. So any number of processes may
 * sweep at once, and each counts the items that it has deleted itself.
 *
 * Decision 0011 says why.
 */

/** How often an engine sweeps by default, in milliseconds. The service promises no more than "within a few days". */
export const expirySweepIntervalMs = 10_000;

/** Items deleted in one step. */
export const expirySweepPageItems = 25;

/** The maximum size of the items read in one step, in bytes, so that steps with large items have fewer of them. */
const sweepPageBytes = 1024 * 1024;

const yearSeconds = 365 * 24 * 60 * 60;

/** The identity of these deletions in stream records. */
const timeToLiveIdentity: UserIdentity = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };

/**
 * Deletes every item that has expired by now, in all tables. If time to live has just been enabled on a table, the index is
 * filled from the existing items first.
 *
 * @returns how many items this call has deleted. If the engine closes meanwhile, the rest remains.
 */
export async function sweepExpiredItems(services: EngineServices): Promise<number> {
  const sweep = new Sweep(services);
  try {
    for (const listed of await listTimeToLiveTables(services.store)) {
      await completeIndex(services, listed);
      await sweep.table(listed);
    }
  } catch (error) {
    if (!(error instanceof ClosingSignal)) throw error;
  }
  return sweep.removedCount;
}

/** Sweeps periodically, until the engine closes. */
export function sweepRegularly(services: EngineServices, intervalMs: number): Promise<void> {
  const { environment, store } = services;
  return repeatTask(services, {
    name: 'expiry sweep',
    everyMs: intervalMs,
    postponedEvent: 'expiry-sweep-postponed',
    run: async () => {
      const tables = await listTimeToLiveTables(store);
      if (tables.length === 0) return;
      await asHolder(services, 'expiry sweep', async (held) => {
        const sweep = new Sweep(held);
        try {
          for (const listed of tables) await sweep.table(listed);
        } finally {
          const { removedCount } = sweep;
          if (removedCount > 0) environment.log({ level: 'debug', event: 'expired-items-swept', removedCount });
        }
      });
    },
  });
}

async function completeIndex(services: EngineServices, listed: TimeToLiveTable): Promise<void> {
  const table = await services.catalog.load(listed, listed.tableName);
  const timeToLive = table?.record.timeToLive;
  const { phase } = timeToLive ?? {};
  if (timeToLive === undefined || phase?.kind !== 'enabling') return;
  if (phase.untilMs > services.environment.clock.nowMs()) return; // the backfill has not begun
  await fillExpiryIndex(services, { ...listed, space: timeToLive.space });
}

interface Page {
  /** The entry at which it ended. */
  readonly end: Buffer | undefined;
  /** Whether there is nothing after it. */
  readonly isLast: boolean;
}

/** One sweep over all items that have expired when it starts. */
class Sweep {
  readonly #services: EngineServices;
  /** An item is expired if its time is within these bounds: from the first, up to and excluding the second. */
  readonly #bounds: { readonly fromSeconds: number; readonly toSeconds: number };
  #removedCount = 0;

  constructor(services: EngineServices) {
    this.#services = services;
    const nowSeconds = Math.floor(services.environment.clock.nowMs() / 1000);
    this.#bounds = {
      fromSeconds: nowSeconds - services.limits.timeToLiveAgeYearsMax * yearSeconds,
      toSeconds: nowSeconds,
    };
  }

  get removedCount(): number {
    return this.#removedCount;
  }

  /** @throws {ClosingSignal} if the engine closes. */
  async table(listed: TimeToLiveTable): Promise<void> {
    const { catalog } = this.#services;
    // Loads the table again: without a deletion, no decision would detect that the cached table is stale.
    const present = await catalog.load(listed, listed.tableName);
    if (present?.expiryIndex?.complete !== true) return;
    for (let bucket = 0; bucket < expiryBucketCount; bucket++) {
      let page: Page | undefined;
      do {
        const after = page?.end;
        try {
          page = await catalog.withTable(listed, listed.tableName, (table) => this.#page(table, bucket, after));
        } catch (error) {
          if (error instanceof ResourceNotFoundException) return; // deleted meanwhile, or about to be
          throw error;
        }
        if (page !== undefined) await takeTurn(this.#services);
      } while (page?.isLast === false);
    }
    await takeTurn(this.#services);
  }

  /**
   * Deletes a few items of one bucket.
   *
   * @param after - the entry at which the page before ended.
   * @returns undefined if there are none.
   */
  async #page(table: Table, bucket: number, after: Buffer | undefined): Promise<Page | undefined> {
    const index = table.expiryIndex;
    if (index?.complete !== true) return undefined;
    const { from, to } = expiryRange(index, bucket, this.#boundsOf(table));
    const entries: Buffer[] = [];
    await this.#services.store.range(
      { from: after === undefined ? from : Buffer.concat([after, Uint8Array.of(0)]), to, limit: expirySweepPageItems },
      (key) => {
        entries.push(Buffer.from(key));
        return true;
      },
    );
    if (entries.length === 0) return undefined;
    const { items, readCount } = await this.#readItems(table, entries);
    await this.#remove(table, index, items);
    const isLast = readCount === entries.length && entries.length < expirySweepPageItems;
    return { end: entries[readCount - 1], isLast };
  }

  /** Deletions can be delayed, for tests of applications. */
  #boundsOf({ tableName }: Table): { readonly fromSeconds: number; readonly toSeconds: number } {
    const { fromSeconds, toSeconds } = this.#bounds;
    const delayMs = this.#services.weather?.expiryDelayMs(tableName) ?? 0;
    return { fromSeconds, toSeconds: toSeconds - Math.ceil(delayMs / 1000) };
  }

  /** @returns the keys of the items that the first `readCount` entries, at least one, represent. */
  async #readItems(
    table: Table,
    entries: readonly Buffer[],
  ): Promise<{ readonly items: readonly ItemKey[]; readonly readCount: number }> {
    const storeKeys = entries.map((entry) => itemKeyOfExpiryEntry(entry, table.record.itemSpace));
    const { replication } = table;
    const versionKeys = replication === undefined ? [] : storeKeys.map((key) => replication.versionKey(key));
    return this.#services.store.read([...storeKeys, ...versionKeys], (values) => {
      const items: ItemKey[] = [];
      let bytes = 0;
      let readCount = 0;
      for (let at = 0; at < storeKeys.length && bytes < sweepPageBytes; at++) {
        const value = values[at];
        readCount += 1;
        if (value === undefined) continue; // another process was faster
        bytes += value.length;
        if (replication?.isExpiredHere(values[storeKeys.length + at]) === false) continue; // another replica deletes it
        items.push(itemKeyOfItem(table, decodeStoredItem(storeKeys[at] as Buffer, value).toMap()));
      }
      return { items, readCount };
    });
  }

  /** Deletes those that are still expired, concurrently: a store commits such decisions in groups. */
  async #remove(table: Table, index: ExpiryIndex, keys: readonly ItemKey[]): Promise<void> {
    const condition = this.#hasExpired(table, index);
    const outcomes = await Promise.allSettled(
      keys.map(async (key) => {
        await writeItem(this.#services, {
          table,
          key,
          change: { kind: 'delete' },
          condition,
          returnOldOnFailure: false,
          keepBefore: false,
          userIdentity: timeToLiveIdentity,
        });
        this.#removedCount += 1;
      }),
    );
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      const error: unknown = outcome.reason;
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }

  #hasExpired(table: Table, { attributeName }: ExpiryIndex): Condition {
    const { fromSeconds, toSeconds } = this.#boundsOf(table);
    return {
      evaluate: (item) => {
        const epochSeconds = expirySecondsOf(item.getAttribute(attributeName));
        return epochSeconds !== undefined && epochSeconds >= fromSeconds && epochSeconds < toSeconds;
      },
      paths: [],
      attributeNames: new Set([attributeName]),
    };
  }
}
