import type { Engine } from '../engine/index.ts';
import type { InspectionAnswer, InspectionRequest } from './inspection.ts';

/**
 * Reports for people who look, as JSON. They are no part of the API.
 *
 * | path | holds |
 * |---|---|
 * | `/_singlet/capacity/TABLE` | capacity, partitions and heat of a table and its global indexes |
 * | `/_singlet/contributor-insights/TABLE` | its most accessed and most throttled keys |
 * | `/_singlet/contributor-insights/TABLE/INDEX` | those of a global index |
 *
 * The region is that of the request's credentials or, for those who only have an address to give, of `?region=`.
 *
 * @returns undefined when there is no such report.
 * @throws {ResourceNotFoundException}
 */
export async function reportOf(
  engine: Engine,
  { method, path, context, permit }: InspectionRequest,
): Promise<InspectionAnswer | undefined> {
  const [report, tableName, indexName, ...more] = path;
  if (method !== 'GET' || tableName === undefined || tableName === '' || more.length > 0) return undefined;
  if (report === 'capacity' && indexName === undefined) {
    await permit?.({ name: 'GetCapacity', on: { tableName } });
    return { status: 200, json: await engine.capacityReport({ tableName }, context) };
  }
  if (report === 'contributor-insights') {
    await permit?.({ name: 'GetContributorInsights', on: { tableName, indexName } });
    return { status: 200, json: await engine.contributorInsightsReport({ tableName, indexName }, context) };
  }
  return undefined;
}
