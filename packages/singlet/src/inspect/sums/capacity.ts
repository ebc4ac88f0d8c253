import type { CapacityReport, PartitionReport, ResourceCapacityReport, ThroughputReport } from '../../engine/index.ts';

/**
 * The report of the answering process, with the counts of all. Rates and buckets include all processes already, since processes report their
 * consumption to each other. Each process splits its partitions separately, so the counts of another process's partition are added to the
 * answering process's partition that contains its beginning.
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
