import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import type { CatalogServices, ServersOfStore } from '../catalog/catalog-services.ts';
import { RecordCodec } from '../layout/record-codec.ts';

/*
 * Leases with fencing: one process at a time does work that several could do.
 *
 * A lease names its holder, its expiry time, and a fencing token: a number that increases each time that the lease
 * passes to another holder, or starts over after it has run out. A process that acquires a lease gets a grant: holder and token.
 *
 * Time alone excludes nothing: a process may sleep past the end of its lease and continue as if nothing had happened. So every
 * decision made under a lease also reads the lease and compares it with the grant. Once the lease has passed on, the
 * decision finds another token and writes nothing. Until then a late holder may continue, because no other has begun.
 *
 * A lease passes on when it has run out, by the clock that all processes of a directory share. Servers over one store may have clocks that differ,
 * so between these a lease passes on when its holder has stopped (`CatalogServices.servers`). A wrong clock, or a server that only seemed to
 * have stopped, lets a lease pass on too early or too late, but never gives two holders the same token.
 *
 * The time is taken from the environment before a decision, and no decision depends on two clocks.
 *
 * Decision 0128 says why.
 */

/** A lease as stored, in a record of its own or as a part of another. */
export interface LeaseState {
  /** Absent while the work rests: then the lease cannot be acquired before it runs out. */
  readonly holder?: string;
  readonly untilMs: number;
  /** Absent in records of earlier versions: counts as 0. */
  readonly token?: number;
}

/** The right to work under a lease, until it passes on. */
export interface LeaseGrant {
  readonly holder: string;
  readonly token: number;
}

/** Not a fault: the lease has passed to another holder, and the write was not made. */
export class LeaseLostError extends Error {
  constructor() {
    super('the lease has passed to another process');
    this.name = 'LeaseLostError';
  }
}

/** Who wants a lease, and what decides whether it is free. */
export interface LeaseClaim {
  readonly holder: string;
  readonly nowMs: number;
  readonly durationMs: number;
  /** Where servers share the store: whether the present holder is running decides, and not the time. */
  readonly servers?: ServersOfStore | undefined;
}

/** The lease after `holder` has acquired or renewed it; undefined while it is another's. For use in a decision. */
export function acquired(
  present: LeaseState | undefined,
  { holder, nowMs, durationMs, servers }: LeaseClaim,
): (LeaseState & LeaseGrant) | undefined {
  const isTaken =
    present !== undefined &&
    (servers === undefined || present.holder === undefined
      ? present.untilMs > nowMs
      : servers.isRunning(present.holder));
  if (isTaken && present.holder !== holder) return undefined;
  const token = (present?.token ?? 0) + (isTaken ? 0 : 1);
  return { holder, untilMs: nowMs + durationMs, token };
}

/**
 * The name under which a process takes leases: where servers share the store, the one by which the others know whether it is running. Elsewhere
 * it is a new one, so that a process that starts over does not continue under a lease of its past.
 */
export function leaseHolder({
  servers,
  processId,
  environment,
}: Pick<CatalogServices, 'servers' | 'processId' | 'environment'>): string {
  return servers === undefined ? Buffer.from(environment.random.bytes(16)).toString('hex') : processId;
}

/** Whether a grant still holds: the lease has not passed on. Pure, for use in a decision. */
export function holds(present: LeaseState | undefined, { holder, token }: LeaseGrant): boolean {
  return present?.holder === holder && (present.token ?? 0) === token;
}

/** @throws {LeaseLostError} when the grant no longer holds. */
export function checkLease(present: LeaseState | undefined, grant: LeaseGrant): void {
  if (!holds(present, grant)) throw new LeaseLostError();
}

const leaseFormat = 1;

interface LeaseRecord extends LeaseState {
  readonly format: typeof leaseFormat;
}

