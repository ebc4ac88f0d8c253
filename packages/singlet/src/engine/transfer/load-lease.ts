import type { StoreValue } from '../../storage/store.ts';
import { acquired, holds, type LeaseGrant, LeaseLostError, type LeaseState } from '../background/lease.ts';
import type { EngineServices } from '../services.ts';
import { type LoadReference, loadKey } from './load-keys.ts';
import { decodeLoad, encodeLoad, isOpen, type LoadRecord } from './load-record.ts';

/*
 * One process at a time runs a load. It holds a lease, which is stored in the load's record and renewed with each batch.
 */

/**
 * How long a lease is valid, in milliseconds, and so how long a load waits after the process that ran it has died. A process that waits
 * longer for its bucket may lose the load to another; only a little reading is lost with it.
 */
export const leaseMs = 3000;

/** Not an error: the batch before this one has not been written yet. */
export class OutOfOrderError extends Error {
  constructor() {
    super('the batch before has not been written');
    this.name = 'OutOfOrderError';
  }
}

/** Not an error: the load was cancelled. */
export class LoadCancelledSignal extends Error {
  constructor() {
    super('the load was cancelled');
    this.name = 'LoadCancelledSignal';
  }
}

/** A load and the lease on it. */
export interface TakenLoad {
  readonly load: LoadRecord;
  readonly grant: LeaseGrant;
}

/**
 * Acquires the lease of a load.
 *
 * @returns the load; if another process runs it, when to ask again; undefined if the load is finished.
 */
export async function takeLoad(
  { store, environment, servers }: EngineServices,
  reference: LoadReference,
  holder: string,
): Promise<TakenLoad | { readonly heldUntilMs: number } | undefined> {
  const key = loadKey(reference);
  const nowMs = environment.clock.nowMs();
  // The end of a lease between servers cannot be foreseen.
  const heldUntilMs = ({ lease }: LoadRecord): number =>
    servers === undefined ? (lease?.untilMs ?? nowMs) : nowMs + leaseMs / 2;
  return store.write<TakenLoad | { readonly heldUntilMs: number } | undefined>([key], ([value]) => {
    const load = value === undefined ? undefined : decodeLoad(key, value);
    if (load === undefined || !isOpen(load)) return { answer: undefined, writes: [] };
    const grant = acquired(leaseOf(load), { holder, nowMs, durationMs: leaseMs, servers });
    if (grant === undefined) return { answer: { heldUntilMs: heldUntilMs(load) }, writes: [] };
    const taken = withLease(load, grant, grant.untilMs);
    return { answer: { load: taken, grant }, writes: [{ key, value: encodeLoad(key, taken) }] };
  });
}

/** Releases a lease, so that the next process need not wait for it to expire. */
export async function giveLoadBack(
  { store, environment }: EngineServices,
  reference: LoadReference,
  grant: LeaseGrant,
): Promise<void> {
  const key = loadKey(reference);
  const nowMs = environment.clock.nowMs();
  await store.write([key], ([value]) => {
    const load = value === undefined ? undefined : decodeLoad(key, value);
    if (load === undefined || !holds(leaseOf(load), grant)) return { answer: undefined, writes: [] };
    return { answer: undefined, writes: [{ key, value: encodeLoad(key, withLease(load, grant, nowMs)) }] };
  });
}

/** @throws {LeaseLostError} if the lease is no longer valid, or the load is finished. */
export function openLoad(key: Uint8Array, value: StoreValue, grant: LeaseGrant): LoadRecord {
  const load = value === undefined ? undefined : decodeLoad(key, value);
  if (load === undefined || !holds(leaseOf(load), grant) || !isOpen(load)) throw new LeaseLostError();
  return load;
}

/**
 * The load as a decision reads it, with the lease renewed.
 *
 * @throws {LeaseLostError} as {@link openLoad}.
 * @throws {LoadCancelledSignal} if its cancellation was requested.
 */
export function heldLoad(key: Uint8Array, value: StoreValue, grant: LeaseGrant, nowMs: number): LoadRecord {
  const load = openLoad(key, value, grant);
  if (load.status === 'CANCELLING') throw new LoadCancelledSignal();
  return withLease(load, grant, nowMs + leaseMs);
}

function leaseOf({ lease }: LoadRecord): LeaseState | undefined {
  return (
    lease && { holder: lease.owner, untilMs: lease.untilMs, ...(lease.token !== undefined && { token: lease.token }) }
  );
}

function withLease(load: LoadRecord, { holder, token }: LeaseGrant, untilMs: number): LoadRecord {
  return { ...load, lease: { owner: holder, untilMs, token } };
}
