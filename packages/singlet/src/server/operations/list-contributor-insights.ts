import type {
  ContributorInsightsSummary,
  ListContributorInsightsRequest,
  ListContributorInsightsResult,
} from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost, namePattern, valueAtLeast, valueAtMost } from '../shapes/constraint.ts';
import { integer, list, result, string, structure, tableName } from '../shapes/shape.ts';
import { contributorInsightsMode, contributorInsightsStatus } from './contributor-insights-members.ts';
import { defineOperation, type Operation } from './operation.ts';

/** @see DynamoDB API Reference, ListContributorInsights */
export const listContributorInsights: Operation = defineOperation('ListContributorInsights', {
  input: structure<ListContributorInsightsRequest>('ListContributorInsightsInput', {
    tableName: tableName(namePattern, lengthAtLeast(3), lengthAtMost(255)),
    nextToken: string(),
    // Assumed: only the maximum is documented.
    maxResults: integer(valueAtLeast(1), valueAtMost(100)),
  }),
  output: result<ListContributorInsightsResult>({
    contributorInsightsSummaries: list(
      result<ContributorInsightsSummary>({
        tableName: string(),
        indexName: string(),
        contributorInsightsStatus,
        contributorInsightsMode,
      }),
    ),
    nextToken: string(),
  }),
});
