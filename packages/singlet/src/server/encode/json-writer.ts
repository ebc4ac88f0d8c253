/** ARNs by table name. */
export type TableArns = ReadonlyMap<string, string>;

/**
 * Collects JSON text and stretches of finished JSON bytes, and joins them in one allocation. Bytes of stored items are
 * copied once, from where they lie into the answer, without being decoded.
 */
export class JsonWriter {
  /** What to call tables that the request named in another way than by their names. */
  readonly tableArns: TableArns | undefined;
  readonly #parts: (string | Stretch)[] = [];
  #text = '';

  constructor(tableArns?: TableArns) {
    this.tableArns = tableArns;
  }

  text(text: string): void {
    this.#text += text;
  }

  /** UTF-8 bytes of JSON text, from `start` to before `end`. They are read when the writer finishes. */
  bytes(bytes: Uint8Array, start: number, end: number): void {
    const last = this.#parts[this.#parts.length - 1];
    // Items of a page lie side by side with commas between: all that do are one stretch.
    const goesOn = this.#text === ',' && typeof last === 'object' && last.bytes === bytes && last.end + 1 === start;
    if (goesOn && bytes[last.end] === comma) {
      last.end = end;
    } else {
      if (this.#text !== '') this.#parts.push(this.#text);
      this.#parts.push({ bytes, start, end });
    }
    this.#text = '';
  }

  /** Everything written so far, as UTF-8. */
  finish(): Buffer {
    if (this.#parts.length === 0) return Buffer.from(this.#text, 'utf8');
    if (this.#text !== '') this.#parts.push(this.#text);
    let byteLength = 0;
    for (const part of this.#parts) byteLength += typeof part === 'string' ? utf8Length(part) : part.end - part.start;
    const joined = Buffer.allocUnsafe(byteLength);
    let offset = 0;
    for (const part of this.#parts) {
      if (typeof part !== 'string') {
        const { bytes, start, end } = part;
        joined.set(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end), offset);
        offset += end - start;
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

interface Stretch {
  readonly bytes: Uint8Array;
  readonly start: number;
  end: number;
}

const comma = 0x2c;

function utf8Length(text: string): number {
  return text.length === 1 ? 1 : Buffer.byteLength(text, 'utf8');
}
