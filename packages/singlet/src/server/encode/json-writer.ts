/** ARNs by table name. */
export type TableArns = ReadonlyMap<string, string>;

/**
 * Collects JSON text and stretches of finished JSON bytes, and joins them in one allocation. Bytes of stored items are
 * copied once, from where they lie into the answer, without being decoded.
 */
export class JsonWriter {
  /** What to call tables that the request named in another way than by their names. */
  readonly tableArns: TableArns | undefined;
  readonly #parts: (string | Uint8Array)[] = [];
  #text = '';

  constructor(tableArns?: TableArns) {
    this.tableArns = tableArns;
  }

  text(text: string): void {
    this.#text += text;
  }

  /** UTF-8 bytes of JSON text. They are read when the writer finishes. */
  bytes(bytes: Uint8Array): void {
    if (this.#text !== '') this.#parts.push(this.#text);
    this.#text = '';
    this.#parts.push(bytes);
  }

  /** Everything written so far, as UTF-8. */
  finish(): Buffer {
    if (this.#parts.length === 0) return Buffer.from(this.#text, 'utf8');
    if (this.#text !== '') this.#parts.push(this.#text);
    let byteLength = 0;
    for (const part of this.#parts) byteLength += typeof part === 'string' ? utf8Length(part) : part.length;
    const joined = Buffer.allocUnsafe(byteLength);
    let offset = 0;
    for (const part of this.#parts) {
      if (typeof part !== 'string') {
        joined.set(part, offset);
        offset += part.length;
      } else if (part.length === 1) {
        joined[offset] = part.charCodeAt(0); // a separator: JSON text of one character is ASCII
        offset += 1;
      } else {
        offset += joined.write(part, offset, 'utf8');
      }
    }
    return joined;
  }
}

function utf8Length(text: string): number {
  return text.length === 1 ? 1 : Buffer.byteLength(text, 'utf8');
}
