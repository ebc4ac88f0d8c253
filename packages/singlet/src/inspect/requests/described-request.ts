import { decodeCall } from '../../server/index.ts';
import type { AttributeValue } from '../../values/attribute-value.ts';
import { DynamoError } from '../../values/service-error.ts';
import type { InspectServices } from '../endpoint.ts';
import { KeyNames } from '../key-names.ts';
import type { MatchedPattern, RequestMatcher } from '../models.ts';
import { askedRequest } from './asked-request.ts';
import type { LoggedRequest } from './request-log.ts';

/** A request as shown by `/_singlet/requests`. */
export interface DescribedRequest {
  readonly seq: number;
  readonly requestId: string;
  readonly atEpochMs: number;
  readonly region: string;
  readonly action: string | null;
  readonly table: string | null;
  readonly index: string | null;
  readonly status: number;
  readonly error: string | null;
  readonly durationMs: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** The number of items read, and of items returned after the filter; null for a request that reads none. */
  readonly read: number | null;
  readonly returned: number | null;
  readonly scan: boolean;
  readonly throttled: boolean;
  readonly capacity: {
    readonly reads: number;
    readonly writes: number;
    readonly indexes: Readonly<Record<string, { readonly reads: number; readonly writes: number }>>;
  } | null;
  /** The partition keys that the request is restricted to, at most {@link shownKeysMax}. */
  readonly keys: readonly string[];
  /** The patterns of the server's models that ask for the same, usually one; none without models. */
  readonly patterns: readonly MatchedPattern[];
  readonly who: {
    readonly identity: string | null;
    readonly userAgent: string | null;
    readonly address: string | null;
  };
}

/** The maximum number of partition keys shown for one request, and of characters of one key. */
const shownKeysMax = 10;
const shownKeyLengthMax = 256;

const throttlingErrors: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
]);

const writes: ReadonlySet<string> = new Set([
  'BatchWriteItem',
  'DeleteItem',
  'PutItem',
  'TransactWriteItems',
  'UpdateItem',
]);

/** Describes logged requests, in their order. */
export async function describeRequests(
  services: InspectServices,
  logged: readonly LoggedRequest[],
): Promise<readonly DescribedRequest[]> {
  const keyNames = new KeyNames(services.engine);
  const matcher = logged.length === 0 ? undefined : await services.models?.matcher();
  const described: DescribedRequest[] = [];
  for (const request of logged) described.push(await describeRequest(services, { keyNames, matcher }, request));
  return described;
}

interface Lookups {
  readonly keyNames: KeyNames;
  readonly matcher: RequestMatcher | undefined;
}

/** Describes a logged request. Its index and keys are read from its body, if that is still kept. */
async function describeRequest(
  services: InspectServices,
  lookups: Lookups,
  logged: LoggedRequest,
): Promise<DescribedRequest> {
  const { seq, atEpochMs, event, counts, identity, userAgent, address } = logged;
  const { index, keys, isScan, patterns } = await touched(services, lookups, logged);
  const { action } = event;
  return {
    seq,
    requestId: event.requestId,
    atEpochMs,
    region: event.region,
    action: action ?? null,
    table: event.table ?? null,
    index,
    status: event.status,
    error: event.error ?? null,
    durationMs: Math.round(event.durationMs * 1000) / 1000,
    requestBytes: event.requestBytes,
    responseBytes: event.responseBytes,
    read: counts.read,
    returned: counts.returned,
    scan: isScan,
    throttled: throttlingErrors.has(event.error ?? ''),
    capacity: capacityOf(logged, isWrite(logged)),
    keys,
    patterns,
    who: { identity, userAgent, address },
  };
}

/** A statement that reads returns items, possibly an empty list. */
function isWrite({ event: { action = '' }, counts }: LoggedRequest): boolean {
  return writes.has(action) || (action.includes('Statement') && counts.returned === null);
}

function capacityOf({ counts: { capacity } }: LoggedRequest, isWritten: boolean): DescribedRequest['capacity'] {
  if (capacity.length === 0) return null;
  const unitsOf = (units: number): { readonly reads: number; readonly writes: number } =>
    isWritten ? { reads: 0, writes: units } : { reads: units, writes: 0 };
  const indexes = capacity.flatMap(({ table, indexUnits }) =>
    Object.entries(indexUnits).map(([name, units]) => [
      capacity.length > 1 ? `${table}/${name}` : name,
      unitsOf(units),
    ]),
  );
  return {
    ...unitsOf(capacity.reduce((sum, { units }) => sum + units, 0)),
    indexes: Object.fromEntries(indexes) as NonNullable<DescribedRequest['capacity']>['indexes'],
  };
}

interface Touched {
  readonly index: string | null;
  readonly keys: readonly string[];
  readonly isScan: boolean;
  readonly patterns: readonly MatchedPattern[];
}

async function touched(
  services: InspectServices,
  { keyNames, matcher }: Lookups,
  { seq, event }: LoggedRequest,
): Promise<Touched> {
  const nothing: Touched = { index: null, keys: [], isScan: event.action === 'Scan', patterns: [] };
  const body = services.requests.bodiesOf(seq)?.request;
  if (event.action === undefined || body === undefined) return nothing;
  const context = { accountId: services.about.accountId, region: event.region };
  try {
    const { touches, call } = await decodeCall(event.action, JSON.parse(body.toString('utf8')), context);
    const keys = new Set<string>();
    let index: string | null = null;
    let { isScan } = nothing;
    for (const { permission, resource, items } of await touches()) {
      if (resource.kind !== 'table' && resource.kind !== 'index') continue;
      if (resource.kind === 'index') index = resource.indexName;
      const schema = await keyNames.partitionKey(
        context,
        resource.tableName,
        resource.kind === 'index' ? resource.indexName : undefined,
      );
      const values = schema === undefined ? undefined : items?.valuesOf(schema);
      if (values === undefined && (permission === 'PartiQLSelect' || permission === 'Scan')) isScan = true;
      for (const value of values ?? []) if (keys.size < shownKeysMax) keys.add(shown(value));
    }
    return { index, keys: [...keys], isScan, patterns: await patternsOf(services, matcher, call, body) };
  } catch (error) {
    // A request that was refused may be malformed.
    if (error instanceof DynamoError || error instanceof SyntaxError) return nothing;
    throw error;
  }
}

async function patternsOf(
  { engine }: InspectServices,
  matcher: RequestMatcher | undefined,
  call: Awaited<ReturnType<typeof decodeCall>>['call'],
  body: Buffer,
): Promise<readonly MatchedPattern[]> {
  if (matcher === undefined) return [];
  const terms = call.action === 'Query' ? (await engine.inspection()).queryTerms(call.request) : [];
  // The input that was decoded belongs to the call, which changes it.
  const asked = askedRequest(call.action, JSON.parse(body.toString('utf8')) as object, terms);
  return asked === undefined ? [] : matcher(asked);
}

function shown(value: AttributeValue): string {
  const text = 'S' in value ? value.S : 'N' in value ? value.N : 'B' in value ? value.B : JSON.stringify(value);
  return text.slice(0, shownKeyLengthMax);
}
