import { StorageError } from '../../storage/storage-error.ts';
import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import type { EngineServices } from '../services.ts';
import type { StreamReference } from '../tables/table-record.ts';
import { leaseKey } from './delivery-list.ts';

/*
 * Who delivers a log: one process at a time, so that the changes of an item go out in their order. It is a matter of order
 * only. Whoever goes on after its time is over delivers twice, which may happen anyway.
 */

const leaseFormat = 1;

interface LeaseRecord {
  readonly format: typeof leaseFormat;
  /** Nobody's: the delivery rests until then. */
  readonly holder?: string;
  readonly untilMs: number;
}

/** Takes or renews the lease of a log, together with what was delivered under it. */
export async function takeLease(
  { store, environment }: EngineServices,
  log: StreamReference,
  { holder, durationMs }: { readonly holder: string; readonly durationMs: number },
  writes: readonly StoreWrite[] = [],
): Promise<boolean> {
  const nowMs = environment.clock.nowMs();
  return store.write([leaseKey(log)], ([value]) => {
    const present = decodeLease(value);
    const isFree = present === undefined || present.holder === holder || present.untilMs <= nowMs;
    const lease = { key: leaseKey(log), value: encodeLease({ holder, untilMs: nowMs + durationMs }) };
    return { answer: isFree, writes: isFree ? [...writes, lease] : writes };
  });
}

/** Gives a lease back, or lets nobody have it for a while. */
export async function leaveLease(
  { store, environment }: EngineServices,
  log: StreamReference,
  holder: string,
  restMs: number,
): Promise<void> {
  const untilMs = environment.clock.nowMs() + restMs;
  await store.write([leaseKey(log)], ([value]) => {
    const isOurs = decodeLease(value)?.holder === holder;
    const left = { key: leaseKey(log), value: restMs === 0 ? undefined : encodeLease({ untilMs }) };
    return { answer: undefined, writes: isOurs ? [left] : [] };
  });
}

function encodeLease(lease: Omit<LeaseRecord, 'format'>): Buffer {
  return Buffer.from(JSON.stringify({ format: leaseFormat, ...lease }), 'utf8');
}

function decodeLease(value: StoreValue): LeaseRecord | undefined {
  if (value === undefined) return undefined;
  // The bytes were written by encodeLease; the format number guards what the type promises.
  const lease = JSON.parse(Buffer.from(value).toString('utf8')) as LeaseRecord;
  const format: number = lease.format;
  if (format !== leaseFormat) {
    throw new StorageError('format', `The lease of a delivery of changes is stored in the unknown format ${format}.`);
  }
  return lease;
}
