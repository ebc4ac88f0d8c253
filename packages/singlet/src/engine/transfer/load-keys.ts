import type { RequestContext } from '../environment.ts';
import { textHash } from '../layout/partition-hash.ts';
import { hashBytes, restOf, space, spaceStart, storeKey } from '../layout/spaces.ts';
import type { LoadKind } from './load-record.ts';

/*
 * The keys of loads. Imports and bulk operations have a space each, which contains:
 *
 *     hash                 rest                             value
 *     zero                 hash of account/region 16 | id   - (the unfinished loads)
 *     of account/region    'j' | id                         the load (JSON)
 *     of account/region    't' | hash of a client token 16  id of the load that it started
 *     of account/region    'f' | id | number 8              an item that was not written, and why (JSON)
 */

/** The identity of a load in the store. */
export interface LoadReference {
  readonly kind: LoadKind;
  readonly hash: Uint8Array;
  readonly loadId: string;
}

const tags = { load: Buffer.from('j'), token: Buffer.from('t'), failure: Buffer.from('f') } as const;

export function spaceOf(kind: LoadKind): number {
  return kind === 'import' ? space.imports : space.bulkOperations;
}

export function loadReference(kind: LoadKind, context: RequestContext, loadId: string): LoadReference {
  return { kind, hash: hashOfContext(context), loadId };
}

export function loadKey({ kind, hash, loadId }: LoadReference): Buffer {
  return storeKey(spaceOf(kind), hash, tags.load, Buffer.from(loadId, 'latin1'));
}

/** The key range of all loads of an account in a region: `from` is the first key, `to` is past the last. */
export function loadKeys(kind: LoadKind, context: RequestContext): { readonly from: Buffer; readonly to: Buffer } {
  const hash = hashOfContext(context);
  const past = Buffer.from([(tags.load[0] ?? 0) + 1]);
  return { from: storeKey(spaceOf(kind), hash, tags.load), to: storeKey(spaceOf(kind), hash, past) };
}

/** The key of a load among the unfinished ones. */
export function openLoadKey({ kind, hash, loadId }: LoadReference): Buffer {
  return storeKey(spaceOf(kind), undefined, hash, Buffer.from(loadId, 'latin1'));
}

/** The key range of all unfinished loads, or of those of one account and region. */
export function openLoadKeys(kind: LoadKind, context?: RequestContext): { readonly from: Buffer; readonly to: Buffer } {
  const noHash = new Uint8Array(hashBytes);
  if (context === undefined) {
    const past = Uint8Array.from(noHash);
    past[hashBytes - 1] = 1;
    return { from: spaceStart(spaceOf(kind)), to: storeKey(spaceOf(kind), past) };
  }
  const hash = hashOfContext(context);
  return {
    from: storeKey(spaceOf(kind), noHash, hash),
    to: storeKey(spaceOf(kind), noHash, hash, Buffer.from([0xff])), // ids are digits and letters
  };
}

/** The load that an entry of {@link openLoadKeys} represents. */
export function openLoadOf(kind: LoadKind, key: Uint8Array): LoadReference {
  const rest = restOf(key);
  return {
    kind,
    hash: Uint8Array.from(rest.subarray(0, hashBytes)),
    loadId: Buffer.from(rest.subarray(hashBytes)).toString('latin1'),
  };
}

export function tokenKey(kind: LoadKind, context: RequestContext, clientToken: string): Buffer {
  return storeKey(spaceOf(kind), hashOfContext(context), tags.token, textHash(clientToken));
}

export function failureKey({ kind, hash, loadId }: LoadReference, number: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(BigInt(number), 0);
  return storeKey(spaceOf(kind), hash, tags.failure, Buffer.from(loadId, 'latin1'), bytes);
}

/** The key range of all failures of a load. */
export function failureKeys(load: LoadReference): { readonly from: Buffer; readonly to: Buffer } {
  return { from: failureKey(load, 0), to: failureKey(load, Number.MAX_SAFE_INTEGER) };
}

function hashOfContext({ accountId, region }: RequestContext): Uint8Array {
  return textHash(accountId, region);
}
