import { partitionPrefixBytes } from '../store.ts';

/**
 * What the keys of this driver's own entries begin with that come behind all keys of the contract: one byte more than the last partition has. No key of the
 * contract may begin so.
 */
export const driverKeyPrefix: Buffer = Buffer.alloc(partitionPrefixBytes + 1, 0xff);
