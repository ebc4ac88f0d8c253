import { requestBytesMax, type WireRequest } from './wire.ts';

/** The head of a request in the plain form, and how many bytes of body follow it. */
export interface RequestHead {
  readonly headers: WireRequest['headers'];
  readonly bodyBytes: number;
  /** Bytes of the head itself, including the empty line. */
  readonly headBytes: number;
}

const requestLine = Buffer.from('POST / HTTP/1.1\r\n', 'latin1');

/** Largest head that is parsed here, bytes, and most headers. */
const headBytesMax = 16 * 1024;
const headersMax = 64;

const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const blank = 0x20;
const colon = 0x3a;

/** The bytes that may be in a header's name, in lower case; 0 for all others. */
const nameBytes = new Uint8Array(256);
for (const character of "!#$%&'*+.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-") {
  nameBytes[character.charCodeAt(0)] = character.toLowerCase().charCodeAt(0);
}

/**
 * Parses the head of a request in the form that clients of DynamoDB send: `POST / HTTP/1.1`, with the length of its body, and
 * nothing that changes how the connection is used.
 *
 * Strict on purpose: every HTTP parser understands what it accepts in the same way. For everything else it returns undefined and
 * leaves the request to node:http: other methods and paths, incomplete heads, transfer codings, expectations, upgrades, connections
 * to be closed, repeated headers, bytes that are not plain text, and anything malformed.
 *
 * It reads each byte once, and makes one string for each value and no other. The fast path of the parser of node:http, which
 * reads the same from every head that this accepts (`request-head.test.ts`).
 */
export function readRequestHead(chunk: Buffer): RequestHead | undefined {
  const endMax = Math.min(chunk.length, headBytesMax);
  if (endMax < requestLine.length) return undefined;
  for (let at = 0; at < requestLine.length; at += 1) if (chunk[at] !== requestLine[at]) return undefined;
  let at = requestLine.length;
  let count = 0;
  while (at + 1 < endMax && chunk[at] !== carriageReturn) {
    const nameAt = at;
    let hash = 0;
    for (let byte = 0; at < endMax && (byte = nameBytes[chunk[at] as number] as number) !== 0; at += 1) {
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    if (at === nameAt || chunk[at] !== colon || count === headersMax) return undefined;
    const name = headerNames.get(chunk, nameAt, at, hash);
    if (name === undefined) return undefined;
    at += 1;
    let valueAt = at;
    while (at < endMax && isText(chunk[at] as number)) at += 1;
    let valueEnd = at;
    if (at + 1 >= endMax || chunk[at] !== carriageReturn || chunk[at + 1] !== lineFeed) return undefined;
    while (valueAt < valueEnd && isBlank(chunk[valueAt] as number)) valueAt += 1;
    while (valueEnd > valueAt && isBlank(chunk[valueEnd - 1] as number)) valueEnd -= 1;
    found.names[count] = name;
    found.places[2 * count] = valueAt;
    found.places[2 * count + 1] = valueEnd;
    count += 1;
    at += 2;
  }
  if (at + 1 >= endMax || chunk[at] !== carriageReturn || chunk[at + 1] !== lineFeed) return undefined;
  return headOf(chunk, at, count);
}

/** The parts found so far of the head that is being parsed. One object for all, since no two heads are parsed at a time. */
const found = { names: Array.from({ length: headersMax }, () => ''), places: new Int32Array(2 * headersMax) };

function headOf(chunk: Buffer, end: number, count: number): RequestHead | undefined {
  const text = chunk.toString('latin1', 0, end);
  const headers: Record<string, string> = {};
  for (let index = 0; index < count; index += 1) {
    const name = found.names[index] as string; // as many as were found
    if (headers[name] !== undefined) return undefined;
    headers[name] = text.slice(found.places[2 * index], found.places[2 * index + 1]);
  }
  const length = headers['content-length'];
  if (headers['host'] === undefined || length === undefined || !lengthPattern.test(length)) return undefined;
  const connection = headers['connection'];
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return undefined;
  const bodyBytes = Number(length);
  if (bodyBytes > requestBytesMax) return undefined;
  return { headers, bodyBytes, headBytes: end + 2 };
}

function isText(byte: number): boolean {
  return (byte >= blank && byte < 0x7f) || byte === tab;
}

function isBlank(byte: number): boolean {
  return byte === blank || byte === tab;
}

const lengthPattern = /^\d{1,8}$/;

/** They change how a message is read or a connection is used. */
const othersBusiness: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'trailer',
  'te',
  '__proto__',
]);

/** Header names in lower case, by a hash of them. Clients use few, so they are cached; bounded, because clients choose them. */
class HeaderNames {
  readonly #known = new Map<number, string>();

  /** The name that is in some bytes. @returns undefined for a header that is node:http's business. */
  get(bytes: Uint8Array, from: number, to: number, hash: number): string | undefined {
    const known = this.#known.get(hash);
    if (known !== undefined && isName(known, bytes, from, to)) return known;
    const name = String.fromCharCode(...bytes.subarray(from, to)).toLowerCase();
    if (othersBusiness.has(name)) return undefined;
    if (this.#known.size < headerNamesMax && name.length <= headerNameLengthMax) this.#known.set(hash, name);
    return name;
  }
}

const headerNamesMax = 256;
const headerNameLengthMax = 128;

function isName(name: string, bytes: Uint8Array, from: number, to: number): boolean {
  if (name.length !== to - from) return false;
  for (let at = from; at < to; at += 1) {
    if (nameBytes[bytes[at] as number] !== name.charCodeAt(at - from)) return false;
  }
  return true;
}

const headerNames = new HeaderNames();
