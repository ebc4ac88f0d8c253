import { randomUUID } from 'node:crypto';
import type { RequestRate, WireHandler, WireRequest, WireResponse } from '../server/index.ts';
import { rateExceeded, type RequestEvent } from '../server/index.ts';

export interface AddressRateOptions {
  readonly rate: RequestRate;
  /** The region reported for requests whose sender is not known yet. */
  readonly region: string;
  /** Called for every refused request. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
}

/** Refuses requests of addresses that exceed their rate, before their signatures are checked. Callers in this process have no address. */
export function withAddressRate(handler: WireHandler, options: AddressRateOptions): WireHandler {
  return (request) => {
    const { peer } = request;
    return peer === undefined || options.rate.admits(peer.network) ? handler(request) : refusal(request, options);
  };
}

function refusal(request: WireRequest, { region, onRequest }: AddressRateOptions): WireResponse {
  const { name, message, status } = rateExceeded();
  const requestId = randomUUID();
  const body = Buffer.from(JSON.stringify({ __type: `com.amazon.coral.availability#${name}`, message }), 'utf8');
  onRequest?.({
    requestId,
    region,
    action: undefined,
    table: undefined,
    status,
    error: name,
    sourceIp: request.peer?.address,
    durationMs: 0,
    requestBytes: request.body.length,
    responseBytes: body.length,
  });
  const type = ['content-type', 'application/x-amz-json-1.0', 'content-length', String(body.length)];
  return { status, headers: ['x-amzn-RequestId', requestId, ...type], body };
}
