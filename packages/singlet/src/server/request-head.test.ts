import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRequestHead } from './request-head.ts';

const head = (...lines: string[]): Buffer => Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
const line = 'POST / HTTP/1.1';
const needed = ['Host: x', 'Content-Length: 2'];

describe('a plain head', () => {
  test('has its headers under lower-case names, and the length of the body', () => {
    const bytes = head(
      line,
      'Host: localhost:8000',
      'X-Amz-Target:  DynamoDB_20120810.GetItem \t',
      'content-length: 12',
    );
    expect(readRequestHead(Buffer.concat([bytes, Buffer.from('{}')]))).toEqual({
      headers: { host: 'localhost:8000', 'x-amz-target': 'DynamoDB_20120810.GetItem', 'content-length': '12' },
      bodyBytes: 12,
      headBytes: bytes.length,
    });
  });

  test.each([
    ['keep-alive', ['Connection: keep-alive']],
    ['Keep-Alive', ['connection: Keep-Alive']],
    ['names like those of objects', ['constructor-x: 1']],
  ])('may have: %s', (_what, lines) => {
    expect(readRequestHead(head(line, ...needed, ...lines))).toBeDefined();
  });
});

describe('what is left to node:http', () => {
  test.each([
    ['another method', ['GET / HTTP/1.1', ...needed]],
    ['another path', ['POST /x HTTP/1.1', ...needed]],
    ['another version', ['POST / HTTP/1.0', ...needed]],
    ['no host', [line, 'Content-Length: 2']],
    ['no length', [line, 'Host: x']],
    ['a length that is none', [line, 'Host: x', 'Content-Length: +2']],
    ['a length in other digits', [line, 'Host: x', 'Content-Length: 0x2']],
    ['a length of more than 16 MB', [line, 'Host: x', `Content-Length: ${16 * 1024 * 1024 + 1}`]],
    ['two lengths', [line, ...needed, 'content-length: 3']],
    ['two lengths in one', [line, 'Host: x', 'Content-Length: 2, 2']],
    ['two hosts', [line, ...needed, 'HOST: y']],
    ['a transfer coding', [line, ...needed, 'Transfer-Encoding: chunked']],
    ['an expectation', [line, ...needed, 'Expect: 100-continue']],
    ['an upgrade', [line, ...needed, 'Upgrade: h2c']],
    ['a connection to be closed', [line, ...needed, 'Connection: close']],
    ['several wishes for the connection', [line, ...needed, 'Connection: keep-alive, upgrade']],
    ['a blank before the colon', [line, 'Host : x', 'Content-Length: 2']],
    ['a header without a colon', [line, ...needed, 'nonsense']],
    ['a header without a name', [line, ...needed, ': value']],
    ['a header that continues in the next line', [line, ...needed, 'a: b', ' c']],
    ['control characters', [line, ...needed, 'a: b\u0000c']],
    ['bytes beyond ASCII', [line, 'Host: x', 'Content-Length: \u00a02']],
    ['a line that ends in \\n', [line, 'Host: x\nContent-Length: 2']],
    ['a \\r alone', [line, 'Host: x\rContent-Length: 2']],
    ['names of all objects', [line, ...needed, '__proto__: x']],
    ['a head that is very large', [line, ...needed, `a: ${'x'.repeat(20_000)}`]],
  ])('%s', (_what, lines) => {
    expect(readRequestHead(head(...lines))).toBeUndefined();
  });

  test('a head that is cut anywhere', () => {
    const whole = head(line, ...needed);
    for (let end = 0; end < whole.length; end += 1) expect(readRequestHead(whole.subarray(0, end))).toBeUndefined();
  });

  test('anything at all: no text makes it throw', () => {
    const fragment = fc.constantFrom(
      'POST',
      ' / HTTP/1.1',
      '\r\n',
      '\r',
      '\n',
      ':',
      'Host',
      ' ',
      'Content-Length',
      '1',
      '\0',
      'x',
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 30 }), (parts) => {
        const bytes = Buffer.from(`${parts.join('')}\r\n\r\n`);
        const found = readRequestHead(bytes);
        if (found !== undefined) expect(found.headers).toMatchObject({ host: expect.any(String) as string });
      }),
    );
  });
});

describe('the parser of node:http', () => {
  const name = fc.constantFrom(
    'Host',
    'host',
    'X-Amz-Target',
    'User-Agent',
    'a',
    'B-1',
    "!#$%&'*+.^_`|~",
    'Connection',
    'TE',
  );
  const text = fc.oneof(
    fc.constantFrom('keep-alive', 'x', '', ' ', '\t', ' a  b\t', 'DynamoDB_20120810.GetItem', 'a, b', '"', ':'),
    fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
  );
  const headers = fc.uniqueArray(fc.tuple(name, text), { maxLength: 6, selector: ([each]) => each.toLowerCase() });

  test('reads the same out of every head that is taken', async () => {
    const answers: unknown[] = [];
    const server = createServer((request, response) => {
      answers.push({ method: request.method, url: request.url, headers: { ...request.headers } });
      request.resume().on('end', () => response.end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    let takenCount = 0;
    try {
      await fc.assert(
        fc.asyncProperty(headers, fc.constantFrom('', 'Host: x'), async (pairs, host) => {
          const lines = pairs.map(([each, value]) => `${each}:${value}`);
          const bytes = head(...[line, ...lines, host, 'Content-Length: 2'].filter((each) => each !== ''));
          const taken = readRequestHead(bytes);
          if (taken === undefined) return;
          takenCount += 1;
          answers.length = 0;
          await new Promise<void>((resolve, reject) => {
            const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.concat([bytes, Buffer.from('{}')])));
            socket
              .once('data', () => socket.destroy())
              .once('close', () => resolve())
              .once('error', reject);
          });
          expect(answers).toEqual([{ method: 'POST', url: '/', headers: { ...taken.headers } }]);
        }),
        { numRuns: 300 },
      );
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
    expect(takenCount).toBeGreaterThan(30);
  });
});
