import { crc32 } from 'node:zlib';
import { copyBehindHead, headBytesMax } from '../../values/copy-behind-head.ts';
import { combineCrc32, crc32OfShort, loopBytesMax } from '../../values/crc32.ts';
import { rememberChecksum } from './body-checksum.ts';
import { type AnswerBytes, type ByteRange, UnjoinedBytes } from './answer-bytes.ts';

/** ARNs by table name. */
export type TableArns = ReadonlyMap<string, string>;

/**
 * Collects JSON text and stretches of finished JSON bytes, and joins them in one allocation, or leaves that to the caller if there are many.
 * Bytes of stored items are copied once, from where they are into the answer, without being decoded. Decisions 0030, 0032 and 0147 say why.
 */
export class JsonWriter {
  /** The ARNs of tables that the request named by ARN instead of by name. */
  readonly tableArns: TableArns | undefined;
  readonly #parts: (string | Stretch)[] = [];
  #text = '';
  /** Bytes of all stretches. */
  #stretchBytes = 0;
  /** Bytes of pieces whose checksums are known and that are long enough to gain from that. */
  #knownBytes = 0;

  constructor(tableArns?: TableArns) {
    this.tableArns = tableArns;
  }

  text(text: string): void {
    this.#text += text;
  }

  /**
   * UTF-8 bytes of JSON text, from `start` to before `end`. They are read when the writer finishes, and must not change until then.
   *
   * Items of a page are adjacent in memory, separated by commas (`keepStoredItem`). If the byte after one value is the
   * comma that is about to be written, and the next value begins after it, both are one stretch. This is the fast path of writing
   * value, comma and value one by one, with the same bytes, since the comma is checked (`encoder.test.ts`).
   *
   * @param checksum - their CRC-32 as a signed integer, where it is known.
   */
  bytes(bytes: Uint8Array, start: number, end: number, checksum?: number): void {
    const pieceBytes = end - start;
    this.#stretchBytes += pieceBytes;
    if (checksum !== undefined && pieceBytes >= combinedBytesMin) this.#knownBytes += pieceBytes;
    const last = this.#parts[this.#parts.length - 1];
    const goesOn = this.#text === ',' && typeof last === 'object' && last.bytes === bytes && last.end + 1 === start;
    if (goesOn && bytes[last.end] === comma) {
      last.end = end;
      last.pieces.push(pieceBytes, checksum);
    } else {
      if (this.#text !== '') this.#parts.push(this.#text);
      this.#parts.push({ bytes, start, end, pieces: [pieceBytes, checksum] });
    }
    this.#text = '';
  }

  /** Everything written so far, as UTF-8. */
  finish(): AnswerBytes {
    if (this.#parts.length === 0) return Buffer.from(this.#text, 'utf8');
    if (this.#text !== '') this.#parts.push(this.#text);
    return this.#stretchBytes < joinedBytesMax ? this.#join() : this.#collect();
  }

  #join(): Buffer {
    let byteLength = 0;
    for (const part of this.#parts) byteLength += typeof part === 'string' ? utf8Length(part) : part.end - part.start;
    const joined = Buffer.allocUnsafe(byteLength);
    let offset = 0;
    let checksum = 0;
    for (const part of this.#parts) {
      const start = offset;
      if (typeof part !== 'string') {
        copyStretch(part, joined, offset);
        offset += part.end - part.start;
        if (this.#knownBytes > 0) checksum = checksumOfStretch(part, checksum);
        continue;
      }
      if (part.length === 1) {
        joined[offset] = part.charCodeAt(0); // a separator: JSON text of one character is ASCII
        offset += 1;
      } else {
        offset += joined.write(part, offset, 'utf8');
      }
      if (this.#knownBytes > 0) checksum = checksumOfRest(joined, checksum, start, offset);
    }
    if (this.#knownBytes > 0) rememberChecksum(joined, checksum);
    return joined;
  }

  /** The fast path of joining a long answer: its bytes are copied once, to where it is sent from. They are the same (encoder.test.ts). */
  #collect(): UnjoinedBytes {
    const stretches: ByteRange[] = [];
    let checksum = 0;
    for (const part of this.#parts) {
      if (typeof part === 'string') {
        const bytes = Buffer.from(part, 'utf8');
        stretches.push({ bytes, start: 0, end: bytes.length });
        if (this.#knownBytes > 0) checksum = checksumOfRest(bytes, checksum, 0, bytes.length);
      } else {
        stretches.push(part);
        if (this.#knownBytes > 0) checksum = checksumOfStretch(part, checksum);
      }
    }
    const collected = new UnjoinedBytes(stretches);
    if (this.#knownBytes > 0) rememberChecksum(collected, checksum);
    return collected;
  }
}

/** Extends a checksum to also cover a stretch. */
function checksumOfStretch({ bytes, start, pieces }: Stretch, before: number): number {
  let checksum = before;
  let at = start;
  for (let piece = 0; piece < pieces.length; piece += 2) {
    const pieceBytes = pieces[piece] as number; // lengths and checksums in turn
    const known = pieces[piece + 1];
    if (piece > 0) {
      checksum = crc32OfShort(bytes, checksum, at, at + 1); // the comma
      at += 1;
    }
    checksum =
      known !== undefined && pieceBytes >= combinedBytesMin
        ? combineCrc32(checksum, known, pieceBytes)
        : checksumOfRest(bytes, checksum, at, at + pieceBytes);
    at += pieceBytes;
  }
  return checksum;
}

/** Copies the bytes of a stretch into the answer, in which everything before them has been written. */
function copyStretch({ bytes, start, end }: Stretch, joined: Buffer, offset: number): void {
  if (end !== bytes.length || start > headBytesMax || start > offset) {
    joined.set(bytes.subarray(start, end), offset);
    return;
  }
  // Fast path of an item with its header. The bytes are the same (encoder.test.ts).
  copyBehindHead(bytes, start, joined, offset);
}

function checksumOfRest(bytes: Uint8Array, checksum: number, start: number, end: number): number {
  if (end - start <= loopBytesMax) return crc32OfShort(bytes, checksum, start, end);
  return crc32(bytes.subarray(start, end), checksum >>> 0) | 0;
}

/** Computing fewer bytes costs less than combining. */
const combinedBytesMin = 512;

/** Answers with at least this many bytes of stretches are not joined. */
const joinedBytesMax = 4096;

interface Stretch extends ByteRange {
  end: number;
  /** The lengths of the pieces it is made of, each followed by its checksum. Commas between them. */
  readonly pieces: (number | undefined)[];
}

const comma = 0x2c;

function utf8Length(text: string): number {
  return text.length === 1 ? 1 : Buffer.byteLength(text, 'utf8');
}
