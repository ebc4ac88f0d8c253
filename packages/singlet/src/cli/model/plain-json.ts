/** Converts a value to JSON: maps to objects, sets to lists, bytes to base64, big numbers to text. */
export function plainJson(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (_name, each: unknown) => {
      if (each instanceof Map) return Object.fromEntries(each);
      if (each instanceof Set) return [...each];
      if (each instanceof Uint8Array) return Buffer.from(each).toString('base64');
      return typeof each === 'bigint' ? String(each) : each;
    }) ?? 'null',
  ) as unknown;
}
