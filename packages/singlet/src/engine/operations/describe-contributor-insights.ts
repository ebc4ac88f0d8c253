import type { RequestContext } from '../environment.ts';
import { insightsSubject } from '../insights/contributor-insights-change.ts';
import {
  type ContributorInsightsMode,
  type ContributorInsightsStatus,
  contributorInsightsStatus,
} from '../catalog/contributor-insights-record.ts';
import { ruleNames } from '../catalog/insight-rules.ts';
import { checkIndexName } from '../insights/index-name.ts';
import type { EngineServices } from '../services.ts';
import { tableNotFound } from '../catalog/parameter-errors.ts';
import { settleRecord } from '../catalog/settle.ts';

export interface DescribeContributorInsightsRequest {
  readonly tableName: string;
  readonly indexName?: string | undefined;
}

export interface DescribeContributorInsightsResult {
  readonly tableName: string;
  readonly indexName?: string;
  readonly contributorInsightsStatus: ContributorInsightsStatus;
  /** Present while they are enabled. */
  readonly contributorInsightsRuleList?: readonly string[];
  /** Epoch seconds. This and the mode are absent if they were never enabled. */
  readonly lastUpdateDateTime?: number;
  readonly contributorInsightsMode?: ContributorInsightsMode;
  readonly failureException?: {
    readonly exceptionName: string;
    readonly exceptionDescription: string;
  };
}

const ruleLimitReached = {
  exceptionName: 'LimitExceededException',
  exceptionDescription:
    'Amazon CloudWatch Contributor Insights rule limit reached. Please disable Contributor Insights for other tables/indexes OR disable other CloudWatch Contributor Insights rules before retrying.',
};

/**
 * Describes whether the keys of a table or global index are counted, and by which rules.
 *
 * @throws {ResourceNotFoundException} if there is no such table or global index, or the table is still being created.
 * @see Amazon DynamoDB API Reference, DescribeContributorInsights; conformance/contributor-insights
 */
export async function describeContributorInsights(
  services: EngineServices,
  { tableName, indexName }: DescribeContributorInsightsRequest,
  context: RequestContext,
): Promise<DescribeContributorInsightsResult> {
  checkIndexName(indexName);
  const table = await services.catalog.load(context, tableName);
  if (table === undefined) throw tableNotFound(tableName);
  const nowMs = services.environment.clock.nowMs();
  const subject = insightsSubject(settleRecord(table.record, nowMs), indexName);
  const insights = subject.contributorInsights;
  const status = contributorInsightsStatus(insights, nowMs);
  const rules = ruleNames(tableName, subject, nowMs);
  const changedMs = insights && (nowMs < insights.untilMs ? insights.changedAtMs : insights.untilMs);
  return {
    tableName,
    ...(indexName !== undefined && { indexName }),
    ...(rules !== undefined && { contributorInsightsRuleList: rules }),
    contributorInsightsStatus: status,
    ...(changedMs !== undefined && { lastUpdateDateTime: changedMs / 1000 }),
    ...(status === 'FAILED' && { failureException: ruleLimitReached }),
    ...(insights !== undefined && { contributorInsightsMode: insights.mode }),
  };
}
