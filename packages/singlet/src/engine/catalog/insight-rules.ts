import type { GlobalIndexRecord, TableRecord } from './table-record.ts';
import { type ContributorInsightsMode, contributorInsightsStatus } from './contributor-insights-record.ts';

/** A rule by its short name: `PK` for the partition key or `SK` for partition and sort key, by `C`onsumption or by `T`hrottling. */
export type InsightRule = 'PKC' | 'SKC' | 'PKT' | 'SKT';

/** The rules of a table or index: those for partition and sort key need a sort key, those for access the wider mode. */
export function insightRules(hasSortKey: boolean, mode: ContributorInsightsMode): readonly InsightRule[] {
  const rules: readonly InsightRule[] = hasSortKey ? ['PKC', 'SKC', 'PKT', 'SKT'] : ['PKC', 'PKT'];
  return mode === 'THROTTLED_KEYS' ? rules.filter((rule) => rule.endsWith('T')) : rules;
}

/** How many rules a table or index has. They count towards a quota of the account. */
export function ruleCountOf(subject: TableRecord | GlobalIndexRecord): number {
  const { contributorInsights } = subject;
  return contributorInsights?.state === 'enabled' ? rulesOf(subject, contributorInsights.mode).length : 0;
}

export function rulesOf(
  { keySchema }: TableRecord | GlobalIndexRecord,
  mode: ContributorInsightsMode,
): readonly InsightRule[] {
  return insightRules(
    keySchema.some(({ keyType }) => keyType === 'RANGE'),
    mode,
  );
}

/** The names of the existing rules: `DynamoDBContributorInsights-PKC-Music-1576629651520`. */
export function ruleNames(
  tableName: string,
  subject: TableRecord | GlobalIndexRecord,
  nowMs: number,
): readonly string[] | undefined {
  const { contributorInsights } = subject;
  if (contributorInsights === undefined || contributorInsightsStatus(contributorInsights, nowMs) !== 'ENABLED') {
    return undefined;
  }
  const resource = 'indexName' in subject ? `${tableName}-${subject.indexName}` : tableName;
  const { mode, rulesSinceMs } = contributorInsights;
  return rulesOf(subject, mode).map((rule) => `DynamoDBContributorInsights-${rule}-${resource}-${rulesSinceMs}`);
}
