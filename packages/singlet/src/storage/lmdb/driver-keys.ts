import { partitionPrefixBytes } from '../store.ts';

/**
 * The prefix of this driver's own entries that sort after all keys of the contract: one byte longer than the last partition.
 * No key of the contract may begin with it.
 */
export const driverKeyPrefix: Buffer = Buffer.alloc(partitionPrefixBytes + 1, 0xff);
