import { hash } from 'node:crypto';
import { BoundedMap } from '../bounded-map.ts';
import { queryParameters, type SignedRequest } from './signature-parts.ts';

/** The headers that a signature covers. */
export interface SignedHeaderNames {
  /** In the order of the signature, lower case. */
  readonly names: readonly string[];
  /** What precedes the value of each in the canonical request: `host:`, and the end of the line before. */
  readonly labels: readonly string[];
  /** What follows the last value, up to the hash of the body. */
  readonly end: string;
  readonly has: (name: string) => boolean;
}

/** Clients keep signing the same list of headers, so parsed lists are cached. */
const listsMax = 64;
const known = new BoundedMap<string, SignedHeaderNames>(listsMax);

/** @returns undefined if the list contains something that cannot be a header name. */
export function signedHeaderNames(list: string): SignedHeaderNames | undefined {
  const kept = known.get(list);
  if (kept !== undefined) return kept;
  const text = list.toLowerCase();
  // Nothing that could be mistaken for another part of the canonical request.
  if (!namesPattern.test(text)) return undefined;
  const names = text.split(';');
  const set = new Set(names);
  const made: SignedHeaderNames = {
    names,
    labels: names.map((name, at) => `${at === 0 ? '' : '\n'}${name}:`),
    end: `\n\n${text}\n`,
    has: (name) => set.has(name),
  };
  known.set(list, made);
  return made;
}

const namesPattern = /^[a-z0-9!#$%&'*+.^_`|~-]+(;[a-z0-9!#$%&'*+.^_`|~-]+)*$/;

/**
 * SHA-256 of the canonical request, in hexadecimal: part of the text that is signed.
 *
 * @see IAM User Guide, "Create a signed AWS API request"
 */
export function canonicalRequestHash(
  { method, url, headers, body }: SignedRequest,
  { signed, isPresigned }: { readonly signed: SignedHeaderNames; readonly isPresigned: boolean },
): string {
  let text = method + (url === '/' ? '\n/\n\n' : canonicalUrl(url, isPresigned));
  const { names, labels } = signed;
  const isEven = headersAreEven(headers, names);
  for (let at = 0; at < names.length; at += 1) {
    const value = headers[names[at] as string] ?? ''; // within the bounds
    text += (labels[at] as string) + (isEven ? value : value.trim().replaceAll(/\s+/g, ' '));
  }
  return hash('sha256', text + signed.end + hash('sha256', body));
}

/** Whether all values are already in canonical form: trimmed, and without runs of blanks. Nearly all are. */
function headersAreEven(headers: SignedRequest['headers'], names: readonly string[]): boolean {
  for (const name of names) {
    const value = headers[name];
    if (value === undefined || value === '') continue;
    if (value.charCodeAt(0) <= blank || value.charCodeAt(value.length - 1) <= blank) return false;
    if (value.includes('  ') || value.includes('\t')) return false;
  }
  return true;
}

const blank = 0x20;

/** Path and query, with the line breaks around them. */
function canonicalUrl(url: string, isPresigned: boolean): string {
  const queryAt = url.indexOf('?');
  const query = queryAt < 0 ? '' : canonicalQuery(url.slice(queryAt + 1), isPresigned);
  return `\n${canonicalPath(queryAt < 0 ? url : url.slice(0, queryAt))}\n${query}\n`;
}

/** The path as it was sent, with each part encoded once more. Parts such as `..` are not resolved; clients do not send them. */
function canonicalPath(path: string): string {
  return path === '/' ? path : path.split('/').map(encoded).join('/');
}

function canonicalQuery(query: string, isPresigned: boolean): string {
  return queryParameters(query)
    .filter(([name]) => !isPresigned || name !== 'X-Amz-Signature')
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .sort(([name, value], [otherName, otherValue]) => inOrder(name, otherName) || inOrder(value, otherValue))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function inOrder(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Percent-encodes as in RFC 3986: the letters, digits and `-._~` stay. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
