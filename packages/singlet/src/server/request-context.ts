import type { RequestContext } from '../engine/index.ts';

/** The account of an access key, twelve digits; undefined for a key that was not configured. Nothing is verified here. */
export type AccountOf = (accessKeyId: string) => string | undefined;

/**
 * Determines the account and region of a request, by the credential scope of its signature
 * (`Credential=AKID/20260101/eu-west-1/dynamodb/aws4_request`), from a header or from a presigned URL. The region is the
 * scope's, and the account is that of the access key. Nothing is verified here. Without a scope the defaults
 * apply, and to unknown keys the default account.
 *
 * @param oneRegion - every request belongs to the default region, whatever its scope says.
 */
export function createContextReader(
  defaults: RequestContext,
  { accountOf, oneRegion = false }: { readonly accountOf?: AccountOf | undefined; readonly oneRegion?: boolean } = {},
): (request: ScopedRequest) => RequestContext {
  // A client signs with one scope all day. Bounded, because clients choose the names in it.
  const contexts = new Map<string, RequestContext>();
  return (request) => {
    const scope = scopeOf(request) ?? '';
    const known = contexts.get(scope);
    if (known !== undefined) return known;
    const context = contextOf(scope);
    if (contexts.size >= scopesMax) contexts.clear();
    contexts.set(scope, context);
    return context;
  };

  function contextOf(scope: string): RequestContext {
    const [accessKeyId = '', , scopeRegion = ''] = scope.split('/', 3);
    const region = !oneRegion && regionPattern.test(scopeRegion) ? scopeRegion : defaults.region;
    const accountId = accountOf?.(accessKeyId) ?? defaults.accountId;
    const isDefault = region === defaults.region && accountId === defaults.accountId;
    return isDefault ? defaults : { accountId, region };
  }
}

/** The parts of a request that can hold a credential scope. */
export interface ScopedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

const scopesMax = 64;
const regionPattern = /^[A-Za-z0-9_-]{1,63}$/;

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
