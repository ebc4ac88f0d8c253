/**
 * Forwards the traffic between a store and its PostgreSQL, and cuts connections at moments that a test chooses.
 *
 * A connection can be cut on both sides, or on the store's side alone. Then PostgreSQL continues with what it has received, and the store
 * cannot know that. That is how a write loses its answer.
 */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export class ConnectionProxy {
  readonly #server: Server;
  #targetPort: number;
  readonly #pairs = new Set<{ readonly near: Socket; readonly far: Socket }>();
  #isDown = false;
  #isSilent = false;
  #delayMs = 0;

  private constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer((near) => this.#accept(near));
  }

  static async start(targetPort: number): Promise<ConnectionProxy> {
    const proxy = new ConnectionProxy(targetPort);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new TypeError('the proxy is closed');
    return address.port;
  }

  get connectionCount(): number {
    return this.#pairs.size;
  }

  /** Ends all connections. */
  cut(): void {
    for (const { near, far } of this.#pairs) {
      near.destroy();
      far.destroy();
    }
  }

  /** Ends all connections for the store; PostgreSQL finishes what it has received. */
  cutAnswers(): void {
    for (const { near } of this.#pairs) near.destroy();
  }

  /** From now on connections are refused (`true`), or accepted again. */
  setDown(isDown: boolean): void {
    this.#isDown = isDown;
    if (isDown) this.cut();
  }

  /** From now on no answer of PostgreSQL arrives (`true`), on connections that stay open; or answers arrive again, on new connections. */
  setSilent(isSilent: boolean): void {
    this.#isSilent = isSilent;
    if (!isSilent) this.cut();
  }

  /** New connections get each answer so much later, milliseconds: PostgreSQL is far away, or its disk is slow. */
  setDelay(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** From now on new connections go to another server, as after a change of a name's address. Existing ones end. */
  switchTo(targetPort: number): void {
    this.#targetPort = targetPort;
    this.cut();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }

  #accept(near: Socket): void {
    if (this.#isDown) {
      near.destroy();
      return;
    }
    const far = connect(this.#targetPort, '127.0.0.1');
    const pair = { near, far };
    this.#pairs.add(pair);
    near.on('error', () => undefined);
    far.on('error', () => undefined);
    near.on('data', (chunk) => far.write(chunk));
    const forward = (chunk: Buffer): void => {
      if (!this.#isSilent && !near.destroyed) near.write(chunk);
    };
    const delayMs = this.#delayMs;
    // Timers of the same length fire in the order in which they were set.
    far.on('data', (chunk) => (delayMs === 0 ? forward(chunk) : setTimeout(forward, delayMs, chunk)));
    far.on('close', () => {
      near.destroy();
      this.#pairs.delete(pair);
    });
    // Received data is forwarded before the end is.
    near.on('close', () => far.end());
  }
}
