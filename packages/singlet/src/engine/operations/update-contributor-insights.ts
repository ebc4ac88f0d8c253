import type { RequestContext } from '../environment.ts';
import {
  changeContributorInsights,
  type ContributorInsightsChange,
  insightsSubject,
} from '../insights/contributor-insights-change.ts';
import {
  type ContributorInsightsMode,
  type ContributorInsightsStatus,
  contributorInsightsStatus,
} from '../catalog/contributor-insights-record.ts';
import { checkIndexName } from '../insights/index-name.ts';
import type { EngineServices } from '../services.ts';
import { changeTable } from '../catalog/table-change.ts';

export interface UpdateContributorInsightsRequest extends ContributorInsightsChange {
  readonly tableName: string;
}

export interface UpdateContributorInsightsResult {
  readonly tableName: string;
  readonly indexName?: string;
  readonly contributorInsightsStatus: ContributorInsightsStatus;
  /** Absent if they were never enabled. */
  readonly contributorInsightsMode?: ContributorInsightsMode;
}

/**
 * Starts or stops counting the most accessed and most throttled keys of a table or global index, or changes what is counted.
 * Without a mode, all accesses are counted. A request that changes nothing is answered with the present status.
 *
 * If the account has no rules left, the status becomes FAILED afterwards.
 *
 * @throws {ResourceNotFoundException} if there is no such table or global index.
 * @throws {ValidationException} while the index is being created.
 * @see Amazon DynamoDB API Reference, UpdateContributorInsights; conformance/contributor-insights
 */
export async function updateContributorInsights(
  services: EngineServices,
  request: UpdateContributorInsightsRequest,
  context: RequestContext,
): Promise<UpdateContributorInsightsResult> {
  checkIndexName(request.indexName);
  const { tableName, indexName } = request;
  let isChanged = false;
  const table = await changeTable(services, context, tableName, (input) => {
    const outcome = changeContributorInsights(request, input, services.limits);
    ({ isChanged } = outcome);
    return outcome;
  });
  const present = insightsSubject(table.record, indexName).contributorInsights;
  const changing = request.contributorInsightsAction === 'ENABLE' ? 'ENABLING' : 'DISABLING';
  const nowMs = services.environment.clock.nowMs();
  return {
    tableName,
    ...(indexName !== undefined && { indexName }),
    contributorInsightsStatus: isChanged ? changing : contributorInsightsStatus(present, nowMs),
    ...(present !== undefined && { contributorInsightsMode: present.mode }),
  };
}
