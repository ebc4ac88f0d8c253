/** Numbered writes, so that a state shows which of them it contains. */
import type { Store, StoreWrite } from '../../storage/store.ts';
import { bytes, testKey, textsOf } from '../../storage/testing/store-probe.ts';

/** Keys are used in rotation. Some writes delete theirs. */
const keyCount = 23;
/** Holds the number of the last write. */
export const lastKey: Uint8Array = testKey(2, 0);
const keyOf = (number: number): Uint8Array => testKey(1, number % keyCount);

function textOf(number: number, padding: number): string | undefined {
  return number % 7 === 0 ? undefined : `${number} `.padEnd(padding, 'x');
}

/** The writes of one decision. @param padding - bytes of its value. */
export function numberedWrite(number: number, padding: number): readonly StoreWrite[] {
  const text = textOf(number, padding);
  return [
    { key: keyOf(number), value: text === undefined ? undefined : bytes(text) },
    { key: lastKey, value: bytes(String(number)) },
  ];
}

/** The number of the last write in a store; 0 if there is none. */
export async function lastNumber(store: Store): Promise<number> {
  const [text] = await textsOf(store, [lastKey]);
  return Number(text ?? 0);
}

/** The differences between a store and the state that all writes up to its last one produce. */
export async function differences(store: Store): Promise<readonly string[]> {
  const last = await lastNumber(store);
  const wanted = new Map<number, number>();
  for (let number = Math.max(1, last - keyCount + 1); number <= last; number += 1)
    wanted.set(number % keyCount, number);
  const texts = await textsOf(
    store,
    Array.from({ length: keyCount }, (_, key) => testKey(1, key)),
  );
  return texts.flatMap((text, key) => {
    const number = wanted.get(key);
    const found = text === undefined ? undefined : Number(text.split(' ')[0]);
    const expected = number === undefined || number % 7 === 0 ? undefined : number;
    return found === expected ? [] : [`after write ${last}, key ${key} has ${found} instead of ${expected}`];
  });
}
