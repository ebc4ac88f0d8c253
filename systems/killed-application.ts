import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('start.mjs', import.meta.url));

interface KilledOptions {
  /** The application; undefined where there is one only. */
  readonly name: string | undefined;
  /** Of the database, which stays. */
  readonly endpoint: string;
  readonly scale: number;
  readonly say: (line: string) => void;
}

/** The application did not start. */
export class NotStartedError extends Error {
  override readonly name = 'NotStartedError';
}

/** An application in a process of its own, which can be killed as by a loss of power, and is then started again on its port. */
export class KilledApplication {
  readonly #options: KilledOptions;
  /** Of all its processes, so that the cursors of one are valid for the next. */
  readonly #secret: string = randomBytes(32).toString('hex');
  #child: ChildProcess | undefined;
  #url = '';

  private constructor(options: KilledOptions) {
    this.#options = options;
  }

  /** @throws {NotStartedError} */
  static async start(options: KilledOptions): Promise<KilledApplication> {
    const application = new KilledApplication(options);
    application.#url = await application.#begin(0);
    return application;
  }

  get url(): string {
    return this.#url;
  }

  /** Returns when it serves again. @throws {NotStartedError} */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
    await this.#begin(Number(new URL(this.#url).port));
  }

  async close(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** @returns its address */
  async #begin(port: number): Promise<string> {
    const { name, endpoint, scale, say } = this.#options;
    const options = ['--endpoint', endpoint, '--port', String(port), '--scale', String(scale)];
    const child = spawn(process.execPath, [program, ...(name === undefined ? [] : [name]), ...options], {
      env: { ...process.env, CURSOR_SECRET: this.#secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    for await (const line of createInterface({ input: child.stdout })) {
      const [, url] = /^The application is on (\S+);/.exec(line) ?? [];
      if (url !== undefined) return url;
      say(line);
    }
    throw new NotStartedError('The application ended before it served');
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}
