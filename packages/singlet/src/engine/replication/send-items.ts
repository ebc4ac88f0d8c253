import { assert } from '../../values/assert.ts';
import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import { decodeStoredItem } from '../layout/item-codec.ts';
import { itemKeyOfItem } from '../catalog/item-key.ts';
import { spaceStart } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';
import { takeTurn } from '../background/background-pace.ts';
import type { Table } from '../catalog/table.ts';
import { compareVersions, decodeMark, firstVersion, type Version } from '../catalog/item-version.ts';
import { OpenReplication } from '../catalog/open-replication.ts';
import { sendMessage } from './receive-message.ts';
import type { ReplicatedChange } from './replica-message.ts';
import { holdLease, writeHeld } from './replication-lease.ts';
import type { PeerRecord } from '../catalog/replication-record.ts';

/** Items sent in one message. */
export const sentPageItems = 25;

/** The maximum size of one message, in bytes, so that messages with large items hold fewer of them. */
const sentPageBytes = 1024 * 1024;

/**
 * - `end`: all items that were pending at the time have been sent.
 * - `unknown`: the other region answers that it has no such replica.
 * - `busy`: another process is replicating the table.
 */
export type SendEnd = 'end' | 'unknown' | 'busy';

export interface Sent {
  readonly end: SendEnd;
  readonly itemCount: number;
}

/**
 * Sends the items that are pending for a region, as they are now. Items that change meanwhile stay pending.
 *
 * @throws {ReplicaUnreachableError} if the region cannot be reached.
 * @throws {ClosingSignal} if the engine closes.
 */
export async function sendPending(services: EngineServices, table: Table, peer: PeerRecord): Promise<Sent> {
  const to = spaceStart(peer.owedSpace + 1);
  let from = spaceStart(peer.owedSpace);
  let itemCount = 0;
  for (;;) {
    const pendingKeys = await readKeys(services, from, to);
    if (pendingKeys.length === 0) return { end: 'end', itemCount };
    const { itemSpace } = table.record;
    const grant = await holdLease(services, itemSpace);
    if (grant === undefined) return { end: 'busy', itemCount };
    const itemKeys = pendingKeys.map((key) => OpenReplication.itemKey(itemSpace, key));
    const { changes, readCount } = await readChanges(services, table, itemKeys);
    if (!(await send(services, table, peer.regionName, changes))) return { end: 'unknown', itemCount };
    const settledKeys = pendingKeys.slice(0, readCount);
    const isSettled = await writeHeld(services, { itemSpace, grant }, settledKeys, (values) =>
      settled(settledKeys, values, changes),
    );
    itemCount += changes.length;
    if (!isSettled) return { end: 'busy', itemCount };
    from = after(pendingKeys[readCount - 1]);
    await takeTurn(services);
  }
}

/** Whether any item is pending for a region. */
export async function hasPendingItems(services: EngineServices, peer: PeerRecord): Promise<boolean> {
  const [first] = await readKeys(services, spaceStart(peer.owedSpace), spaceStart(peer.owedSpace + 1), 1);
  return first !== undefined;
}

/**
 * Sends a page of a table's items to a region that does not have them yet.
 *
 * @param from - the key at which the page begins; the first item's key or before.
 * @returns where the next page begins; undefined at the end.
 */
export async function sendPage(
  services: EngineServices,
  table: Table,
  regionName: string,
  from: Uint8Array,
): Promise<{ readonly next: Buffer | undefined; readonly itemCount: number } | 'unknown'> {
  const itemKeys = await readKeys(services, from, spaceStart(table.record.itemSpace + 1));
  if (itemKeys.length === 0) return { next: undefined, itemCount: 0 };
  const { changes, readCount } = await readChanges(services, table, itemKeys);
  if (!(await send(services, table, regionName, changes))) return 'unknown';
  return { next: after(itemKeys[readCount - 1]), itemCount: changes.length };
}

async function readKeys(
  { store }: EngineServices,
  from: Uint8Array,
  to: Uint8Array,
  limit: number = sentPageItems,
): Promise<readonly Buffer[]> {
  const keys: Buffer[] = [];
  await store.range({ from, to, limit }, (key) => {
    keys.push(Buffer.from(key));
    return true;
  });
  return keys;
}

function after(key: Buffer | undefined): Buffer {
  assert(key !== undefined, 'a page has at least one entry');
  return Buffer.concat([key, Uint8Array.of(0)]);
}

/** The first items with their versions, from one snapshot: as many as fit into a message, at least one. */
async function readChanges(
  { store }: EngineServices,
  table: Table,
  itemKeys: readonly Buffer[],
): Promise<{ readonly changes: readonly (ReplicatedChange | undefined)[]; readonly readCount: number }> {
  const { replication } = table;
  assert(replication !== undefined, 'the table has replicas');
  const keys = [...itemKeys, ...itemKeys.map((key) => replication.versionKey(key))];
  return store.read(keys, (values) => {
    const changes: (ReplicatedChange | undefined)[] = [];
    let bytes = 0;
    for (let at = 0; at < itemKeys.length && bytes < sentPageBytes; at++) {
      const value = values[at];
      const stored = values[itemKeys.length + at];
      const mark = stored && decodeMark(stored);
      const item = value && decodeStoredItem(itemKeys[at] as Buffer, value).toMap();
      bytes += value?.length ?? 0;
      if (item !== undefined) {
        const key = itemKeyOfItem(table, item).attributes;
        changes.push({ key, item, version: mark?.version ?? firstVersion });
      } else if (mark?.deleted !== undefined) {
        changes.push({ key: mark.deleted.key, version: mark.version });
      } else {
        changes.push(undefined); // deleted so long ago that its tombstone is gone
      }
    }
    return { changes, readCount: changes.length };
  });
}

/** @returns whether the region has accepted them. */
async function send(
  services: EngineServices,
  { record, replication }: Table,
  region: string,
  changes: readonly (ReplicatedChange | undefined)[],
): Promise<boolean> {
  assert(replication !== undefined, 'the table has replicas');
  const answer = await sendMessage(services, {
    kind: 'write',
    accountId: record.accountId,
    region,
    tableName: record.tableName,
    groupId: replication.record.groupId,
    sender: record.region,
    changes: changes.flatMap((change) => change ?? []),
  });
  return answer.kind === 'written' && answer.outcome === 'taken';
}

/** Removes sent items from the pending list, unless they have changed since. */
function settled(
  pendingKeys: readonly Buffer[],
  values: readonly StoreValue[],
  changes: readonly (ReplicatedChange | undefined)[],
): readonly StoreWrite[] {
  const isSent = (pending: Version, change: ReplicatedChange | undefined): boolean =>
    change === undefined || compareVersions(pending, change.version) <= 0;
  return pendingKeys.flatMap((key, at) => {
    const value = values[at];
    return value !== undefined && isSent(decodeMark(value).version, changes[at]) ? [{ key, value: undefined }] : [];
  });
}
