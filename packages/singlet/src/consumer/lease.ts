/** Nothing has been read yet: begin with the oldest record. */
export const trimHorizon = 'TRIM_HORIZON';
/** Nothing has been read yet: begin with what is written from now on. */
export const latest = 'LATEST';
/** Everything has been read. */
export const shardEnd = 'SHARD_END';

/** Who reads a shard, and how far it has been read. */
export interface Lease {
  readonly shardId: string;
  readonly parentShardId: string | undefined;
  /** The worker that reads the shard; absent when none does. */
  readonly worker: string | undefined;
  /** Changes with everything its worker does. While it does not change, its worker is gone. */
  readonly counter: number;
  /** Counts the times that the lease has been taken or given back: what a former holder still writes is refused by it. */
  readonly epoch: number;
  /** The sequence number up to which all records are done; or one of the three words above. */
  readonly checkpoint: string;
  /** Records created before are skipped. */
  readonly fromMs: number | undefined;
}

/** Where the reading of a stream began, decided by the first worker for all of them. */
export interface StreamStart {
  readonly fromMs: number | undefined;
  /** The shards that were open when reading began with what is new: they are read from there. */
  readonly openShardIds: ReadonlySet<string>;
  /** The shards that were closed already, and are not read. */
  readonly closedShardIds: ReadonlySet<string>;
}

/** Whether a shard may be read: its parent has been, or is not to be, or is trimmed. */
export function isReadable(lease: Lease, leases: ReadonlyMap<string, Lease>): boolean {
  if (lease.checkpoint === shardEnd) return false;
  const parent = lease.parentShardId === undefined ? undefined : leases.get(lease.parentShardId);
  return parent === undefined || parent.checkpoint === shardEnd;
}
