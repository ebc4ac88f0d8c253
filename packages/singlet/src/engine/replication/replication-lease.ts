import { type LeaseGrant, StoredLeases } from '../background/lease.ts';
import { StorageError } from '../../storage/storage-error.ts';
import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import type { EngineServices } from '../services.ts';
import { leaseKey } from './replication-keys.ts';

/*
 * Any number of processes may replicate a table at once, because every step may be repeated. To avoid duplicate work,
 * one of them holds the table's lease, for a little longer than the interval between renewals. It records its
 * progress under the lease.
 */

/** How long a lease is valid, in milliseconds. After that, another process replaces one that has died. */
export const leaseMs = 5000;

const leases = new StoredLeases('A replication lease', leaseMs);

/** This process's lease on the replication of a table; undefined while another process holds it. */
export async function holdLease(services: EngineServices, itemSpace: number): Promise<LeaseGrant | undefined> {
  const grant = await leases.acquire(services, leaseKey(itemSpace), services.processId);
  if (grant !== undefined) services.replicationLeases.set(itemSpace, grant);
  return grant;
}

/**
 * Makes a decision under the lease of a table.
 *
 * @param keys - read for `decide`, which is pure and returns what to write.
 * @returns false if another process holds the lease now; then nothing is written.
 */
export async function writeHeld(
  { store }: EngineServices,
  { itemSpace, grant }: { readonly itemSpace: number; readonly grant: LeaseGrant },
  keys: readonly Uint8Array[],
  decide: (values: readonly StoreValue[]) => readonly StoreWrite[],
): Promise<boolean> {
  const key = leaseKey(itemSpace);
  return store.write([key, ...keys], ([lease, ...values]) => {
    if (!leases.holds(key, lease, grant)) return { answer: false, writes: [] };
    return { answer: true, writes: decide(values) };
  });
}

/** Releases the leases of this process, so that the next process need not wait for them to expire. */
export async function releaseLeases(services: EngineServices): Promise<void> {
  const held = [...services.replicationLeases];
  services.replicationLeases.clear();
  try {
    for (const [itemSpace, grant] of held) await leases.release(services, leaseKey(itemSpace), grant);
  } catch (error) {
    // They expire by themselves.
    if (!(error instanceof StorageError)) throw error;
    services.environment.log({ level: 'debug', event: 'replication-leases-kept', error });
  }
}
