import type { RequestContext } from '../engine/index.ts';

/** Whose an access key is: the account, twelve digits; undefined for a key that nobody has named. Nothing is verified here. */
export type AccountOf = (accessKeyId: string) => string | undefined;

/**
 * Finds out in whose name a request comes, by the credential scope of its signature
 * (`Credential=AKID/20260101/eu-west-1/dynamodb/aws4_request`), from a header or from a presigned URL: the region is the
 * scope's, and the account the one that the access key belongs to. Nothing is verified here. Without a scope the defaults
 * apply, and to keys that are unknown the default account.
 */
export function createContextReader(
  defaults: RequestContext,
  accountOf?: AccountOf,
): (request: ScopedRequest) => RequestContext {
  // One object per account and region, as requests of one client all come from the same one. Bounded, because the names
  // are free.
  const contexts = new Map<string, RequestContext>([[nameOf(defaults), defaults]]);
  // A client signs with one scope all day.
  const byScope = new Map<string, RequestContext>();
  return (request) => {
    const scope = scopeOf(request);
    if (scope === undefined && accountOf === undefined) return defaults;
    const known = byScope.get(scope ?? '');
    if (known !== undefined) return known;
    const context = contextOf(scope ?? '');
    if (byScope.size >= scopesMax) byScope.clear();
    byScope.set(scope ?? '', context);
    return context;
  };

  function contextOf(scope: string): RequestContext {
    const [accessKeyId = '', , scopeRegion = ''] = scope.split('/', 3);
    const isRegion = regionPattern.test(scopeRegion);
    if (!isRegion && accountOf === undefined) return defaults;
    const region = isRegion ? scopeRegion : defaults.region;
    const accountId = accountOf?.(accessKeyId) ?? defaults.accountId;
    const name = nameOf({ accountId, region });
    const known = contexts.get(name);
    if (known !== undefined) return known;
    const context: RequestContext = { accountId, region };
    if (contexts.size < contextsMax) contexts.set(name, context);
    return context;
  }
}

/** The parts of a request that can hold a credential scope. */
export interface ScopedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

const contextsMax = 64;
const scopesMax = 64;
const regionPattern = /^[A-Za-z0-9_-]{1,63}$/;

function nameOf({ accountId, region }: RequestContext): string {
  return `${accountId}/${region}`;
}

function scopeOf(request: ScopedRequest): string | undefined {
  const { authorization } = request.headers;
  return authorization === undefined ? presignedCredential(request.url) : signedCredential(authorization);
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
