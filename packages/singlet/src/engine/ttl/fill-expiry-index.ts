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
 * What has to be done when time to live is enabled on a table with items in it, or disabled. Both may be interrupted
 * anywhere and begun again, and several may run at once.
 *
 * While the index is being filled, every write of an item maintains it already. The walk puts in the entries of items that
 * have not been written since, in decisions that look at the items as they are then. An entry that is there already is put
 * there again, for nothing is counted.
 */

export interface ExpiryIndexTarget extends TimeToLiveTable {
  /** The space of the index: each time that time to live is enabled, it is another one. */
  readonly space: number;
}

type Phase = NonNullable<TimeToLiveRecord['phase']>;

/** ENABLING to ENABLED. @returns once the index is complete, or is not to be filled any more. */
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

/** DISABLING to DISABLED. @returns once the index is empty and forgotten. */
export async function emptyExpiryIndex(services: EngineServices, target: ExpiryIndexTarget): Promise<void> {
  const table = await services.catalog.load(target, target.tableName);
  const phase = phaseOf(table?.record, target, 'disabling');
  if (phase === undefined) return;
  await pauseUntil(services, phase.untilMs);
  await purgeSpace(services, target.space);
  await endPhase(services, target, 'disabling');
}

/** @throws {StaleTableError} when the table has changed since it was loaded. */
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

/** The phase, if the index is still that one, in it, and of a table that is to stay. */
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
    if (!(error instanceof ResourceNotFoundException)) throw error; // the table was deleted meanwhile, index and all
  }
}
