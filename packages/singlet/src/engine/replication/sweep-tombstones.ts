import type { StoreWrite } from '../../storage/store.ts';
import type { EngineServices } from '../services.ts';
import { takeTurn } from '../background/background-pace.ts';
import type { Table } from '../catalog/table.ts';
import { expiryBucketCount, expiryRange, itemKeyOfExpiryEntry } from '../followers/expiry/expiry-index.ts';
import { decodeMark } from '../catalog/item-version.ts';
import type { ReplicaAddress } from './replica-message.ts';

/** Tombstones removed in one decision. */
const sweptPageMarks = 100;

const hourSeconds = 3600;

/**
 * Removes old tombstones. An older write of another region that arrived after that would look like a new
 * item, so a deletion that is still pending for some region is kept, however old it is.
 *
 * @returns how many were removed.
 */
export async function sweepTombstones(services: EngineServices, address: ReplicaAddress): Promise<number> {
  const table = await services.catalog.load(address, address.tableName);
  if (table?.replication === undefined) return 0;
  const tombstones = { space: table.replication.record.tombstoneSpace };
  const nowSeconds = Math.floor(services.environment.clock.nowMs() / 1000);
  const toSeconds = nowSeconds - services.limits.replicaTombstoneHours * hourSeconds;
  let sweptCount = 0;
  for (let bucket = 0; bucket < expiryBucketCount; bucket++) {
    const range = expiryRange(tombstones, bucket, { fromSeconds: 0, toSeconds });
    const { to } = range;
    let { from } = range;
    for (;;) {
      const entries: Buffer[] = [];
      await services.store.range({ from, to, limit: sweptPageMarks }, (key) => {
        entries.push(Buffer.from(key));
        return true;
      });
      if (entries.length === 0) break;
      sweptCount += await forget(services, table, entries);
      if (entries.length < sweptPageMarks) break;
      from = Buffer.concat([entries.at(-1) ?? from, Uint8Array.of(0)]);
      await takeTurn(services);
    }
  }
  return sweptCount;
}

async function forget({ store }: EngineServices, table: Table, entries: readonly Buffer[]): Promise<number> {
  const { replication } = table;
  if (replication === undefined) return 0;
  const { peers } = replication.record;
  const places = entries.map((entry) => {
    const itemKey = itemKeyOfExpiryEntry(entry, table.record.itemSpace);
    const pending = peers.map(({ owedSpace }) => replication.pendingKey(owedSpace, itemKey));
    return { entry, versionKey: replication.versionKey(itemKey), pending };
  });
  const keys = places.flatMap(({ versionKey, pending }) => [versionKey, ...pending]);
  return store.write(keys, (values) => {
    const writes: StoreWrite[] = [];
    let forgottenCount = 0;
    places.forEach(({ entry, versionKey }, at) => {
      const [mark, ...pending] = values.slice(at * (peers.length + 1), (at + 1) * (peers.length + 1));
      const isDeleted = mark !== undefined && decodeMark(mark).deleted !== undefined;
      if (isDeleted && pending.some((value) => value !== undefined)) return;
      writes.push({ key: entry, value: undefined });
      if (!isDeleted) return;
      writes.push({ key: versionKey, value: undefined });
      forgottenCount += 1;
    });
    return { answer: forgottenCount, writes };
  });
}
