import { ResourceNotFoundException, ValidationException } from '../../values/service-error.ts';
import type { Endpoint } from '../endpoint.ts';
import { numberIn } from '../query.ts';
import { describeRequests } from './described-request.ts';
import { keptBodyBytesMax } from './body-store.ts';

/** Requests in one answer, and by default. */
const pageRequestsMax = 1_000;
const pageRequestsByDefault = 100;

/** The last requests, or those after a number. The first call switches the log on. */
export const requestsEndpoint: Endpoint = {
  method: 'GET',
  path: ['requests'],
  permission: 'GetRequests',
  async answer({ query }, services) {
    const after = numberIn(query, 'after');
    const limit = numberIn(query, 'limit') ?? pageRequestsByDefault;
    if (!Number.isInteger(limit) || limit < 1 || limit > pageRequestsMax) {
      throw new ValidationException(`?limit= takes a whole number from 1 to ${pageRequestsMax}.`);
    }
    const { requests, last, dropped } = services.requests.page({ after, limit });
    return {
      last,
      dropped,
      // Each of several processes has a log of its own.
      ...(services.about.workers > 1 && { worker: process.pid }),
      requests: await describeRequests(services, requests),
    };
  },
};

/** One request with its bodies. */
export const requestEndpoint: Endpoint = {
  method: 'GET',
  path: ['requests', 'SEQ'],
  permission: 'GetRequests',
  async answer(_request, services, [text = '']) {
    const found = services.requests.find(Number(text));
    if (found === undefined) {
      throw new ResourceNotFoundException(`No request ${text.slice(0, 40)} is remembered.`);
    }
    const { request, bodies } = found;
    const [described] = await describeRequests(services, [request]);
    return {
      ...described,
      bodies: {
        request: bodies?.request?.toString('utf8') ?? null,
        response: bodies?.response?.toString('utf8') ?? null,
        omitted: omission(request.isCompressed, bodies),
      },
    };
  },
};

/** Why a body is not shown. */
function omission(
  isCompressed: boolean,
  bodies: { readonly request: Buffer | undefined; readonly response: Buffer | undefined } | undefined,
): string | null {
  if (isCompressed) return 'The request came compressed.';
  if (bodies === undefined) return 'The bodies made room for those of later requests.';
  if (bodies.request !== undefined && bodies.response !== undefined) return null;
  return `Bodies of more than ${keptBodyBytesMax} bytes are not kept.`;
}
