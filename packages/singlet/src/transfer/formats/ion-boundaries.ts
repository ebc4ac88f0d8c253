import { FormatError } from './format-error.ts';

/** The text of one struct at the top level of an Ion stream. */
export interface IonStructText {
  /** The line on which it begins, counted from 1. */
  readonly line: number;
  readonly bytes: Uint8Array;
}

const code = {
  tab: 0x09,
  lineFeed: 0x0a,
  carriageReturn: 0x0d,
  space: 0x20,
  doubleQuote: 0x22,
  singleQuote: 0x27,
  asterisk: 0x2a,
  slash: 0x2f,
  bracketOpen: 0x5b,
  backslash: 0x5c,
  bracketClose: 0x5d,
  braceOpen: 0x7b,
  braceClose: 0x7d,
  binaryMarker: 0xe0,
} as const;

type Inside = 'nothing' | 'string' | 'symbol' | 'long string' | 'line comment' | 'block comment';

/**
 * Finds where the structs of an Ion text begin and end, so that each can be parsed separately and no file has to be in memory as a whole. Of
 * Ion's syntax it handles only what can hide braces: strings, quoted symbols and comments. Blobs (`{{…}}`) are pairs of braces, in which
 * slashes begin no comments.
 *
 * Text between structs (version markers, blanks, comments, values that are not structs) is attached to the following struct, and left to the
 * parser.
 */
export async function* ionStructs(
  chunks: AsyncIterable<Uint8Array>,
  structBytesMax: number,
): AsyncGenerator<IonStructText> {
  const scanner = new IonScanner(structBytesMax);
  for await (const chunk of chunks) yield* scanner.push(chunk);
  yield* scanner.end();
}

class IonScanner {
  readonly #structBytesMax: number;
  #inside: Inside = 'nothing';
  #depth = 0;
  #line = 1;
  #startLine: number | undefined;
  #begun: Uint8Array[] = [];
  #begunBytes = 0;
  /** The previous byte, and the number of consecutive single quotes. */
  #before = 0;
  #quotes = 0;
  #escaped = false;
  #inBlob = false;
  #sawBytes = false;

  constructor(structBytesMax: number) {
    this.#structBytesMax = structBytesMax;
  }

  *push(chunk: Uint8Array): Generator<IonStructText> {
    if (!this.#sawBytes && chunk[0] === code.binaryMarker) {
      throw new FormatError(undefined, 'this is binary Ion; Ion text is read');
    }
    this.#sawBytes ||= chunk.length > 0;
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number; // within bounds
      if (byte === code.lineFeed) this.#line += 1;
      else if (this.#startLine === undefined && byte > code.space) this.#startLine = this.#line;
      if (this.#next(byte)) {
        yield { line: this.#startLine ?? this.#line, bytes: this.#take(chunk.subarray(from, at + 1)) };
        from = at + 1;
      }
    }
    this.#keep(chunk.subarray(from));
  }

  *end(): Generator<IonStructText> {
    if (this.#startLine === undefined) return;
    // A file may end with comments and version markers; the parser refuses an unfinished struct.
    yield { line: this.#startLine, bytes: this.#take(new Uint8Array(0)) };
  }

  /** @returns whether a struct at the top level ends with this byte. */
  #next(byte: number): boolean {
    const before = this.#before;
    this.#before = byte;
    switch (this.#inside) {
      case 'nothing':
        return this.#outside(byte, before);
      case 'string':
      case 'symbol':
        this.#quoted(byte, this.#inside === 'string' ? code.doubleQuote : code.singleQuote);
        return false;
      case 'long string':
        this.#longString(byte);
        return false;
      case 'line comment':
        if (byte === code.lineFeed || byte === code.carriageReturn) this.#inside = 'nothing';
        return false;
      case 'block comment':
        if (byte === code.slash && before === code.asterisk) this.#leave();
        return false;
    }
  }

  #outside(byte: number, before: number): boolean {
    // Two quotes in a row are an empty symbol, or the beginning of a long string.
    if (this.#quotes === 2) {
      this.#quotes = 0;
      if (byte === code.singleQuote) {
        this.#inside = 'long string';
        return false;
      }
    }
    switch (byte) {
      case code.doubleQuote:
        this.#inside = 'string';
        return false;
      case code.singleQuote:
        this.#inside = 'symbol';
        this.#quotes = 1;
        return false;
      case code.slash:
        if (before === code.slash && !this.#inBlob) this.#inside = 'line comment';
        return false;
      case code.asterisk:
        if (before === code.slash) {
          this.#inside = 'block comment';
          this.#before = 0; // the asterisk that opens a comment does not close it
        }
        return false;
      case code.braceOpen:
        this.#inBlob = before === code.braceOpen;
        this.#depth += 1;
        return false;
      case code.bracketOpen:
        this.#depth += 1;
        return false;
      case code.bracketClose:
        this.#depth -= 1;
        return false;
      case code.braceClose:
        this.#inBlob = false;
        this.#depth -= 1;
        return this.#depth === 0;
      default:
        return false;
    }
  }

  #quoted(byte: number, end: number): void {
    const isFirst = this.#quotes === 1;
    this.#quotes = 0;
    if (this.#escaped) this.#escaped = false;
    else if (byte === code.backslash) this.#escaped = true;
    else if (byte === end) {
      this.#inside = 'nothing';
      if (isFirst && end === code.singleQuote) this.#quotes = 2;
      this.#before = 0;
    }
  }

  #longString(byte: number): void {
    if (this.#escaped) {
      this.#escaped = false;
      this.#quotes = 0;
    } else if (byte === code.backslash) {
      this.#escaped = true;
      this.#quotes = 0;
    } else {
      this.#quotes = byte === code.singleQuote ? this.#quotes + 1 : 0;
      if (this.#quotes === 3) this.#leave();
    }
  }

  #leave(): void {
    this.#inside = 'nothing';
    this.#quotes = 0;
    this.#before = 0;
  }

  #keep(bytes: Uint8Array): void {
    this.#begunBytes += bytes.length;
    if (this.#begunBytes > this.#structBytesMax) {
      throw new FormatError(
        this.#startLine ?? this.#line,
        `the value that begins here is longer than ${this.#structBytesMax} bytes`,
      );
    }
    if (bytes.length > 0) this.#begun.push(Uint8Array.from(bytes));
  }

  #take(last: Uint8Array): Uint8Array {
    this.#keep(last);
    const bytes = Buffer.concat(this.#begun);
    this.#begun = [];
    this.#begunBytes = 0;
    this.#startLine = undefined;
    return bytes;
  }
}
