import { HttpError } from './http-error.ts';
import { refusals } from './refusals.ts';

/** So that a part fits into a key with its names and the other parts: a sort key has 1,024 bytes, and a character up to three for each unit. */
const PART_LENGTH_MAX = 300;

/**
 * The parameters of a path, decoded.
 *
 * @param texts - as in the path, by name.
 * @throws {HttpError} 400 for a part that is no percent-encoded UTF-8, or longer than any name.
 */
export function partsOf(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, partOf(name, text)]));
}

function partOf(name: string, text: string): string {
  const part = decoded(text);
  if (part.length <= PART_LENGTH_MAX) return part;
  const detail = `has to have at most ${PART_LENGTH_MAX} characters`;
  throw new HttpError(400, 'invalid', `${name} ${detail}.`, {}, [{ field: name, detail }]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refusals.badPath(text);
  }
}
