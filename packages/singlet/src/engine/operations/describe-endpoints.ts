import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';

export interface DescribeEndpointsResult {
  readonly endpoints: readonly { readonly address: string; readonly cachePeriodInMinutes: number }[];
}

const cachePeriodInMinutes = 1440;

/**
 * Names the service's own endpoint of the region, as the service does. A client that is told to discover endpoints would
 * go there: it is to be given this server's address instead.
 *
 * @see Amazon DynamoDB API Reference, DescribeEndpoints
 */
export async function describeEndpoints(
  _services: EngineServices,
  _request: object,
  { region }: RequestContext,
): Promise<DescribeEndpointsResult> {
  return { endpoints: [{ address: `dynamodb.${region}.amazonaws.com`, cachePeriodInMinutes }] };
}
