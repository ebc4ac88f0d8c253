import { isReadable, type Lease } from './lease.ts';

/**
 * Decides which leases a worker should take now. Every worker aims at the same number of readable shards, rounded up. It takes leases that no
 * worker holds. If there are none, it takes one lease from the worker that has the most, provided that worker then still has no fewer. So
 * shares eventually differ by at most one, and leases do not move back and forth.
 *
 * @param isFree - whether a lease in the name of another worker has expired.
 * @param random - from 0 (inclusive) to 1 (exclusive), so that workers that plan at the same time do not all choose the same lease.
 */
export function planLeases(view: {
  readonly leases: ReadonlyMap<string, Lease>;
  readonly worker: string;
  readonly heldShardIds: ReadonlySet<string>;
  readonly isFree: (lease: Lease) => boolean;
  readonly random: () => number;
}): readonly Lease[] {
  const { leases, worker, heldShardIds, isFree, random } = view;
  const readable = [...leases.values()].filter((lease) => isReadable(lease, leases));
  const free: Lease[] = [];
  const ofOthers = new Map<string, Lease[]>();
  for (const lease of readable) {
    if (heldShardIds.has(lease.shardId)) continue;
    // A lease in this worker's name that it does not hold is from an earlier run.
    if (lease.worker === undefined || lease.worker === worker || isFree(lease)) free.push(lease);
    else ofOthers.set(lease.worker, [...(ofOthers.get(lease.worker) ?? []), lease]);
  }
  const heldCount = readable.filter(({ shardId }) => heldShardIds.has(shardId)).length;
  const share = Math.ceil(readable.length / (ofOthers.size + 1));
  if (free.length > 0) return shuffled(free, random).slice(0, Math.max(share - heldCount, 0));
  const most = [...ofOthers.values()].reduce<readonly Lease[]>((a, b) => (b.length > a.length ? b : a), []);
  return most.length - heldCount < 2 ? [] : shuffled(most, random).slice(0, 1);
}

function shuffled(leases: readonly Lease[], random: () => number): readonly Lease[] {
  return leases
    .map((lease) => ({ lease, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ lease }) => lease);
}
