import { type LeaseGrant, StoredLeases } from '../background/lease.ts';
import { StorageError } from '../../storage/storage-error.ts';
import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import type { EngineServices } from '../services.ts';
import { leaseKey } from './replication-keys.ts';

/*
 * Any number of processes may replicate a table at once, for every step may be done twice. So that they do not do each
 * other's work again, one of them holds the table's lease, a little longer than it takes to renew it. What it records of its
 * progress, it records under the lease.
 */

/** How long a lease holds: after that, another process continues in place of one that has died. */
export const leaseMs = 5000;

const leases = new StoredLeases('A replication lease', leaseMs);

/** The right of this process to replicate a table now; undefined while another process has it. */
export async function holdLease(services: EngineServices, itemSpace: number): Promise<LeaseGrant | undefined> {
  const grant = await leases.acquire(services, leaseKey(itemSpace), services.processId);
  if (grant !== undefined) services.replicationLeases.set(itemSpace, grant);
  return grant;
}

/**
 * Makes a decision under the lease of a table.
 *
 * @param keys - read for `decide`, which is pure and says what to write.
 * @returns false when the lease has passed on: then nothing is written.
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

/** Gives back the leases of this process, so that the next one need not wait for their end. */
export async function releaseLeases(services: EngineServices): Promise<void> {
  const held = [...services.replicationLeases];
  services.replicationLeases.clear();
  try {
    for (const [itemSpace, grant] of held) await leases.release(services, leaseKey(itemSpace), grant);
  } catch (error) {
    // They end by themselves.
    if (!(error instanceof StorageError)) throw error;
    services.environment.log({ level: 'debug', event: 'replication-leases-kept', error });
  }
}
