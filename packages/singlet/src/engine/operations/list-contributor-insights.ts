import { ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import { insightsSubject } from '../insights/contributor-insights-change.ts';
import {
  type ContributorInsightsMode,
  type ContributorInsightsRecord,
  type ContributorInsightsStatus,
  contributorInsightsStatus,
} from '../catalog/contributor-insights-record.ts';
import { textHash } from '../layout/partition-hash.ts';
import { space, storeKey } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';
import { tableNotFound } from '../catalog/parameter-errors.ts';
import { settleRecord } from '../catalog/settle.ts';
import { Table, tableRecordKey } from '../catalog/table.ts';
import { decodeTableRecord, type TableRecord } from '../catalog/table-record.ts';

export interface ListContributorInsightsRequest {
  /** If absent, those of all tables are listed. */
  readonly tableName?: string | undefined;
  readonly nextToken?: string | undefined;
  /** How many tables and indexes are examined for one answer, at most. */
  readonly maxResults?: number | undefined;
}

export interface ContributorInsightsSummary {
  readonly tableName: string;
  readonly indexName?: string;
  readonly contributorInsightsStatus: ContributorInsightsStatus;
  readonly contributorInsightsMode: ContributorInsightsMode;
}

export interface ListContributorInsightsResult {
  readonly contributorInsightsSummaries: readonly ContributorInsightsSummary[];
  /** Absent only at the end. */
  readonly nextToken?: string;
}

/** A table or index that may have insights. */
interface Candidate {
  readonly tableName: string;
  readonly indexName: string | undefined;
  readonly insights: ContributorInsightsRecord | undefined;
}

/** Sorts after every name: names are ASCII. */
const afterAllNames = Uint8Array.of(0xff);

/**
 * Lists the contributor insights of one table or of all, a table before its indexes, except for disabled ones.
 *
 * A list of all tables pages through the tables and indexes, whether or not they have insights: a page can be empty and not be the last.
 *
 * @throws {ResourceNotFoundException} if there is no such table.
 * @throws {ValidationException} for an invalid token.
 * @see Amazon DynamoDB API Reference, ListContributorInsights; conformance/contributor-insights
 */
export async function listContributorInsights(
  services: EngineServices,
  request: ListContributorInsightsRequest,
  context: RequestContext,
): Promise<ListContributorInsightsResult> {
  const { tableName, maxResults = services.limits.listContributorInsightsCountMax } = request;
  const after = request.nextToken === undefined ? undefined : decodeToken(request.nextToken);
  const nowMs = services.environment.clock.nowMs();
  const all =
    tableName === undefined
      ? await candidatesOfAccount(services, context, after, maxResults)
      : // For one table, only subjects with insights are paged through, so that no page is empty.
        (await candidatesOfTable(services, context, tableName)).filter((candidate) => isListed(candidate, nowMs));
  const candidates = all.filter((candidate) => after === undefined || isAfter(candidate, after));
  const page = candidates.slice(0, maxResults);
  const last = page.at(-1);
  return {
    contributorInsightsSummaries: page.flatMap((candidate) => summaryOf(candidate, nowMs)),
    ...(last !== undefined && candidates.length > page.length && { nextToken: encodeToken(last) }),
  };
}

async function candidatesOfTable(
  services: EngineServices,
  context: RequestContext,
  tableName: string,
): Promise<readonly Candidate[]> {
  const table = await services.catalog.load(context, tableName);
  if (table === undefined) throw tableNotFound(tableName);
  const record = settleRecord(table.record, services.environment.clock.nowMs());
  insightsSubject(record, undefined); // a table that is being created does not exist yet
  return candidatesOf(record);
}

/** Reads one more than fit on a page, to learn whether there are more. */
async function candidatesOfAccount(
  { store, environment }: EngineServices,
  { accountId, region }: RequestContext,
  after: PageEnd | undefined,
  maxResults: number,
): Promise<readonly Candidate[]> {
  const hash = textHash(accountId, region);
  // Includes the table itself, because some of its indexes may not be listed yet.
  const from = after === undefined ? storeKey(space.tables, hash) : tableRecordKey(accountId, region, after.tableName);
  const candidates: Candidate[] = [];
  const nowMs = environment.clock.nowMs();
  await store.range({ from, to: storeKey(space.tables, hash, afterAllNames) }, (key, value) => {
    const record = decodeTableRecord(key, value);
    if (new Table(record).isGone(nowMs)) return true;
    candidates.push(...candidatesOf(record).filter((one) => after === undefined || isAfter(one, after)));
    return candidates.length <= maxResults;
  });
  return candidates;
}

/** Indexes are sorted by name, so that a position in the list remains valid. */
function candidatesOf({ tableName, contributorInsights, globalIndexes }: TableRecord): readonly Candidate[] {
  return [
    { tableName, indexName: undefined, insights: contributorInsights },
    ...globalIndexes
      .map((index) => ({ tableName, indexName: index.indexName, insights: index.contributorInsights }))
      .toSorted((a, b) => (a.indexName < b.indexName ? -1 : 1)),
  ];
}

function isListed({ insights }: Candidate, nowMs: number): boolean {
  return contributorInsightsStatus(insights, nowMs) !== 'DISABLED';
}

function summaryOf(candidate: Candidate, nowMs: number): readonly ContributorInsightsSummary[] {
  const { tableName, indexName, insights } = candidate;
  if (insights === undefined || !isListed(candidate, nowMs)) return [];
  return [
    {
      tableName,
      ...(indexName !== undefined && { indexName }),
      contributorInsightsStatus: contributorInsightsStatus(insights, nowMs),
      contributorInsightsMode: insights.mode,
    },
  ];
}

/** Where a page ended. */
interface PageEnd {
  readonly tableName: string;
  readonly indexName: string | undefined;
}

function isAfter(candidate: Candidate, place: PageEnd): boolean {
  if (candidate.tableName !== place.tableName) return candidate.tableName > place.tableName;
  return (candidate.indexName ?? '') > (place.indexName ?? '');
}

function encodeToken({ tableName, indexName }: PageEnd): string {
  return Buffer.from(`${tableName}/${indexName ?? ''}`, 'utf8').toString('base64url');
}

/** Assumed: the service's text is not known. */
function decodeToken(token: string): PageEnd {
  const parts = /^([a-zA-Z0-9_.-]{3,255})\/([a-zA-Z0-9_.-]{3,255})?$/.exec(
    Buffer.from(token, 'base64url').toString('utf8'),
  );
  if (parts?.[1] === undefined) throw new ValidationException('Invalid NextToken');
  return { tableName: parts[1], indexName: parts[2] };
}
