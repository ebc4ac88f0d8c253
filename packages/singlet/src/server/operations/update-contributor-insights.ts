import type { UpdateContributorInsightsRequest, UpdateContributorInsightsResult } from '../../engine/index.ts';
import { enumeration, required, result, string, structure } from '../shapes/shape.ts';
import {
  contributorInsightsMode,
  contributorInsightsStatus,
  insightsIndexName,
} from './contributor-insights-members.ts';
import { defineOperation, type Operation } from './operation.ts';
import { managedTableNameParameter } from './request-parameters.ts';

/** @see DynamoDB API Reference, UpdateContributorInsights */
export const updateContributorInsights: Operation = defineOperation('UpdateContributorInsights', {
  input: structure<UpdateContributorInsightsRequest>('UpdateContributorInsightsInput', {
    tableName: managedTableNameParameter,
    indexName: insightsIndexName,
    contributorInsightsAction: required(enumeration(['ENABLE', 'DISABLE'])),
    contributorInsightsMode,
  }),
  output: result<UpdateContributorInsightsResult>({
    tableName: string(),
    indexName: string(),
    contributorInsightsStatus,
    contributorInsightsMode,
  }),
});
