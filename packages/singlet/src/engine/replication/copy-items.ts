import { RecordCodec } from '../layout/record-codec.ts';
import { spaceStart } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';
import { takeTurn } from '../background/background-pace.ts';
import type { Table } from '../catalog/table.ts';
import { copyKey } from './replication-keys.ts';
import { holdLease, writeHeld } from './replication-lease.ts';
import { type Sent, sendPage } from './send-items.ts';

/*
 * The first copy of a table's items to a new replica. Since the replica is already a member, every write is pending for it,
 * so the walk over the items need not see concurrent changes behind its position. The store records its progress.
 */

const copyFormat = 1;

interface StoredCopy {
  readonly format: typeof copyFormat;
  /** The key of the next item, in hexadecimal. */
  readonly next: string;
  readonly itemCount: number;
}

const copies = new RecordCodec<StoredCopy>(copyFormat, () => 'The copy of a table to a replica');

/** How many items have been copied to a region so far; undefined when no copy is under way. */
export async function copiedItemCount(
  { store }: EngineServices,
  itemSpace: number,
  regionName: string,
): Promise<number | undefined> {
  const key = copyKey(itemSpace, regionName);
  return store.read([key], ([value]) => value && copies.decode(key, value).itemCount);
}

/**
 * Continues the copy from its recorded position.
 *
 * @throws {ReplicaUnreachableError} if the region cannot be reached.
 * @throws {ClosingSignal} if the engine closes.
 */
export async function copyItems(services: EngineServices, table: Table, regionName: string): Promise<Sent> {
  const { itemSpace } = table.record;
  const key = copyKey(itemSpace, regionName);
  const begun = await services.store.read([key], ([value]) => value && copies.decode(key, value));
  let from: Uint8Array = begun === undefined ? spaceStart(itemSpace) : Buffer.from(begun.next, 'hex');
  let itemCount = begun?.itemCount ?? 0;
  let sentCount = 0;
  for (;;) {
    const grant = await holdLease(services, itemSpace);
    if (grant === undefined) return { end: 'busy', itemCount: sentCount };
    const page = await sendPage(services, table, regionName, from);
    if (page === 'unknown') return { end: 'unknown', itemCount: sentCount };
    if (page.next === undefined) return { end: 'end', itemCount: sentCount };
    sentCount += page.itemCount;
    itemCount += page.itemCount;
    from = page.next;
    const copy: StoredCopy = { format: copyFormat, next: page.next.toString('hex'), itemCount };
    const write = copies.write(key, copy);
    if (!(await writeHeld(services, { itemSpace, grant }, [], () => [write])))
      return { end: 'busy', itemCount: sentCount };
    await takeTurn(services);
  }
}

/** Removes the position of a copy that is complete or starts over. */
export async function forgetCopy({ store }: EngineServices, itemSpace: number, regionName: string): Promise<void> {
  const key = copyKey(itemSpace, regionName);
  await store.write([], () => ({ answer: undefined, writes: [{ key, value: undefined }] }));
}
