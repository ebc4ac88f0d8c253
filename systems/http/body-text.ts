/** Maximum number of bytes of a request body. */
export const BODY_BYTES_MAX = 262_144;

/**
 * Never reads more of a body than allowed, whatever length the caller claims.
 *
 * @returns undefined for a body that is longer.
 */
export async function bodyText({ body }: Request): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // A body of fetch is a stream of bytes; the types leave that open.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Whether a text in a JSON value has an unpaired UTF-16 surrogate: JSON may contain one, but no text of a
 * table can. Not recursive, because a body may be nested as deeply as it is long.
 */
export function hasLoneSurrogate(json: unknown): boolean {
  const left: unknown[] = [json];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string' && /\p{Surrogate}/u.test(value)) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, inner] of Object.entries(value)) left.push(name, inner);
  }
  return false;
}
