import { wireCopy } from './wire-copy.ts';
import { SerializationException } from './serialization-exception.ts';

/**
 * Parses JSON whose strings may be stored as UTF-8.
 *
 * @throws {SerializationException} for text that is not JSON.
 */
export function parseText(text: string): unknown {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new SerializationException();
  }
  return surrogateEscape.test(text) ? wireCopy(json) : json;
}

/** UTF-8 holds no lone surrogates, but escapes can write them. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;
