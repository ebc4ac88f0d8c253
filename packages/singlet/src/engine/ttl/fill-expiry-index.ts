import type { StoreWrite } from '../../storage/store.ts';
import { ResourceNotFoundException } from '../../values/service-error.ts';
import { decodeStoredItem } from '../items/item-codec.ts';
import { spaceStart } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';
import { pauseUntil, takeTurn } from '../tables/background-pace.ts';
import { checkFence, StaleTableError } from '../tables/catalog.ts';
import { purgeSpace } from '../tables/purge.ts';
import { changeTable } from '../tables/table-change.ts';
import type { ExpiryIndex, Table } from '../tables/table.ts';
import type { TableRecord, TimeToLiveRecord } from '../tables/table-record.ts';
import { expiryEntry, expirySecondsOf } from './expiry-index.ts';
import type { TimeToLiveTable } from './time-to-live-tables.ts';

/*
 * What has to be done when time to live is enabled on a table with items in it, or disabled. Both may be interrupted
 * anywhere and begun again, and several may run at once.
 *
 * While the index is being filled, every write of an item maintains it already. The walk puts in the entries of items that
 * nobody has written since, in decisions that look at the items as they are then. An entry that is there already is put
 * there again, for nothing is counted.
 */

export interface ExpiryIndexTarget extends TimeToLiveTable {
  /** The space of the index: each time that time to live is enabled, it is another one. */
  readonly space: number;
}

type Phase = NonNullable<TimeToLiveRecord['phase']>;

/** Items looked at in one step. */
export const expiryFillPageItems = 100;

/** Items are read up to this size in one step, so that large items make for smaller steps. */
const fillPageBytes = 1024 * 1024;

/** ENABLING to ENABLED. @returns once the index is complete, or is not to be filled any more. */
export async function fillExpiryIndex(services: EngineServices, target: ExpiryIndexTarget): Promise<void> {
  let from: Buffer | undefined;
  for (;;) {
    const table = await services.catalog.load(target, target.tableName);
    const phase = phaseOf(table?.record, target, 'enabling');
    const index = table?.expiryIndex;
    if (table === undefined || phase === undefined || index === undefined) return;
    await pauseUntil(services, phase.untilMs);
    const page = await readPage(services, table, index, from ?? spaceStart(table.record.itemSpace));
    try {
      await fillPage(services, table, index, page.itemKeys);
    } catch (error) {
      if (!(error instanceof StaleTableError)) throw error;
      continue; // the table has changed: the same page again, with the new record
    }
    if (page.next === undefined) break;
    from = page.next;
    await takeTurn(services);
  }
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

interface Page {
  /** Store keys of the items that are to have an entry. */
  readonly itemKeys: readonly Buffer[];
  /** Where to go on; undefined at the end. */
  readonly next: Buffer | undefined;
}

async function readPage({ store }: EngineServices, table: Table, index: ExpiryIndex, from: Buffer): Promise<Page> {
  const itemKeys: Buffer[] = [];
  let bytes = 0;
  let last: Buffer | undefined;
  const end = await store.range(
    { from, to: spaceStart(table.record.itemSpace + 1), limit: expiryFillPageItems },
    (key, value) => {
      last = Buffer.from(key);
      if (storedExpirySeconds(index, value) !== undefined) itemKeys.push(last);
      bytes += value.length;
      return bytes < fillPageBytes;
    },
  );
  const isEnd = end === 'end' || last === undefined;
  return { itemKeys, next: isEnd ? undefined : Buffer.concat([last as Buffer, Uint8Array.of(0)]) };
}

/** @throws {StaleTableError} when the table has changed since it was loaded. */
async function fillPage(
  { store }: EngineServices,
  table: Table,
  index: ExpiryIndex,
  itemKeys: readonly Buffer[],
): Promise<void> {
  if (itemKeys.length === 0) return;
  await store.write([table.fenceKey, ...itemKeys], ([fence, ...items]) => {
    checkFence(table, fence);
    const writes: StoreWrite[] = [];
    itemKeys.forEach((itemKey, at) => {
      const item = items[at];
      const epochSeconds = item && storedExpirySeconds(index, item);
      if (epochSeconds !== undefined) writes.push(expiryEntry(index, epochSeconds, itemKey));
    });
    return { answer: undefined, writes };
  });
}

function storedExpirySeconds({ attributeName }: ExpiryIndex, value: Uint8Array): number | undefined {
  return expirySecondsOf(decodeStoredItem(value).getAttribute(attributeName));
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
