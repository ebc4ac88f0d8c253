import type { StoreWrite } from '../../storage/store.ts';
import { ResourceNotFoundException } from '../../values/service-error.ts';
import { decodeStoredItem } from '../layout/item-codec.ts';
import type { EngineServices } from '../services.ts';
import { pauseUntil } from '../background/background-pace.ts';
import { checkFence } from '../catalog/catalog.ts';
import { walkItems } from '../background/item-walk.ts';
import { purgeSpace } from '../tables/purge.ts';
import { changeTable } from '../catalog/table-change.ts';
import type { ExpiryIndex, Table } from '../catalog/table.ts';
import type { TableRecord, TimeToLiveRecord } from '../catalog/table-record.ts';
import { expiryEntry, expirySecondsOf } from '../followers/expiry/expiry-index.ts';
import type { TimeToLiveTable } from './time-to-live-tables.ts';

/*
 * The background work when time to live is enabled on a table with items, or disabled. Both tasks may be interrupted
 * anywhere and restarted, and several processes may run them at once.
 *
 * While the index is being filled, every write of an item already maintains it. The backfill adds the entries of items that
 * have not been written since, in decisions that read the items again. An existing entry is written
 * again, which is harmless because nothing is counted.
 */

export interface ExpiryIndexTarget extends TimeToLiveTable {
  /** The space of the index: a new one each time that time to live is enabled. */
  readonly space: number;
}

type Phase = NonNullable<TimeToLiveRecord['phase']>;

/** ENABLING to ENABLED. @returns once the index is complete, or no longer to be filled. */
export async function fillExpiryIndex(services: EngineServices, target: ExpiryIndexTarget): Promise<void> {
  const isComplete = await walkItems<Buffer>(services, target, (table) => {
    const phase = phaseOf(table.record, target, 'enabling');
    const index = table.expiryIndex;
    if (phase === undefined || index === undefined) return undefined;
    return {
      untilMs: phase.untilMs,
      pick: (itemKey, value) => (storedExpirySeconds(index, itemKey, value) === undefined ? undefined : itemKey),
      fill: (itemKeys) => fillPage(services, table, index, itemKeys),
    };
  });
  if (!isComplete) return;
  await endPhase(services, target, 'enabling');
}

/** DISABLING to DISABLED. @returns once the index is empty and its record removed. */
export async function emptyExpiryIndex(services: EngineServices, target: ExpiryIndexTarget): Promise<void> {
  const table = await services.catalog.load(target, target.tableName);
  const phase = phaseOf(table?.record, target, 'disabling');
  if (phase === undefined) return;
  await pauseUntil(services, phase.untilMs);
  await purgeSpace(services, target.space);
  await endPhase(services, target, 'disabling');
}

/** @throws {StaleTableError} if the table has changed since it was loaded. */
async function fillPage(
  { store }: EngineServices,
  table: Table,
  index: ExpiryIndex,
  itemKeys: readonly Buffer[],
): Promise<void> {
  await store.write([table.fenceKey, ...itemKeys], ([fence, ...items]) => {
    checkFence(table, fence);
    const writes: StoreWrite[] = [];
    itemKeys.forEach((itemKey, at) => {
      const item = items[at];
      const epochSeconds = item && storedExpirySeconds(index, itemKey, item);
      if (epochSeconds !== undefined) writes.push(expiryEntry(index, epochSeconds, itemKey));
    });
    return { answer: undefined, writes };
  });
}

function storedExpirySeconds(
  { attributeName }: ExpiryIndex,
  itemKey: Uint8Array,
  value: Uint8Array,
): number | undefined {
  return expirySecondsOf(decodeStoredItem(itemKey, value).getAttribute(attributeName));
}

/** The phase, if the table has the same index, is in that phase, and is not being deleted. */
function phaseOf(record: TableRecord | undefined, target: ExpiryIndexTarget, kind: Phase['kind']): Phase | undefined {
  const timeToLive = record?.timeToLive;
  if (timeToLive?.space !== target.space || timeToLive.phase?.kind !== kind) return undefined;
  return record?.transition?.status === 'DELETING' ? undefined : timeToLive.phase;
}

async function endPhase(services: EngineServices, target: ExpiryIndexTarget, kind: Phase['kind']): Promise<void> {
  try {
    await changeTable(services, target, target.tableName, ({ record }) => {
      const { timeToLive, ...rest } = record;
      if (timeToLive === undefined || phaseOf(record, target, kind) === undefined) return { record };
      if (kind === 'disabling') return { record: rest };
      const { phase: _done, ...enabled } = timeToLive;
      return { record: { ...rest, timeToLive: enabled } };
    });
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error; // the table and its index were deleted meanwhile
  }
}
