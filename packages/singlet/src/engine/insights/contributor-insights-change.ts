import { ResourceNotFoundException, ValidationException } from '../../values/service-error.ts';
import type { Limits } from '../../values/limits.ts';
import { tableNotFound } from '../catalog/parameter-errors.ts';
import type { TableChangeInput } from '../catalog/table-change.ts';
import type { GlobalIndexRecord, TableRecord } from '../catalog/table-record.ts';
import type { ContributorInsightsMode, ContributorInsightsRecord } from '../catalog/contributor-insights-record.ts';
import { ruleCountOf, rulesOf } from '../catalog/insight-rules.ts';

export interface ContributorInsightsChange {
  readonly indexName?: string | undefined;
  readonly contributorInsightsAction: 'ENABLE' | 'DISABLE';
  readonly contributorInsightsMode?: ContributorInsightsMode | undefined;
}

/**
 * The table or global index whose insights a request is about.
 *
 * @throws {ResourceNotFoundException} when there is no such global index, or the table is still being created.
 */
export function insightsSubject(record: TableRecord, indexName: string | undefined): TableRecord | GlobalIndexRecord {
  // These actions do not see a table that is still being created.
  if (record.transition?.status === 'CREATING') throw tableNotFound(record.tableName);
  if (indexName === undefined) return record;
  const index = record.globalIndexes.find((candidate) => candidate.indexName === indexName);
  if (index === undefined || index.phase === 'deleting') {
    throw new ResourceNotFoundException(
      `Requested resource not found: Index: ${indexName} not found for table: ${record.tableName}`,
    );
  }
  return index;
}

/** A table after the change; `isChanged` is false when the request changed nothing. */
export interface ContributorInsightsOutcome {
  readonly record: TableRecord;
  readonly isChanged: boolean;
}

/**
 * Switches the contributor insights of a table or global index on or off, or to another mode.
 *
 * @throws {ResourceNotFoundException} as {@link insightsSubject} does.
 * @throws {ValidationException} while the index is being created.
 */
export function changeContributorInsights(
  change: ContributorInsightsChange,
  input: TableChangeInput,
  limits: Limits,
): ContributorInsightsOutcome {
  const { record } = input;
  const subject = insightsSubject(record, change.indexName);
  if ('indexName' in subject && (subject.phase !== undefined || subject.transition?.status === 'CREATING')) {
    throw new ValidationException(
      'Table or Index is not in a valid state to update Key Access Insights: IndexStatus must be ACTIVE to enable ContributorInsights.',
    );
  }
  const present = subject.contributorInsights;
  const next =
    change.contributorInsightsAction === 'ENABLE' ? enabled(change, subject, input, limits) : disabled(present, input);
  const isChanged = next !== present;
  // For a table that is being deleted, the request succeeds without effect.
  if (!isChanged || record.transition?.status === 'DELETING') return { record, isChanged };
  return { record: withInsights(record, change.indexName, next), isChanged };
}

function enabled(
  { contributorInsightsMode: mode = 'ACCESSED_AND_THROTTLED_KEYS' }: ContributorInsightsChange,
  subject: TableRecord | GlobalIndexRecord,
  { usage, nowMs, untilMs }: TableChangeInput,
  limits: Limits,
): ContributorInsightsRecord {
  const present = subject.contributorInsights;
  if (present?.state === 'enabled' && present.mode === mode) return present;
  const ruleCount = usage.insightRuleCount - ruleCountOf(subject) + rulesOf(subject, mode).length;
  return {
    mode,
    state: ruleCount > limits.contributorInsightsRuleCountMax ? 'failed' : 'enabled',
    rulesSinceMs: present?.state === 'enabled' ? present.rulesSinceMs : nowMs,
    changedAtMs: nowMs,
    untilMs,
  };
}

function disabled(
  present: ContributorInsightsRecord | undefined,
  { nowMs, untilMs }: TableChangeInput,
): ContributorInsightsRecord | undefined {
  if (present === undefined || present.state === 'disabled') return present;
  return { ...present, state: 'disabled', changedAtMs: nowMs, untilMs };
}

function withInsights(
  record: TableRecord,
  indexName: string | undefined,
  contributorInsights: ContributorInsightsRecord | undefined,
): TableRecord {
  if (contributorInsights === undefined) return record;
  if (indexName === undefined) return { ...record, contributorInsights };
  return {
    ...record,
    globalIndexes: record.globalIndexes.map((index) =>
      index.indexName === indexName ? { ...index, contributorInsights } : index,
    ),
  };
}
