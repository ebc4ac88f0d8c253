import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HttpResponseParser } from './http-response-parser.ts';

interface Seen {
  readonly status: number;
  readonly body: string;
}

function parse(pieces: readonly Buffer[], keepBodies = true): { seen: Seen[]; idle: boolean } {
  const seen: Seen[] = [];
  const parser = new HttpResponseParser(({ status, body }) => seen.push({ status, body: body.toString() }), {
    keepBodies,
  });
  for (const piece of pieces) parser.push(piece);
  return { seen, idle: parser.idle };
}

const sized = (body: string, status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\nDate: today\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: keep-alive\r\n\r\n${body}`;

const chunked = (parts: readonly string[], trailer = ''): string =>
  `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${parts
    .map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`)
    .join('')}0\r\n${trailer}\r\n`;

/** Splits bytes at the given positions, whatever the bytes are. */
function cut(text: string, places: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text);
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted].map((start, index) => bytes.subarray(start, sorted[index] ?? bytes.length));
}

describe('HTTP responses', () => {
  it.each([
    ['a length', sized('{"Item":{}}'), [{ status: 200, body: '{"Item":{}}' }]],
    ['an empty body', sized(''), [{ status: 200, body: '' }]],
    ['an error', sized('{"__type":"x"}', '400 Bad Request'), [{ status: 400, body: '{"__type":"x"}' }]],
    ['chunks', chunked(['{"a":', '1}']), [{ status: 200, body: '{"a":1}' }]],
    ['chunks and a trailer', chunked(['abc'], 'x-sum: 1\r\n'), [{ status: 200, body: 'abc' }]],
    ['no chunk at all', chunked([]), [{ status: 200, body: '' }]],
    ['no content', 'HTTP/1.1 204 No Content\r\n\r\n', [{ status: 204, body: '' }]],
    ['an interim response', `HTTP/1.1 100 Continue\r\n\r\n${sized('x')}`, [{ status: 200, body: 'x' }]],
    ['no reason phrase', 'HTTP/1.1 200\r\ncontent-length: 1\r\n\r\nx', [{ status: 200, body: 'x' }]],
    ['line ends inside a body', sized('a\r\n\r\nb'), [{ status: 200, body: 'a\r\n\r\nb' }]],
    [
      'two in one piece',
      sized('1') + chunked(['2']),
      [
        { status: 200, body: '1' },
        { status: 200, body: '2' },
      ],
    ],
  ])('reads %s, whole and byte by byte', (_name, text, expected) => {
    expect(parse([Buffer.from(text)])).toEqual({ seen: expected, idle: true });
    expect(parse(Array.from(Buffer.from(text), (byte) => Buffer.of(byte)))).toEqual({ seen: expected, idle: true });
  });

  it('reads the same however the stream is cut', () => {
    const text =
      sized('{"Item":{"PK":{"S":"é"}}}') + chunked(['abc', 'd\r\n\r\ne', 'x'.repeat(40)]) + sized('', '500 No');
    const whole = parse([Buffer.from(text)]);
    expect(whole.seen).toHaveLength(3);
    fc.assert(
      fc.property(fc.array(fc.nat(Buffer.byteLength(text)), { maxLength: 12 }), (places) => {
        expect(parse(cut(text, places))).toEqual(whole);
      }),
    );
  });

  it('keeps no body it was not asked for, except that of an error', () => {
    expect(parse([Buffer.from(sized('body'))], false).seen).toEqual([{ status: 200, body: '' }]);
    expect(parse([Buffer.from(chunked(['body']))], false).seen).toEqual([{ status: 200, body: '' }]);
    expect(parse([Buffer.from(sized('why', '400 No'))], false).seen).toEqual([{ status: 400, body: 'why' }]);
  });

  it('is not idle inside a response', () => {
    expect(parse([Buffer.from('HTTP/1.1 2')]).idle).toBe(false);
    expect(parse([Buffer.from(sized('body').slice(0, -1))]).idle).toBe(false);
  });

  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', /not a status line/],
    ['a body up to the end of the connection', 'HTTP/1.1 200 OK\r\n\r\nbody', /neither/],
    ['a chunk without size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', /no size/],
    ['headers without end', `HTTP/1.1 200 OK\r\n${'x'.repeat(70_000)}`, /does not end/],
  ])('refuses %s', (_name, text, reason) => {
    expect(() => parse([Buffer.from(text)])).toThrow(reason);
  });
});
