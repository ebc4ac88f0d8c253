import { space, storeKey } from '../layout/spaces.ts';

/** The key of a table's replication lease. */
export function leaseKey(itemSpace: number): Buffer {
  return storeKey(space.replication, undefined, spaceBytesOf(itemSpace));
}

/** The key of the progress of a table's first copy to a region. */
export function copyKey(itemSpace: number, regionName: string): Buffer {
  return storeKey(space.replication, undefined, spaceBytesOf(itemSpace), Buffer.from(regionName, 'utf8'));
}

function spaceBytesOf(itemSpace: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(itemSpace, 0);
  return bytes;
}
