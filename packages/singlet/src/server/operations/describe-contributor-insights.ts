import type { DescribeContributorInsightsRequest, DescribeContributorInsightsResult } from '../../engine/index.ts';
import { double, list, result, string, structure } from '../shapes/shape.ts';
import {
  contributorInsightsMode,
  contributorInsightsStatus,
  insightsIndexName,
} from './contributor-insights-members.ts';
import { defineOperation, type Operation } from './operation.ts';
import { managedTableNameParameter } from './request-parameters.ts';

/** @see DynamoDB API Reference, DescribeContributorInsights */
export const describeContributorInsights: Operation = defineOperation('DescribeContributorInsights', {
  input: structure<DescribeContributorInsightsRequest>('DescribeContributorInsightsInput', {
    tableName: managedTableNameParameter,
    indexName: insightsIndexName,
  }),
  output: result<DescribeContributorInsightsResult>({
    tableName: string(),
    indexName: string(),
    contributorInsightsRuleList: list(string()),
    contributorInsightsStatus,
    lastUpdateDateTime: double,
    failureException: result<NonNullable<DescribeContributorInsightsResult['failureException']>>({
      exceptionName: string(),
      exceptionDescription: string(),
    }),
    contributorInsightsMode,
  }),
});
