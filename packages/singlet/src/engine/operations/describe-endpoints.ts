import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';

export interface DescribeEndpointsResult {
  readonly endpoints: readonly { readonly address: string; readonly cachePeriodInMinutes: number }[];
}

const cachePeriodInMinutes = 1440;

/** What is named to callers in this process: nothing that is outside. */
const ownAddress = 'localhost';

/**
 * Names the address that the request was sent to. The service names its own endpoint of the region; a client that discovers endpoints
 * would leave this server for it.
 *
 * @see Amazon DynamoDB API Reference, DescribeEndpoints
 */
export async function describeEndpoints(
  _services: EngineServices,
  _request: object,
  { host }: RequestContext,
): Promise<DescribeEndpointsResult> {
  return { endpoints: [{ address: host ?? ownAddress, cachePeriodInMinutes }] };
}
