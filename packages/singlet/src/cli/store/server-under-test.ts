import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { UsageError } from '../usage-error.ts';

interface ServerOptions {
  /** The flags of `singlet serve` that specify where the data is. */
  readonly place: readonly string[];
  readonly workerCount: number;
}

/** A server in separate processes, which can be killed and is restarted at the same address. */
export class ServerUnderTest {
  readonly #place: readonly string[];
  readonly #workerCount: number;
  #primary: ChildProcess | undefined;
  readonly #workers = new Set<number>();
  #url = '';
  #lastLines: readonly string[] = [];

  private constructor(options: ServerOptions) {
    this.#place = options.place;
    this.#workerCount = options.workerCount;
  }

  /** @throws {UsageError} if the server does not start. */
  static async start(options: ServerOptions): Promise<ServerUnderTest> {
    const server = new ServerUnderTest(options);
    await server.#start('0');
    return server;
  }

  get url(): string {
    return this.#url;
  }

  /**
   * Kills one process with SIGKILL: a worker, or the whole server if it has only one process. It is replaced.
   *
   * @param choice - from 0 (inclusive) to 1 (exclusive): which worker.
   * @returns what was killed.
   */
  async kill(choice: number): Promise<string> {
    const workers = [...this.#workers];
    const worker = workers[Math.floor(choice * workers.length)];
    if (worker !== undefined) {
      this.#workers.delete(worker);
      process.kill(worker, 'SIGKILL');
      return `worker ${worker}`;
    }
    const pid = this.#primary?.pid;
    await this.stop('SIGKILL');
    await this.#start(new URL(this.#url).port);
    return `server ${pid}`;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const primary = this.#primary;
    if (primary === undefined || primary.exitCode !== null || primary.signalCode !== null) return;
    const exit = once(primary, 'exit');
    primary.kill(signal);
    await exit;
  }

  async #start(port: string): Promise<void> {
    this.#workers.clear();
    // The running program, so that the server is the same build.
    const program = process.argv[1] ?? '';
    const args = ['serve', ...this.#place, '--port', port, '--workers', `${this.#workerCount}`, '--log-format', 'json'];
    const primary = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#primary = primary;
    const log = createInterface({ input: primary.stderr });
    log.on('line', (line) => this.#read(line));
    const output = createInterface({ input: primary.stdout });
    const [announced] = (await Promise.race([once(output, 'line'), once(primary, 'close')])) as readonly unknown[];
    const [, url] = /^singlet ready on (\S+)$/.exec(String(announced)) ?? [];
    if (url === undefined) throw new UsageError(`The server did not start: ${this.#lastLines.join(' ')}`);
    this.#url = url;
  }

  #read(line: string): void {
    this.#lastLines = [...this.#lastLines.slice(-4), line];
    const { event, pid } = eventIn(line);
    if (pid === undefined) return;
    if (event === 'worker-listening') this.#workers.add(pid);
    if (event === 'worker-lost') this.#workers.delete(pid);
  }
}

function eventIn(line: string): { readonly event?: string; readonly pid?: number } {
  try {
    return line.startsWith('{') ? (JSON.parse(line) as { readonly event?: string; readonly pid?: number }) : {};
  } catch {
    // A partial line from a killed process.
    return {};
  }
}
