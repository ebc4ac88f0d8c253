import { space, storeKey } from '../layout/spaces.ts';

/** Where a table's replication lease is. */
export function leaseKey(itemSpace: number): Buffer {
  return storeKey(space.replication, undefined, spaceBytesOf(itemSpace));
}

/** Where it says how far the first copy of a table to a region has come. */
export function copyKey(itemSpace: number, regionName: string): Buffer {
  return storeKey(space.replication, undefined, spaceBytesOf(itemSpace), Buffer.from(regionName, 'utf8'));
}

function spaceBytesOf(itemSpace: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(itemSpace, 0);
  return bytes;
}
