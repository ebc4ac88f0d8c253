import { StorageError } from '../../storage/storage-error.ts';
import type { EngineServices } from '../services.ts';
import { leaseKey } from './replication-keys.ts';

/*
 * Any number of processes may replicate a table at once, for every step may be done twice. So that they do not do each
 * other's work again, one of them holds the table's lease, a little longer than it takes to renew it.
 */

const leaseFormat = 1;

/** How long a lease holds: after that, another process goes on in place of one that has died. */
export const leaseMs = 5000;

interface StoredLease {
  readonly format: typeof leaseFormat;
  readonly holder: string;
  readonly untilMs: number;
}

/** @returns whether this process may replicate the table now. */
export async function holdLease(services: EngineServices, itemSpace: number): Promise<boolean> {
  const key = leaseKey(itemSpace);
  const { processId: holder } = services;
  const nowMs = services.environment.clock.nowMs();
  const isMine = (lease: StoredLease | undefined): boolean => lease?.holder === holder && lease.untilMs > nowMs;
  const present = await services.store.read([key], ([value]) => value && decodeLease(value));
  if (present !== undefined && isMine(present) && present.untilMs - nowMs > leaseMs / 2) return true;
  const isTaken = await services.store.write([key], ([value]) => {
    const lease = value && decodeLease(value);
    if (lease !== undefined && lease.holder !== holder && lease.untilMs > nowMs) return { answer: false, writes: [] };
    const next: StoredLease = { format: leaseFormat, holder, untilMs: nowMs + leaseMs };
    return { answer: true, writes: [{ key, value: Buffer.from(JSON.stringify(next), 'utf8') }] };
  });
  if (isTaken) services.replicationLeases.add(itemSpace);
  return isTaken;
}

/** Gives back the leases of this process, so that the next one need not wait for their end. */
export async function releaseLeases({
  store,
  processId,
  replicationLeases,
  environment,
}: EngineServices): Promise<void> {
  const keys = Array.from(replicationLeases, leaseKey);
  replicationLeases.clear();
  if (keys.length === 0) return;
  try {
    await store.write(keys, (values) => ({
      answer: undefined,
      writes: keys.flatMap((key, at) => {
        const value = values[at];
        return value !== undefined && decodeLease(value).holder === processId ? [{ key, value: undefined }] : [];
      }),
    }));
  } catch (error) {
    // They end by themselves.
    if (!(error instanceof StorageError)) throw error;
    environment.log({ level: 'debug', event: 'replication leases kept', error });
  }
}

function decodeLease(value: Uint8Array): StoredLease {
  // The bytes were written by holdLease; the format number guards what the type promises.
  const lease = JSON.parse(Buffer.from(value).toString('utf8')) as StoredLease;
  const format: number = lease.format;
  if (format !== leaseFormat) {
    throw new StorageError('format', `A replication lease is stored in the unknown format ${format}.`);
  }
  return lease;
}
