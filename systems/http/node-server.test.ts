import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { serveHttp } from './node-server.ts';

test('a caller that is refused before its body has arrived gets the answer, and keeps its connection', async () => {
  const server = await serveHttp(
    async ({ url }) => await Promise.resolve(new Response(new URL(url).pathname, { status: 404 })),
    {
      port: 0,
    },
  );
  try {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let answers = '';
    socket.on('data', (chunk) => (answers += String(chunk)));
    socket.write('POST /first HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhel');
    // The answer to another request: the server has seen the beginning of this one.
    await fetch(`${server.url}/other`);
    socket.write('loPOST /second HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
    await expect.poll(() => answers).toContain('/second');
    expect(answers).toContain('/first');
    expect(answers).not.toMatch(/connection: close/i);
    socket.destroy();
  } finally {
    await server.close();
  }
});
