import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from './bundled-program.ts';
import type { OtherProcess, ProcessCommand } from './store-process-protocol.ts';

/** Which store the other process opens. */
export interface StoreProcessOptions {
  /** URL of a driver's module. */
  readonly module: string;
  /** Name of the function in it that opens a store. */
  readonly open: string;
  /** The argument of that function, sent as JSON. */
  readonly options: unknown;
  /** Shell command to run first in the store's process, such as one that lowers a limit. */
  readonly shell?: string;
}

/** How a process ended, and what it wrote to its standard error. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly errors: string;
}

/** A store in another process of this machine. */
export class StoreProcess implements OtherProcess {
  readonly #child: ChildProcess;
  readonly #answers = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  readonly #exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  #nextId = 1;
  #output = '';
  #errors = '';

  constructor({ module, open, options, shell }: StoreProcessOptions) {
    const program = bundledProgram(`
      import { ${open} } from ${JSON.stringify(fileURLToPath(module))};
      import { serve } from ${JSON.stringify(fileURLToPath(new URL('./store-process.ts', import.meta.url)))};
      await serve(${open});`);
    this.#child = fork(program, [JSON.stringify(options)], {
      ...launcher(shell),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.#output += chunk.toString()));
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.#errors += chunk.toString()));
    this.#child.on('message', (message: { id: number; result?: unknown; error?: string }) => this.#settle(message));
    this.#exited = once(this.#child, 'close').then(([code, signal]) => {
      for (const { reject } of this.#answers.values()) reject(new TypeError(`the process ended: ${this.#errors}`));
      this.#answers.clear();
      return { code: code as number | null, signal: signal as string | null };
    });
  }

  /** Resolves once the store is open. */
  async ready(): Promise<void> {
    await this.#answer(0);
  }

  /** Sends a command to the other process. @returns its answer. */
  async call(command: ProcessCommand): Promise<unknown> {
    const id = this.#nextId;
    this.#nextId += 1;
    const answer = this.#answer(id);
    this.#child.send({ id, command });
    return answer;
  }

  /** Like `call`, for a command that never ends by itself. */
  start(command: ProcessCommand): void {
    this.#child.send({ id: -1, command });
  }

  /** Resolves once the process has written to its standard output. */
  async output(): Promise<void> {
    if (this.#output === '' && this.#child.stdout !== null) await once(this.#child.stdout, 'data');
  }

  /** How many characters the process has written to its standard output. */
  get reported(): number {
    return this.#output.length;
  }

  /** What the process has written to its standard output until now. */
  get outputSoFar(): string {
    return this.#output;
  }

  /** Kills the process without warning. @returns all of its standard output. */
  async kill(): Promise<string> {
    this.#child.kill('SIGKILL');
    await this.#exited;
    return this.#output;
  }

  /** Closes the store and waits for the process to end by itself. */
  async close(): Promise<ProcessEnd> {
    this.#child.send({ id: -1, command: { do: 'close' } satisfies ProcessCommand });
    return this.ended();
  }

  /** Waits for the process to end. */
  async ended(): Promise<ProcessEnd> {
    return { ...(await this.#exited), errors: this.#errors };
  }

  async #answer(id: number): Promise<unknown> {
    return new Promise((resolve, reject) => this.#answers.set(id, { resolve, reject }));
  }

  #settle({ id, result, error }: { id: number; result?: unknown; error?: string }): void {
    const waiting = this.#answers.get(id);
    this.#answers.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new TypeError(error));
  }
}

function launcher(shell: string | undefined): { execPath?: string; execArgv: string[] } {
  if (shell === undefined) return { execArgv: [] };
  return { execPath: '/bin/sh', execArgv: ['-c', `${shell}; exec "$0" "$@"`, process.execPath] };
}
