import { ResourceNotFoundException, ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../../engine/index.ts';
import type { Endpoint, InspectServices } from '../endpoint.ts';
import type { PartRequest } from '../peers.ts';
import { numberIn } from '../query.ts';
import { partsOf, summed } from '../summed.ts';
import { type DescribedRequest, describeRequests } from './described-request.ts';
import { keptBodyBytesMax } from './body-store.ts';

/** The maximum number of requests in one answer, and the default. */
const pageRequestsMax = 1_000;
const pageRequestsByDefault = 100;

/** A page of the log of one process, or of all. */
export interface RequestPage {
  /** The value of `after` for the next page. */
  readonly last: number;
  readonly dropped: number;
  readonly requests: readonly DescribedRequest[];
}

/** The last requests, or those after a number. The first call enables the log. */
export const requestsEndpoint: Endpoint = summed({
  method: 'GET',
  path: ['requests'],
  permission: 'GetRequests',
  part: ownPage,
  together: pageOfAll,
});

/** The requests of all processes: `after` a number, or the latest. */
export async function requestsOfAll(
  services: InspectServices,
  {
    after,
    limit,
    context,
  }: { readonly after: number | undefined; readonly limit: number; readonly context: RequestContext },
): Promise<RequestPage> {
  const query = new URLSearchParams({ limit: String(limit), ...(after !== undefined && { after: String(after) }) });
  const { method, path } = requestsEndpoint;
  const request: PartRequest = { method, path, query, json: undefined, context };
  return pageOfAll(await partsOf(ownPage, request, services, []), request);
}

async function ownPage({ query }: PartRequest, services: InspectServices): Promise<RequestPage> {
  const { requests, last, dropped } = services.requests.page({
    after: numberIn(query, 'after'),
    limit: limitIn(query),
  });
  return { last, dropped, requests: await describeRequests(services, requests) };
}

function limitIn(query: URLSearchParams): number {
  const limit = numberIn(query, 'limit') ?? pageRequestsByDefault;
  if (Number.isInteger(limit) && limit >= 1 && limit <= pageRequestsMax) return limit;
  throw new ValidationException(`?limit= takes a whole number from 1 to ${pageRequestsMax}.`);
}

/** In the order of their numbers. Requests of one process beyond the number that another has reported up to are left for the next page. */
function pageOfAll(parts: readonly RequestPage[], { query }: Pick<PartRequest, 'query'>): RequestPage {
  const limit = limitIn(query);
  const toldUpTo = Math.min(...parts.map(({ last }) => last));
  const told = parts
    .flatMap(({ requests }) => requests)
    .filter(({ seq }) => seq <= toldUpTo)
    .toSorted((a, b) => a.seq - b.seq);
  const isLatest = numberIn(query, 'after') === undefined;
  const requests = isLatest ? told.slice(-limit) : told.slice(0, limit);
  const isWhole = isLatest || requests.length === told.length;
  return {
    last: isWhole ? toldUpTo : (requests.at(-1)?.seq ?? toldUpTo),
    dropped: parts.reduce((sum, { dropped }) => sum + dropped, 0),
    requests,
  };
}

/** One request with its bodies. */
export const requestEndpoint: Endpoint = summed({
  method: 'GET',
  path: ['requests', 'SEQ'],
  permission: 'GetRequests',
  async part(_request, services, [text = '']): Promise<{ readonly found: object | null }> {
    const found = services.requests.find(Number(text));
    if (found === undefined) return { found: null };
    const { request, bodies } = found;
    const [described] = await describeRequests(services, [request]);
    return {
      found: {
        ...described,
        bodies: {
          request: bodies?.request?.toString('utf8') ?? null,
          response: bodies?.response?.toString('utf8') ?? null,
          omitted: omission(request.isCompressed, bodies),
        },
      },
    };
  },
  together(parts, { path }) {
    const [found] = parts.flatMap((part) => part.found ?? []);
    if (found !== undefined) return found;
    throw new ResourceNotFoundException(`No request ${(path[1] ?? '').slice(0, 40)} is remembered.`);
  },
});

/** Explains why a body is not shown. */
function omission(
  isCompressed: boolean,
  bodies: { readonly request: Buffer | undefined; readonly response: Buffer | undefined } | undefined,
): string | null {
  if (isCompressed) return 'The request came compressed.';
  if (bodies === undefined) return 'The bodies made room for those of later requests.';
  if (bodies.request !== undefined && bodies.response !== undefined) return null;
  return `Bodies of more than ${keptBodyBytesMax} bytes are not kept.`;
}
