import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../bin/singlet.js', import.meta.url));
const built = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The program `singlet` as installed, in its own process. Needs `npm run build`. */
export class SingletProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  #stdout = '';
  #stderr = '';
  #hasEnded = false;
  #watchers: (() => void)[] = [];
  /** Resolves when the process has ended and all its output has been read. */
  readonly ended: Promise<ProcessEnd>;

  /** @param options.input - its standard input; empty by default. */
  constructor(
    args: readonly string[],
    { input, ...options }: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {},
  ) {
    if (!existsSync(built)) throw new Error(`${built} is missing: npm run build makes it`);
    this.#child = spawn(process.execPath, [program, ...args], { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stdin.on('error', () => undefined).end(input); // a program that exits immediately does not read it
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
      this.#look();
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
      this.#look();
    });
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (code, signal) => {
        this.#hasEnded = true;
        resolve({ code, signal });
        this.#look();
      });
    });
  }

  /** Everything written so far. */
  get stdout(): string {
    return this.#stdout;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** @returns the URL that the server announces. */
  async ready(): Promise<string> {
    await this.until(() => this.#stdout.includes('\n'));
    const [, url] = /^singlet ready on (\S+)\n/.exec(this.#stdout) ?? [];
    if (url === undefined) throw new Error(`not announced as ready: ${this.#stdout}`);
    return url;
  }

  /** Resolves when the output satisfies `condition`. Rejects if the process ends first. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.#hasEnded) throw new Error(`ended too soon, with: ${this.#stdout}${this.#stderr}`);
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }

  /** Stops reading the logs. */
  closeStderr(): void {
    this.#child.stderr.destroy();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends a signal and waits for the process to end. */
  async end(signal: NodeJS.Signals): Promise<ProcessEnd> {
    this.signal(signal);
    return this.ended;
  }

  #look(): void {
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const watcher of watchers) watcher();
  }
}
