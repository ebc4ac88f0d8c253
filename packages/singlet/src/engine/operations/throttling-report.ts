import type { Contributor } from '../capacity/key-insights.ts';
import type { ThrottledCount } from '../capacity/throttling-record.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';

/** The requests that were throttled since the process began, or that would have been if throttling is only reported. */
export interface ThrottlingReport {
  /** When the report was made, in milliseconds since 1970. */
  readonly atEpochMs: number;
  /** The tables and global indexes whose limits were exceeded. */
  readonly resources: readonly ThrottledResourceReport[];
}

/** The limits of a table or a global index that requests exceeded. */
export interface ThrottledResourceReport {
  readonly tableName: string;
  /** Absent for the table itself. */
  readonly indexName?: string;
  /** Whether these requests were refused. */
  readonly refused: boolean;
  /** When the first was exceeded, in milliseconds since 1970. */
  readonly sinceEpochMs: number;
  readonly counts: readonly ThrottledCount[];
  /** The partition keys that exceeded limits most often in the last half hour or more. Requests for a range of keys name none. */
  readonly partitionKeys: readonly Pick<Contributor, 'key' | 'reads' | 'writes' | 'error'>[];
}

/** Not an action of the API: the service publishes this as CloudWatch metrics. */
export function throttlingReport(
  { capacity, environment }: Pick<EngineServices, 'capacity' | 'environment'>,
  context: RequestContext,
): ThrottlingReport {
  const nowMs = environment.clock.nowMs();
  const resources = capacity.throttlingRecords(context).map(({ tableName, indexName, refuses, throttling }) => ({
    tableName,
    ...(indexName !== undefined && { indexName }),
    refused: refuses,
    sinceEpochMs: throttling.sinceMs,
    counts: throttling.counts,
    partitionKeys: throttling.keys(nowMs).map(({ key, reads, writes, error }) => ({ key, reads, writes, error })),
  }));
  const nameOf = (resource: ThrottledResourceReport): string => `${resource.tableName} ${resource.indexName ?? ''}`;
  return { atEpochMs: nowMs, resources: resources.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) };
}
