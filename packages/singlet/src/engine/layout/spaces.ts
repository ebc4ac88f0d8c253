/**
 * The location of everything in the store. A key is `space 4 | hash 16 | rest` (see `storage/store.ts`).
 *
 *     space               hash                         rest                                        value
 *     0 tables            of account/region            table name                                  table record (JSON)
 *     1 fences            of account/region/table      -                                           fence: version 4, item space 4
 *     2 counters          zero                         -                                           next free space 4
 *     3 account usage     of account/region            -                                           number of tables 4, provisioned units 8 8, rules 4
 *     4 statistics        table's item space, bucket   -                                           item counts and sizes
 *     5 idempotency       of account/region/token      -                                           expiry and request digest
 *     6 token expiry      zero                         expiry 8 | hash of the token 16             -
 *     7 collection sizes  of the partition key         table's item space 4                        bytes 8
 *     8 purges            zero                         item space of a deleted table 4             the spaces left to remove (JSON)
 *     9 time to live      zero                         item space of a table that has it 4         name of the table (JSON)
 *     10 streams          of account/region            table name | 0 | since, epoch ms 8          stream record (JSON)
 *     12 backups          of account/region            table name | 0 | backup id                  backup record (JSON)
 *     13 backup jobs      zero                         space that is being filled 4                the remaining work (JSON)
 *     14 exports          of account/region            export id                                   export record (JSON)
 *                         of account/region/token      -                                           the token's export (JSON)
 *     17 replicated tables zero                        item space of a table with replicas 4       name of the table (JSON)
 *     18 replication      zero                         item space of the table 4 | region or -     lease, or how far a copy is (JSON)
 *     19 deliveries       zero                         log of changes 4                            source and destination (JSON)
 *     20 delivery leases  zero                         log of changes 4                            lease of the delivery (JSON)
 *     21 scaling          of account/region            resource id | 0 | dimension                  scalable target, its policies (JSON)
 *     22 servers          zero                         server 16, or server 16 | number 8           see `database/store-peers.ts` (JSON)
 *     23 work leases      zero                         name of the work                            lease of background work (JSON)
 *     15 imports          see `engine/transfer/load-keys.ts`
 *     16 bulk operations  see `engine/transfer/load-keys.ts`
 *     256.. free          of the partition key         encoded sort key (items)                    item
 *                         of the index partition key   index sort key | table hash | table sort    projected item
 *                         bucket of the item's hash    epoch seconds 8 | hash and sort of the item -
 *                         first of a shard's hashes    shard number 4 | position 8                 change record
 *                         first of a shard's hashes    shard number 4 | 0xff × 8                   open shard's next position
 *                         of the partition key         encoded sort key (versions, pending)        version of the item
 *                         see followers/vectors/vector-entry.ts                                        vector and projected item
 *                         bucket of the item's hash    place 4 or 0xff × 4                         journal of a vector index
 *                         bucket of the item's hash    moment 8 | hash and sort of the item        the item before a change
 *                         bucket of the item's hash    0xff × 8                                    moment of its last change
 *
 *     0xffffffff          -                            -                                           data keys, see `storage/encryption/with-encryption.ts`
 *
 * JSON: a record, stored with its format and a checksum (`record-codec.ts`).
 *
 * Spaces from {@link firstDataSpace} are handed out one per table, index, stream, log of changes and backup (two per vector index)
 * and never reused, so the entries of a deleted table can be purged later.
 *
 * Decision 0003 says why.
 */
export const space = {
  tables: 0,
  fences: 1,
  counters: 2,
  accountUsage: 3,
  statistics: 4,
  idempotency: 5,
  tokenExpiry: 6,
  collectionSizes: 7,
  purges: 8,
  timeToLive: 9,
  streams: 10,
  backups: 12,
  backupJobs: 13,
  exports: 14,
  replicatedTables: 17,
  replication: 18,
  deliveries: 19,
  deliveryLeases: 20,
  scaling: 21,
  servers: 22,
  workLeases: 23,
  imports: 15,
  bulkOperations: 16,
} as const;

export const firstDataSpace = 256;

const spaceBytes = 4;
/** Bytes of the partition hash in a key. */
export const hashBytes = 16;
const prefixBytes: number = spaceBytes + hashBytes;

const noHash: Uint8Array = new Uint8Array(hashBytes);

/** `space | hash | rest…` in one buffer. The default hash is sixteen zeros. */
export function storeKey(spaceId: number, hash: Uint8Array = noHash, ...rest: readonly Uint8Array[]): Buffer {
  let length = prefixBytes;
  for (const part of rest) length += part.length;
  const key = Buffer.allocUnsafe(length);
  key.writeUInt32BE(spaceId, 0);
  key.set(hash, spaceBytes);
  let offset = prefixBytes;
  for (const part of rest) {
    key.set(part, offset);
    offset += part.length;
  }
  return key;
}

/** The first possible key of a space. All entries of the space are between it and that of the next space. */
export function spaceStart(spaceId: number): Buffer {
  return storeKey(spaceId);
}

/** The space of a key. */
export function spaceOf(key: Uint8Array): number {
  return new DataView(key.buffer, key.byteOffset).getUint32(0);
}

/** The hash part of a key, as a view. */
export function hashOf(key: Uint8Array): Uint8Array {
  return key.subarray(spaceBytes, prefixBytes);
}

/** What follows the hash, as a view. */
export function restOf(key: Uint8Array): Uint8Array {
  return key.subarray(prefixBytes);
}
