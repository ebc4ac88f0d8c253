import type { RequestContext } from '../environment.ts';
import { insightsSubject } from '../insights/contributor-insights-change.ts';
import {
  type ContributorInsightsMode,
  type ContributorInsightsStatus,
  contributorInsightsStatus,
} from '../catalog/contributor-insights-record.ts';
import type { RuleReport } from '../capacity/key-insights.ts';
import type { EngineServices } from '../services.ts';
import { tableNotFound } from '../catalog/parameter-errors.ts';
import { settleRecord } from '../catalog/settle.ts';

/** The most used keys of a table or index, as CloudWatch shows them for the service. */
export interface ContributorInsightsReport {
  /** The table that is reported on. */
  readonly tableName: string;
  /** The index, if the report is about one. */
  readonly indexName?: string;
  /** Whether the keys are counted: `ENABLED`, `DISABLED` or a transition between them. */
  readonly contributorInsightsStatus: ContributorInsightsStatus;
  /** Which accesses are counted: all, or throttled ones only. */
  readonly contributorInsightsMode?: ContributorInsightsMode;
  /** When the report was made, in milliseconds since 1970. */
  readonly atEpochMs: number;
  /** Empty while nothing is counted. */
  readonly rules: readonly RuleReport[];
}

/** How many keys a report names for each rule, as in CloudWatch. */
const contributorCountMax = 100;

/**
 * The most accessed and most throttled keys of a table or global index, as counted by this process. Not an action of
 * the API: the service publishes them through CloudWatch.
 *
 * @throws {ResourceNotFoundException} if there is no such table or global index.
 */
export async function contributorInsightsReport(
  services: EngineServices,
  { tableName, indexName }: { readonly tableName: string; readonly indexName?: string | undefined },
  context: RequestContext,
): Promise<ContributorInsightsReport> {
  const table = await services.catalog.load(context, tableName);
  if (table === undefined) throw tableNotFound(tableName);
  const nowMs = services.environment.clock.nowMs();
  const insights = insightsSubject(settleRecord(table.record, nowMs), indexName).contributorInsights;
  const index = indexName === undefined ? undefined : table.index(indexName);
  return {
    tableName,
    ...(indexName !== undefined && { indexName }),
    contributorInsightsStatus: contributorInsightsStatus(insights, nowMs),
    ...(insights !== undefined && { contributorInsightsMode: insights.mode }),
    atEpochMs: nowMs,
    rules: services.capacity.insightsOf(table, index)?.report(contributorCountMax, nowMs) ?? [],
  };
}
