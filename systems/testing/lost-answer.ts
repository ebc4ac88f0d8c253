import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/**
 * Sends a request whose answer is lost: what passes it on waits until the server has answered, and then breaks the connection.
 *
 * @returns the status of the answer that the caller did not get.
 * @throws {RangeError} if the caller got an answer nonetheless.
 */
export async function loseAnswer(url: string, init: RequestInit): Promise<number> {
  const { origin, pathname, search } = new URL(url);
  let status = 0;
  const between = createServer((incoming, answer) => {
    const passOn = async (): Promise<void> => {
      const { method = 'GET', url: path = '/', headers } = incoming;
      const { host: _host, connection: _connection, 'content-length': _length, ...rest } = headers;
      const body = await buffer(Readable.from(incoming));
      const answered = await fetch(new URL(path, origin), {
        method,
        headers: Object.entries(rest).map(([name, value]) => [name, String(value)] as [string, string]),
        ...(body.length > 0 && { body }),
      });
      await answered.arrayBuffer(); // the server has done all that it does
      status = answered.status;
    };
    void passOn().finally(() => answer.destroy());
  });
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
  const { port } = between.address() as AddressInfo; // it listens on a port
  try {
    const outcome = await fetch(`http://127.0.0.1:${port}${pathname}${search}`, init).then(
      ({ status: got }) => got,
      () => undefined,
    );
    if (outcome !== undefined) throw new RangeError(`The answer was to be lost, but was ${outcome}`);
    return status;
  } finally {
    await new Promise((resolve) => between.close(resolve));
  }
}
