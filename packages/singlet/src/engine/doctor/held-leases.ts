import type { Store } from '../../storage/store.ts';
import type { LeaseState } from '../background/lease.ts';
import { recordText } from '../layout/record-codec.ts';
import { restOf, space, spaceStart } from '../layout/spaces.ts';

/** Background work that a server is doing, or keeps to itself between its runs. */
export interface HeldLease {
  /** `expiry sweep`, `delivery of changes 300`. The number is the space of the log of changes or of the table's items. */
  readonly work: string;
  /** The server, by the name that it has in the store. */
  readonly holder: string;
  /** How often the work has passed to a server. */
  readonly token: number;
}

const numberBytes = 4;

const kinds: readonly (readonly [spaceId: number, work: (rest: Buffer) => string])[] = [
  [space.workLeases, (rest) => rest.toString('utf8')],
  [space.replication, (rest) => `replication ${rest.readUInt32BE(0)}`],
  [space.deliveryLeases, (rest) => `delivery of changes ${rest.readUInt32BE(0)}`],
];

/**
 * The leases of a store that have a holder, in the order of their keys.
 *
 * @throws {StorageError} `damaged` if one does not match its checksum.
 */
export async function heldLeases(store: Store): Promise<readonly HeldLease[]> {
  const leases: HeldLease[] = [];
  for (const [spaceId, work] of kinds) {
    await store.range({ from: spaceStart(spaceId), to: spaceStart(spaceId + 1) }, (key, value) => {
      const rest = Buffer.from(restOf(key));
      // Beside the lease of a table's replication is how far each copy is.
      if (spaceId === space.replication && rest.length > numberBytes) return true;
      const { holder, token = 0 } = JSON.parse(recordText(key, value)) as LeaseState;
      if (holder !== undefined) leases.push({ work: work(rest), holder, token });
      return true;
    });
  }
  return leases;
}
