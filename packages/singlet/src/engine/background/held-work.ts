import { StorageError } from '../../storage/storage-error.ts';
import type { Store } from '../../storage/store.ts';
import type { CatalogServices } from '../catalog/catalog-services.ts';
import { space, storeKey } from '../layout/spaces.ts';
import { type LeaseGrant, LeaseLostError, StoredLeases } from './lease.ts';

/*
 * Background work that one server at a time does, of those that share a store. The others would only repeat its steps, and their decisions would
 * conflict with those of requests.
 *
 * The lease is that of a piece of work: a backfill, a purge, the sweep of expired items. Its holder is a server, and it passes on when that server
 * has stopped. All decisions of the work are made through a store that reads the lease with them, so the work itself does not mention
 * it: a server that was paused, and wakes up when another does its work, writes no more.
 *
 * Processes that share a directory do without. One of the workers does all background work (`serve --workers`), and other processes may repeat
 * a step of it, as every step allows.
 *
 * Decision 0128 says why.
 */

/** Stored with a lease. Between servers, time does not end one. */
const leaseMs = 5_000;

const leases = new StoredLeases('A lease of background work', leaseMs);

/**
 * Does regular work if no other server does. The lease is kept from one run to the next.
 *
 * @param work - uses the services that it is passed.
 * @returns whether it was done here.
 * @throws {LeaseLostError} when another server has taken the work over.
 */
export async function asHolder<S extends CatalogServices>(
  services: S,
  name: string,
  work: (held: S) => Promise<void>,
): Promise<boolean> {
  const grant = await grantOf(services, name);
  if (grant === undefined) return false;
  await work(heldServices(services, name, grant));
  return true;
}

/** Does work that has an end, if no other server does, and removes its lease then. Otherwise like {@link asHolder}. */
export async function asHolderOnce<S extends CatalogServices>(
  services: S,
  name: string,
  work: (held: S) => Promise<void>,
): Promise<boolean> {
  const grant = await grantOf(services, name);
  if (grant === undefined) return false;
  try {
    await work(heldServices(services, name, grant));
  } finally {
    await remove(services, name, grant);
  }
  return true;
}

/** @returns the right to do the work; `alone` where no other server can; undefined while another has it. */
async function grantOf(services: CatalogServices, name: string): Promise<LeaseGrant | 'alone' | undefined> {
  if (services.servers === undefined) return 'alone';
  return leases.acquire(services, leaseKey(name), services.processId);
}

function heldServices<S extends CatalogServices>(services: S, name: string, grant: LeaseGrant | 'alone'): S {
  if (grant === 'alone') return services;
  return { ...services, store: new HeldStore(services.store, leaseKey(name), grant) };
}

async function remove(services: CatalogServices, name: string, grant: LeaseGrant | 'alone'): Promise<void> {
  if (grant === 'alone') return;
  try {
    await leases.remove(services, leaseKey(name), grant);
  } catch (error) {
    // It is this server's still, so this server can take the work up again, or another one when this one has stopped.
    if (!(error instanceof StorageError)) throw error;
  }
}

/** A store whose decisions are made only as long as a lease is held. */
class HeldStore implements Store {
  readonly #store: Store;
  readonly #key: Uint8Array;
  readonly #grant: LeaseGrant;

  constructor(store: Store, key: Uint8Array, grant: LeaseGrant) {
    this.#store = store;
    this.#key = key;
    this.#grant = grant;
  }

  get manifest(): Store['manifest'] {
    return this.#store.manifest;
  }

  read: Store['read'] = (keys, body) => this.#store.read(keys, body);

  range: Store['range'] = (request, visit) => this.#store.range(request, visit);

  write: Store['write'] = (keys, decide) =>
    this.#store.write([this.#key, ...keys], ([lease, ...values]) => {
      if (!leases.holds(this.#key, lease, this.#grant)) throw new LeaseLostError();
      return decide(values);
    });

  close(): Promise<void> {
    return this.#store.close();
  }
}

function leaseKey(name: string): Uint8Array {
  return storeKey(space.workLeases, undefined, Buffer.from(name, 'utf8'));
}
