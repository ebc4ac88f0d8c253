import { partitionPrefixBytes } from '../store.ts';
import type { RangeEnd, RangeRequest, Store, StoreWrite } from '../store.ts';

/** A copy of one entry, as text that is easy to read in a failing assertion. */
export interface ProbedEntry {
  readonly key: string;
  readonly value: string;
}

/** A key in a partition of its own space: `space` fills the first 4 bytes, `partition` the hash, `rest` what follows. */
export function testKey(space: number, partition: number, rest: readonly number[] | Uint8Array = []): Uint8Array {
  const key = new Uint8Array(partitionPrefixBytes + rest.length);
  new DataView(key.buffer).setUint32(0, space);
  key.fill(partition, 4, partitionPrefixBytes);
  key.set(rest, partitionPrefixBytes);
  return key;
}

/** The bounds of everything in a space. */
export function wholeSpace(space: number): { from: Uint8Array; to: Uint8Array } {
  const from = new Uint8Array(4);
  const to = new Uint8Array(4);
  new DataView(from.buffer).setUint32(0, space);
  new DataView(to.buffer).setUint32(0, space + 1);
  return { from, to };
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function hex(data: Uint8Array): string {
  return Buffer.from(data).toString('hex');
}

/** Reads one value, as a copy. */
export async function valueOf(store: Store, key: Uint8Array): Promise<Uint8Array | undefined> {
  return store.read([key], ([value]) => (value === undefined ? undefined : new Uint8Array(value)));
}

/** Reads values as text. */
export async function textsOf(store: Store, keys: readonly Uint8Array[]): Promise<readonly (string | undefined)[]> {
  return store.read(keys, (values) => values.map((value) => (value === undefined ? undefined : valueText(value))));
}

export function valueText(value: Uint8Array): string {
  return Buffer.from(value).toString('utf8');
}

/** Writes entries without reading first. */
export async function put(store: Store, ...writes: readonly StoreWrite[]): Promise<void> {
  await store.write([], () => ({ answer: undefined, writes }));
}

/** Visits a whole range. Keys come as hexadecimal, values as text. */
export async function entriesOf(
  store: Store,
  request: RangeRequest,
): Promise<{ readonly end: RangeEnd; readonly entries: readonly ProbedEntry[] }> {
  const entries: ProbedEntry[] = [];
  const end = await store.range(request, (key, value) => {
    entries.push({ key: hex(key), value: valueText(value) });
    return true;
  });
  return { end, entries };
}

/** Visits a whole range for its keys, as hexadecimal. */
export async function keysOf(store: Store, request: RangeRequest): Promise<readonly string[]> {
  const { entries } = await entriesOf(store, request);
  return entries.map(({ key }) => key);
}
