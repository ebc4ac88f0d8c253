import * as crypto from 'node:crypto';
import type { StoreWrite } from '../../storage/store.ts';
import { LimitExceededException, ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import {
  type LoadReference,
  loadKey,
  loadKeys,
  loadReference,
  openLoadKey,
  openLoadKeys,
  openLoadOf,
  tokenKey,
} from './load-keys.ts';
import { decodeLoad, encodeLoad, isOpen, type LoadKind, type LoadRecord } from './load-record.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Loads read, or removed, in one step. */
const stepLoads = 100;

/** A load by its name; undefined if there is none. */
export async function findLoad(
  { store }: EngineServices,
  kind: LoadKind,
  context: RequestContext,
  loadId: string,
): Promise<LoadRecord | undefined> {
  const key = loadKey(loadReference(kind, context, loadId));
  return store.read([key], ([value]) => value && decodeLoad(key, value));
}

/**
 * The load that was started with a client token, while the token is valid: until some hours after the load's end.
 */
export async function findByToken(
  services: EngineServices,
  kind: LoadKind,
  context: RequestContext,
  clientToken: string,
): Promise<LoadRecord | undefined> {
  const { store, environment, limits } = services;
  const loadId = await store.read(
    [tokenKey(kind, context, clientToken)],
    ([value]) => value && Buffer.from(value).toString('latin1'),
  );
  const load = loadId === undefined ? undefined : await findLoad(services, kind, context, loadId);
  if (load === undefined) return undefined;
  const endMs = load.endedAtMs ?? Number.POSITIVE_INFINITY;
  return environment.clock.nowMs() < endMs + limits.loadTokenHours * hourMs ? load : undefined;
}

/** The writes that start a load. */
export function beginLoad(load: LoadRecord): readonly StoreWrite[] {
  const reference = loadReference(load.kind, load, load.loadId);
  const key = loadKey(reference);
  return [
    { key, value: encodeLoad(key, load) },
    { key: openLoadKey(reference), value: Buffer.alloc(0) },
    { key: tokenKey(load.kind, load, load.clientToken), value: Buffer.from(load.loadId, 'latin1') },
  ];
}

/** The unfinished loads of a kind: of all accounts and regions, or of one. */
export async function listOpenLoads(
  { store }: EngineServices,
  kind: LoadKind,
  context?: RequestContext,
): Promise<readonly LoadReference[]> {
  const open: LoadReference[] = [];
  await store.range(openLoadKeys(kind, context), (key) => {
    open.push(openLoadOf(kind, key));
    return true;
  });
  return open;
}

/** @throws {LimitExceededException} if the account already has the maximum number of running loads of a kind. */
export async function checkLoadCount(services: EngineServices, kind: LoadKind, context: RequestContext): Promise<void> {
  const open = await listOpenLoads(services, kind, context);
  if (open.length < services.limits.loadCountMax) return;
  const what = kind === 'import' ? 'import table operations' : 'bulk operations';
  throw new LimitExceededException(
    `Subscriber limit exceeded: Only ${services.limits.loadCountMax} simultaneous ${what} are allowed per account`,
  );
}

/** A digest of a request. */
export function digestOf(request: unknown): string {
  return crypto.createHash('sha256').update(JSON.stringify(request)).digest('base64');
}

export interface LoadPage {
  readonly loads: readonly LoadRecord[];
  readonly nextToken?: string;
}

/**
 * One page of the loads of an account and region that are unfinished, or ended within the last 90 days; the latest
 * first.
 *
 * @throws {ValidationException} for a token that no page has returned.
 */
export async function listLoads(
  { store, environment, limits }: EngineServices,
  kind: LoadKind,
  context: RequestContext,
  page: { readonly limit: number; readonly nextToken: string | undefined; readonly tableName?: string | undefined },
): Promise<LoadPage> {
  const { from, to } = loadKeys(kind, context);
  const oldestMs = environment.clock.nowMs() - limits.loadHistoryDays * dayMs;
  const loads: LoadRecord[] = [];
  let hasMore = false;
  const before =
    page.nextToken === undefined ? to : loadKey(loadReference(kind, context, loadIdOfToken(page.nextToken)));
  await store.range({ from, to: before, reverse: true }, (key, value) => {
    const load = decodeLoad(key, value);
    if (page.tableName !== undefined && load.tableName !== page.tableName) return true;
    if (!isOpen(load) && load.startedAtMs < oldestMs) return true;
    hasMore = loads.length === page.limit;
    if (!hasMore) loads.push(load);
    return !hasMore;
  });
  const last = hasMore ? loads.at(-1) : undefined;
  return { loads, ...(last !== undefined && { nextToken: tokenOfLoadId(last.loadId) }) };
}

/** Tokens have at least 112 digits, a multiple of sixteen, like the service's. */
const tokenDigits = 112;

function tokenOfLoadId(loadId: string): string {
  return Buffer.from(loadId, 'latin1').toString('hex').padEnd(tokenDigits, '0');
}

function loadIdOfToken(token: string): string {
  const text = Buffer.from(token, 'hex').toString('latin1').replace(/\0+$/, '');
  if (token.length !== tokenDigits || !/^[0-9]{14}-[0-9a-f]{8}$/.test(text)) {
    throw new ValidationException('Invalid NextToken');
  }
  return text;
}

/** Removes the loads of an account and region that ended too long ago to be listed, with their tokens. */
export async function forgetOldLoads(services: EngineServices, kind: LoadKind, context: RequestContext): Promise<void> {
  const { store, environment, limits } = services;
  const oldestMs = environment.clock.nowMs() - limits.loadHistoryDays * dayMs;
  const old: LoadRecord[] = [];
  await store.range({ ...loadKeys(kind, context), limit: stepLoads }, (key, value) => {
    const load = decodeLoad(key, value);
    if (isOpen(load)) return true;
    if ((load.endedAtMs ?? load.startedAtMs) >= oldestMs) return false;
    old.push(load);
    return true;
  });
  if (old.length === 0) return;
  const tokenKeys = old.map((load) => tokenKey(kind, context, load.clientToken));
  await store.write(tokenKeys, (values) => ({
    answer: undefined,
    writes: old.flatMap((load, at) => {
      const value = values[at];
      // The token may have started another load since.
      const isItsOwn = value !== undefined && Buffer.from(value).toString('latin1') === load.loadId;
      const forgotten = { key: loadKey(loadReference(kind, context, load.loadId)), value: undefined };
      return isItsOwn ? [forgotten, { key: tokenKeys[at] as Buffer, value: undefined }] : [forgotten];
    }),
  }));
}
