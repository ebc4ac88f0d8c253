import { SerializationException } from './serialization-exception.ts';

/** Far more than any request needs, and far less than what would overflow the stack. */
const depthMax = 1_000;

/**
 * A copy of a value as it would arrive over the wire. Members that are undefined are dropped, as in JSON. Lone
 * surrogates become U+FFFD, as in UTF-8, where keys that differ only in them would be one key. The fast path of writing
 * JSON and parsing it, with the same result (`wire-copy.test.ts`).
 *
 * @throws {SerializationException} when the value is nested too deeply, or in itself.
 */
export function wireCopy(value: unknown): unknown {
  return copyOf(value, 0);
}

function copyOf(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return isSerialized(value) ? value : null;
  if (depth > depthMax) throw new SerializationException();
  if (Array.isArray(value)) return value.map((element) => copyOf(element, depth + 1));
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (!isSerialized(member)) continue;
    const copied = copyOf(member, depth + 1);
    if (name === '__proto__')
      Object.defineProperty(copy, name, { value: copied, enumerable: true, configurable: true, writable: true });
    else copy[name.toWellFormed()] = copied;
  }
  return copy;
}

function isSerialized(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}
