/** Nothing has been read yet; begin with the oldest record. */
export const trimHorizon = 'TRIM_HORIZON';
/** Nothing has been read yet; begin with records written from now on. */
export const latest = 'LATEST';
/** Everything has been read. */
export const shardEnd = 'SHARD_END';

/** The worker that reads a shard, and how far it has read. */
export interface Lease {
  readonly shardId: string;
  readonly parentShardId: string | undefined;
  /** The worker that reads the shard; absent if there is none. */
  readonly worker: string | undefined;
  /** Changes with every write of its worker. If it stops changing, the worker has failed. */
  readonly counter: number;
  /** A fencing token: counts how often the lease has been taken or released. Late writes of a former holder are refused by it. */
  readonly epoch: number;
  /** The sequence number up to which all records are done, or one of the three words above. */
  readonly checkpoint: string;
  /** Records created before this time are skipped. */
  readonly fromMs: number | undefined;
}

/** Where the reading of a stream began. The first worker decides it for all. */
export interface StreamStart {
  readonly fromMs: number | undefined;
  /** The shards that were open when reading began at LATEST; these are read from that point. */
  readonly openShardIds: ReadonlySet<string>;
  /** The shards that were closed already, which are not read. */
  readonly closedShardIds: ReadonlySet<string>;
}

/** Whether a shard may be read: its parent has been read, is not to be read, or has been trimmed. */
export function isReadable(lease: Lease, leases: ReadonlyMap<string, Lease>): boolean {
  if (lease.checkpoint === shardEnd) return false;
  const parent = lease.parentShardId === undefined ? undefined : leases.get(lease.parentShardId);
  return parent === undefined || parent.checkpoint === shardEnd;
}
