import type { ThrottledResourceReport, ThrottlingReport } from '../../engine/index.ts';
import { sumContributors } from './rules.ts';

/** The number of keys that one process reports for a table or index. */
const keysMax = 20;

/** What all processes have throttled, by table and index. */
export function sumThrottling(parts: readonly [ThrottlingReport, ...ThrottlingReport[]]): ThrottlingReport {
  const byName = new Map<string, readonly [ThrottledResourceReport, ...ThrottledResourceReport[]]>();
  for (const resource of parts.flatMap(({ resources }) => resources)) {
    const name = `${resource.tableName} ${resource.indexName ?? ''}`;
    byName.set(name, [...(byName.get(name) ?? []), resource] as [ThrottledResourceReport]);
  }
  const names = [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { atEpochMs: parts[0].atEpochMs, resources: names.map(([, resources]) => sumResources(resources)) };
}

function sumResources(all: readonly [ThrottledResourceReport, ...ThrottledResourceReport[]]): ThrottledResourceReport {
  const counts = new Map<string, ThrottledResourceReport['counts'][number]>();
  for (const each of all.flatMap((resource) => resource.counts)) {
    const name = `${each.kind} ${each.limit}`;
    counts.set(name, { ...each, count: each.count + (counts.get(name)?.count ?? 0) });
  }
  // The weight of a throttled key is its number of occurrences.
  const lists = all.map(({ partitionKeys }) =>
    partitionKeys.map((each) => ({ ...each, weight: each.reads + each.writes + each.error })),
  );
  return {
    ...all[0],
    refused: all.some(({ refused }) => refused),
    sinceEpochMs: Math.min(...all.map(({ sinceEpochMs }) => sinceEpochMs)),
    counts: [...counts.values()],
    partitionKeys: sumContributors(lists, keysMax)
      .slice(0, keysMax)
      .map(({ key, reads, writes, error }) => ({ key, reads, writes, error })),
  };
}
