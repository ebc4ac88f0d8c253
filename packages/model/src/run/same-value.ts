/** Deep equality of attribute values, whatever the order of a map or a set. */
export function isSameValue(a: unknown, b: unknown): boolean {
  return JSON.stringify(ordered(a)) === JSON.stringify(ordered(b));
}

function ordered(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: [...value] };
  if (value instanceof Set) return { set: [...value].map((each) => JSON.stringify(ordered(each))).sort() };
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : { number: String(value) };
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.sort(([x], [y]) => (x < y ? -1 : 1)).map(([name, each]) => [name, ordered(each)]));
}
