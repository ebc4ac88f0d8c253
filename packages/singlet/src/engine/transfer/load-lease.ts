import type { StoreValue } from '../../storage/store.ts';
import type { EngineServices } from '../services.ts';
import { type LoadReference, loadKey } from './load-keys.ts';
import { decodeLoad, encodeLoad, isOpen, type LoadRecord } from './load-record.ts';

/*
 * One process at a time works on a load: it holds a lease, which stands in the load's record and is renewed with each batch.
 * Whoever finds it run out takes it over. Should both be alive, the first finds its lease gone at its next decision, which
 * then does nothing.
 */

/**
 * How long a lease holds, in milliseconds: how long a load rests after the process that was at it has died. A process that waits
 * longer for its bucket may lose the load to another; nothing but a little reading is lost with it.
 */
export const leaseMs = 3000;

/** Not an error of anybody: another process has taken over, or the load is finished. */
export class LeaseLostError extends Error {
  constructor() {
    super('another process works on the load');
    this.name = 'LeaseLostError';
  }
}

/** Not an error: the batch before this one has not been written yet. */
export class OutOfOrderError extends Error {
  constructor() {
    super('the batch before has not been written');
    this.name = 'OutOfOrderError';
  }
}

/** Not an error: somebody has asked for the end of the load. */
export class LoadCancelledSignal extends Error {
  constructor() {
    super('the load was cancelled');
    this.name = 'LoadCancelledSignal';
  }
}

/**
 * Takes the lease of a load.
 *
 * @returns the load; when another process is at it, until when its lease holds; undefined when there is nothing left to do.
 */
export async function takeLease(
  { store, environment }: EngineServices,
  reference: LoadReference,
  owner: string,
): Promise<LoadRecord | { readonly heldUntilMs: number } | undefined> {
  const key = loadKey(reference);
  const nowMs = environment.clock.nowMs();
  return store.write<LoadRecord | { readonly heldUntilMs: number } | undefined>([key], ([value]) => {
    const load = value === undefined ? undefined : decodeLoad(value);
    if (load === undefined || !isOpen(load)) return { answer: undefined, writes: [] };
    if (load.lease !== undefined && load.lease.owner !== owner && load.lease.untilMs > nowMs) {
      return { answer: { heldUntilMs: load.lease.untilMs }, writes: [] };
    }
    const taken: LoadRecord = { ...load, lease: { owner, untilMs: nowMs + leaseMs } };
    return { answer: taken, writes: [{ key, value: encodeLoad(taken) }] };
  });
}

/** Gives a lease back, so that the next process need not wait for its end. */
export async function giveLeaseBack({ store }: EngineServices, reference: LoadReference, owner: string): Promise<void> {
  const key = loadKey(reference);
  await store.write([key], ([value]) => {
    const load = value === undefined ? undefined : decodeLoad(value);
    if (load?.lease?.owner !== owner) return { answer: undefined, writes: [] };
    const { lease: _lease, ...free } = load;
    return { answer: undefined, writes: [{ key, value: encodeLoad(free) }] };
  });
}

/**
 * The load as a decision finds it, with the lease renewed.
 *
 * @throws {LeaseLostError} when the lease is not `owner`'s any more.
 * @throws {LoadCancelledSignal} when it is to end.
 */
export function heldLoad(value: StoreValue, owner: string, nowMs: number): LoadRecord {
  const load = value === undefined ? undefined : decodeLoad(value);
  if (load?.lease?.owner !== owner || !isOpen(load)) throw new LeaseLostError();
  if (load.status === 'CANCELLING') throw new LoadCancelledSignal();
  return { ...load, lease: { owner, untilMs: nowMs + leaseMs } };
}
