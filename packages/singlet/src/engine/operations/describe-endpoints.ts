import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';

export interface DescribeEndpointsResult {
  readonly endpoints: readonly { readonly address: string; readonly cachePeriodInMinutes: number }[];
}

const cachePeriodInMinutes = 1440;

/** The address that callers in this process get: it never leads outside. */
const ownAddress = 'localhost';

/**
 * Answers the address that the request was sent to. The service answers its own endpoint in the region; a client that discovers endpoints
 * would then leave this server for the service.
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
