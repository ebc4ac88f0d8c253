/*
 * Simulates how placements spread a database over PostgreSQL servers as it grows.
 *
 * A placement is a range of partition hashes, and is the unit that moves between servers. There is a fixed number of them, a power of two. Items of a partition key
 * have one hash, so a large item collection or a hot key is in one placement, whole. A server that is added takes placements from the fullest
 * servers until it has its share; no other placement moves.
 *
 * The simulation draws the size of the placements from partition keys of uneven sizes, and their load from a Zipf distribution that is cut off
 * at what the service allows for one partition key.
 */

export interface PlacementPlan {
  /** A power of two. */
  readonly placements: number;
  /** How many servers there are, one step after the other; increasing. */
  readonly servers: readonly number[];
  readonly partitionKeys: number;
  /** The largest item collection is so many times the average one. */
  readonly largestCollection: number;
  /** Exponent of the Zipf distribution of requests over partition keys: 0 is uniform. */
  readonly skew: number;
  readonly requestsPerSecond: number;
  /** Requests a second that one partition key may have at most. The service's limit is 3,000 reads and 1,000 writes. */
  readonly requestsPerKeyMax: number;
}

export interface PlacementStep {
  readonly servers: number;
  /** Share of the data that moved when the servers of this step were added; what moving a part to them costs at least is `leastMoved`. */
  readonly moved: number;
  readonly leastMoved: number;
  /** Bytes on the fullest server, relative to the average. */
  readonly fullest: number;
  /** Requests at the busiest server, relative to the average. */
  readonly busiest: number;
}

interface Placement {
  readonly size: number;
  readonly requests: number;
}

interface Server {
  placements: Placement[];
}

/** @param random - from 0 (inclusive) to 1 (exclusive). */
export function simulatePlacement(plan: PlacementPlan, random: () => number): readonly PlacementStep[] {
  const all = drawnPlacements(plan, random);
  const size = sumOf(all, 'size');
  const servers: Server[] = [];
  return plan.servers.map((count) => {
    const before = servers.length;
    const added = Array.from({ length: count - before }, (): Server => ({ placements: [] }));
    const moved = before === 0 ? spread(all, added) : grow(servers, added, all);
    servers.push(...added);
    return {
      servers: count,
      moved: moved / size,
      leastMoved: before === 0 ? 0 : (count - before) / count,
      fullest: relativeMaximum(servers, 'size'),
      busiest: relativeMaximum(servers, 'requests'),
    };
  });
}

function drawnPlacements(plan: PlacementPlan, random: () => number): readonly Placement[] {
  const placements = Array.from({ length: plan.placements }, () => ({ size: 0, requests: 0 }));
  let harmonic = 0;
  for (let rank = 1; rank <= plan.partitionKeys; rank += 1) harmonic += rank ** -plan.skew;
  for (let rank = 1; rank <= plan.partitionKeys; rank += 1) {
    const placement = placements[Math.floor(random() * plan.placements)];
    if (placement === undefined) continue;
    // Most collections are small and few are large: half of them are smaller than one, one in a hundred is larger than fifty.
    placement.size += Math.min(plan.largestCollection, 0.5 / (1 - random()));
    placement.requests += Math.min(plan.requestsPerKeyMax, (plan.requestsPerSecond * rank ** -plan.skew) / harmonic);
  }
  return placements;
}

/** Neighbouring placements to the same server. @returns 0: nothing was anywhere before. */
function spread(all: readonly Placement[], servers: readonly Server[]): number {
  for (const [at, server] of servers.entries()) {
    const [from, to] = [at, at + 1].map((bound) => Math.ceil((bound * all.length) / servers.length));
    server.placements = all.slice(from, to);
  }
  return 0;
}

/**
 * Gives the new servers their share, from the servers that have most. The weight of a placement is the mean of its shares of the data and of the
 * requests: by the data alone, the new servers would get the large placements and the old ones would keep the busy ones.
 *
 * @returns the size of what moved.
 */
function grow(before: readonly Server[], added: readonly Server[], all: readonly Placement[]): number {
  const [size, requests] = [sumOf(all, 'size'), sumOf(all, 'requests')];
  const weightOf = (placement: Placement): number => (placement.size / size + placement.requests / requests) / 2;
  const share = 1 / (before.length + added.length);
  let moved = 0;
  const open = added.map((server) => ({ server, weight: 0 }));
  for (const server of before) {
    const { placements } = server;
    let weight = placements.reduce((sum, placement) => sum + weightOf(placement), 0);
    const kept: Placement[] = [];
    // The heaviest first, so that light ones fill what is left.
    for (const placement of placements.toSorted((a, b) => weightOf(b) - weightOf(a))) {
      const target = open.reduce((least, each) => (each.weight < least.weight ? each : least));
      const isMoved = weight - weightOf(placement) >= share && target.weight + weightOf(placement) <= share * 1.02;
      if (!isMoved) {
        kept.push(placement);
        continue;
      }
      target.server.placements.push(placement);
      target.weight += weightOf(placement);
      weight -= weightOf(placement);
      moved += placement.size;
    }
    server.placements = kept;
  }
  return moved;
}

function relativeMaximum(servers: readonly Server[], what: keyof Placement): number {
  const sums = servers.map(({ placements }) => sumOf(placements, what));
  return (Math.max(...sums) * sums.length) / sums.reduce((sum, each) => sum + each, 0);
}

function sumOf(placements: readonly Placement[], what: keyof Placement): number {
  return placements.reduce((sum, placement) => sum + placement[what], 0);
}