/** Leases of one kind, each in a record of its own. */
export class StoredLeases {
  readonly #codec: RecordCodec<LeaseRecord>;
  readonly #durationMs: number;

  /**
   * @param name - how error messages name such a lease, at the beginning of a sentence.
   * @param durationMs - how long a lease holds after it is acquired or renewed.
   */
  constructor(name: string, durationMs: number) {
    this.#codec = new RecordCodec(leaseFormat, () => name);
    this.#durationMs = durationMs;
  }

  /**
   * Acquires a lease, or renews it once half of its time is over.
   *
   * @returns undefined while another process holds it, or while it rests.
   */
  async acquire(
    { store, environment, servers }: LeaseServices,
    key: Uint8Array,
    holder: string,
  ): Promise<LeaseGrant | undefined> {
    const nowMs = environment.clock.nowMs();
    const claim: LeaseClaim = { holder, nowMs, durationMs: this.#durationMs, servers };
    const present = await store.read([key], ([value]) => this.#decode(key, value));
    const needsNoRenewal = servers !== undefined || (present?.untilMs ?? 0) - nowMs > this.#durationMs / 2;
    if (present?.holder === holder && needsNoRenewal) return grantOf(present, holder);
    // A server that asks in vain again and again writes nothing.
    if (present !== undefined && acquired(present, claim) === undefined) return undefined;
    return store.write<LeaseGrant | undefined>([key], ([value]) => {
      const lease = acquired(this.#decode(key, value), claim);
      if (lease === undefined) return { answer: undefined, writes: [] };
      return { answer: grantOf(lease, holder), writes: [this.#write(key, lease)] };
    });
  }

  /** Whether a grant still holds, given what a decision has read under the key of the lease. */
  holds(key: Uint8Array, value: StoreValue, grant: LeaseGrant): boolean {
    return holds(this.#decode(key, value), grant);
  }

  /**
   * Writes under a lease, and renews it.
   *
   * @returns false when the lease has passed on; then nothing is written.
   */
  async writeHeld(
    { store, environment }: LeaseServices,
    key: Uint8Array,
    grant: LeaseGrant,
    writes: readonly StoreWrite[],
  ): Promise<boolean> {
    const untilMs = environment.clock.nowMs() + this.#durationMs;
    return store.write([key], ([value]) => {
      if (!this.holds(key, value, grant)) return { answer: false, writes: [] };
      return { answer: true, writes: [...writes, this.#write(key, { ...grant, untilMs })] };
    });
  }

  /**
   * Releases a lease, so that the next holder need not wait until it runs out.
   *
   * @param restMs - how long the lease stays without a holder.
   */
  async release({ store, environment }: LeaseServices, key: Uint8Array, grant: LeaseGrant, restMs = 0): Promise<void> {
    const untilMs = environment.clock.nowMs() + restMs;
    await store.write([key], ([value]) => {
      const isHeld = this.holds(key, value, grant);
      // The token stays, so that the next one differs.
      return { answer: undefined, writes: isHeld ? [this.#write(key, { untilMs, token: grant.token })] : [] };
    });
  }

  /** Ends a lease with the work that it was for: no other is going to want it. */
  async remove({ store }: LeaseServices, key: Uint8Array, grant: LeaseGrant): Promise<void> {
    await store.write([key], ([value]) => ({
      answer: undefined,
      writes: this.holds(key, value, grant) ? [{ key, value: undefined }] : [],
    }));
  }

  #decode(key: Uint8Array, value: StoreValue): LeaseState | undefined {
    return value === undefined ? undefined : this.#codec.decode(key, value);
  }

  #write(key: Uint8Array, lease: LeaseState): StoreWrite {
    return this.#codec.write(key, { format: leaseFormat, ...lease });
  }
}

type LeaseServices = Pick<CatalogServices, 'store' | 'environment' | 'servers'>;

function grantOf({ token = 0 }: LeaseState, holder: string): LeaseGrant {
  return { holder, token };
}
