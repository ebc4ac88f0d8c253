import type { RequestContext } from '../engine/index.ts';

/**
 * Finds out in whose name a request comes: the region from the credential scope of its signature
 * (`Credential=AKID/20260101/eu-west-1/dynamodb/aws4_request`), from a header or from a presigned URL. Nothing is
 * verified here. Without a scope the default region applies.
 */
export function createContextReader(defaults: RequestContext): (request: ScopedRequest) => RequestContext {
  // One object per region, as requests of one client all come from the same one. Bounded, because the names are free.
  const contexts = new Map<string, RequestContext>([[defaults.region, defaults]]);
  return (request) => {
    const region = regionOf(request);
    if (region === undefined) return defaults;
    const known = contexts.get(region);
    if (known !== undefined) return known;
    const context: RequestContext = { accountId: defaults.accountId, region };
    if (contexts.size < contextsMax) contexts.set(region, context);
    return context;
  };
}

/** The parts of a request that can hold a credential scope. */
export interface ScopedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

const contextsMax = 64;
const regionPattern = /^[A-Za-z0-9_-]{1,63}$/;

function regionOf(request: ScopedRequest): string | undefined {
  const { authorization } = request.headers;
  const scope = authorization === undefined ? presignedCredential(request.url) : signedCredential(authorization);
  if (scope === undefined) return undefined;
  const region = scope.split('/', 3)[2];
  return region !== undefined && regionPattern.test(region) ? region : undefined;
}

function signedCredential(authorization: string): string | undefined {
  const start = authorization.indexOf('Credential=');
  if (start < 0) return undefined;
  const end = authorization.indexOf(',', start);
  return authorization.slice(start + 'Credential='.length, end < 0 ? undefined : end);
}

function presignedCredential(url: string): string | undefined {
  const query = url.indexOf('?');
  if (query < 0) return undefined;
  return new URLSearchParams(url.slice(query + 1)).get('X-Amz-Credential') ?? undefined;
}
