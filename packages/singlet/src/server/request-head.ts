import { requestBytesMax, type WireRequest } from './wire.ts';

/** The head of a request in the plain form, and how many bytes of body follow it. */
export interface RequestHead {
  readonly headers: WireRequest['headers'];
  readonly bodyBytes: number;
  /** Bytes of the head itself, the empty line included. */
  readonly headBytes: number;
}

const requestLine = 'POST / HTTP/1.1\r\n';
const headEnd = '\r\n\r\n';

/** Largest head that is read here, bytes. */
const headBytesMax = 16 * 1024;

/**
 * Reads the head of a request in the form that clients of DynamoDB send: `POST / HTTP/1.1`, with the length of its body, and
 * nothing that changes how the connection is used.
 *
 * Strict on purpose: what it takes, every reader of HTTP understands in the same way. All else is undefined and left to
 * node:http: other methods and paths, heads that are incomplete, transfer codings, expectations, upgrades, connections
 * that are to be closed, headers that are given twice, and anything malformed.
 */
export function readRequestHead(chunk: Buffer): RequestHead | undefined {
  if (chunk.length < requestLine.length || chunk[0] !== 0x50) return undefined;
  const endAt = chunk.indexOf(headEnd);
  if (endAt < 0 || endAt > headBytesMax) return undefined;
  const text = chunk.toString('latin1', 0, endAt + 2);
  if (!text.startsWith(requestLine) || irregular.test(text)) return undefined;
  const headers: Record<string, string> = {};
  for (let start = requestLine.length; start < text.length;) {
    const end = text.indexOf('\r\n', start);
    const colon = text.indexOf(':', start);
    if (colon < 0 || colon > end) return undefined;
    const name = headerNames.get(text.slice(start, colon));
    if (name === undefined || name in headers) return undefined;
    headers[name] = text.slice(colon + 1, end).trim();
    start = end + 2;
  }
  const length = headers['content-length'];
  if (headers['host'] === undefined || length === undefined || !lengthPattern.test(length)) return undefined;
  const connection = headers['connection'];
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return undefined;
  const bodyBytes = Number(length);
  if (bodyBytes > requestBytesMax) return undefined;
  return { headers, bodyBytes, headBytes: endAt + headEnd.length };
}

/** What is not plain text, line ends that are not `\r\n`, and lines that go on with the next one. */
const irregular = /[^\t\r\n\x20-\x7e]|\r[^\n]|[^\r]\n|\n[ \t]/;

const lengthPattern = /^\d{1,8}$/;

const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** They change how a message is read or a connection is used. */
const othersBusiness: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'trailer',
  'te',
  '__proto__',
]);

/** Header names as they are sent, in lower case. Clients use few, so they are looked up; bounded, because they are free. */
class HeaderNames {
  readonly #known = new Map<string, string | undefined>();

  get(sent: string): string | undefined {
    const known = this.#known.get(sent);
    if (known !== undefined) return known;
    if (!namePattern.test(sent)) return undefined;
    const name = sent.toLowerCase();
    if (othersBusiness.has(name)) return undefined;
    if (this.#known.size < headerNamesMax) this.#known.set(sent, name);
    return name;
  }
}

const headerNamesMax = 256;

const headerNames = new HeaderNames();
