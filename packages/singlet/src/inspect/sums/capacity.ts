import type { CapacityReport, PartitionReport, ResourceCapacityReport, ThroughputReport } from '../../engine/index.ts';

/**
 * The report of the process that answers, with the counts of all. Rates and buckets are those of all already: processes tell each other what they
 * consume. Each process splits its partitions by itself, so what another has counted of a partition goes to the one in which that begins.
 */
export function sumCapacity([own, ...others]: readonly [CapacityReport, ...CapacityReport[]]): CapacityReport {
  return {
    ...own,
    table: sumResource(
      own.table,
      others.map(({ table }) => table),
    ),
    globalSecondaryIndexes: Object.fromEntries(
      Object.entries(own.globalSecondaryIndexes).map(([name, index]) => [
        name,
        sumResource(
          index,
          others.flatMap(({ globalSecondaryIndexes }) => globalSecondaryIndexes[name] ?? []),
        ),
      ]),
    ),
  };
}

function sumResource(own: ResourceCapacityReport, others: readonly ResourceCapacityReport[]): ResourceCapacityReport {
  const elsewhere = others.flatMap(({ partitions }) => partitions);
  return {
    ...own,
    reads: sumThroughput(
      own.reads,
      others.map(({ reads }) => reads),
    ),
    writes: sumThroughput(
      own.writes,
      others.map(({ writes }) => writes),
    ),
    partitions: own.partitions.map((partition, at) => {
      const next = own.partitions[at + 1];
      const within = elsewhere.filter(
        (each) => startOf(each) >= startOf(partition) && (next === undefined || startOf(each) < startOf(next)),
      );
      return {
        ...partition,
        reads: sumThroughput(
          partition.reads,
          within.map(({ reads }) => reads),
        ),
        writes: sumThroughput(
          partition.writes,
          within.map(({ writes }) => writes),
        ),
      };
    }),
  };
}

/** In the order of keys. */
function startOf({ hashFrom, sortKeyFrom = '' }: PartitionReport): string {
  return hashFrom + sortKeyFrom;
}

function sumThroughput(own: ThroughputReport, others: readonly ThroughputReport[]): ThroughputReport {
  return {
    ...own,
    consumedUnits: others.reduce((sum, { consumedUnits }) => sum + consumedUnits, own.consumedUnits),
    throttledCount: others.reduce((sum, { throttledCount }) => sum + throttledCount, own.throttledCount),
  };
}
