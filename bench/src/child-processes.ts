import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { BenchError } from './bench-error.ts';
import type { Calls, ReplyMessage } from './worker-calls.ts';

const stopPatienceMs = 10_000;
const startPatienceMs = 30_000;
const running = new Set<ChildProcess>();

/** Kills the processes that still run, immediately: used after an error or an interrupt. */
export function killChildren(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** A worker process that answers the calls of type `T`. */
export class Worker<T extends Calls> {
  readonly processId: number;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: BenchError) => void }>();
  #lastId = 0;

  /**
   * @param file - in this directory, ends in `.ts`.
   * @param onProgress - receives the worker's messages during long calls.
   */
  constructor(file: string, onProgress: (text: string) => void = () => undefined) {
    // A larger young generation keeps the garbage collector of the measuring side out of the measurement.
    const execArgv = [...process.execArgv, '--max-semi-space-size=64'];
    const child = fork(fileURLToPath(new URL(file, import.meta.url)), { execArgv, stdio: ['ignore', 2, 2, 'ipc'] });
    this.#child = remember(child);
    this.processId = processIdOf(child);
    child.on('message', (message) => this.#receive(message as ReplyMessage, onProgress));
    child.on('error', (error) => this.#fail(`The worker ${file} cannot be reached: ${error.message}`));
    child.on('exit', (code, signal) => this.#fail(`The worker ${file} ended (${endText(code, signal)}).`));
  }

  async call<K extends keyof T & string>(name: K, argument: Parameters<T[K]>[0]): Promise<Awaited<ReturnType<T[K]>>> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
      throw new BenchError('process', 'The worker has ended.');
    }
    const id = ++this.#lastId;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#child.send({ id, name, argument });
    // The worker's file declares its calls with the same type, and answers each with that call's result.
    return (await answer) as Awaited<ReturnType<T[K]>>;
  }

  async stop(): Promise<void> {
    await endOf(this.#child, () => this.#child.disconnect());
  }

  #fail(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(new BenchError('process', reason));
    this.#waiting.clear();
  }

  #receive(message: ReplyMessage, onProgress: (text: string) => void): void {
    if ('progress' in message) return onProgress(message.progress);
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ('error' in message) waiting?.reject(new BenchError('process', message.error));
    else waiting?.resolve(message.result);
  }
}

/** A server in its own process. */
export interface RunningServer {
  readonly processId: number;
  readonly port: number;
  stop(): Promise<void>;
}

/** A program and its arguments. */
export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * Starts a program and waits for a line that names the port (`...:PORT`), on either output.
 *
 * @throws {BenchError} `process` when it exits, or prints nothing for 30 s.
 */
export async function startServer({ program, args }: ServerCommand): Promise<RunningServer> {
  const command = [program === process.execPath ? 'node' : program, ...args].join(' ');
  let stopping = false;
  const child = remember(spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] }));
  let outputText = '';
  let errorText = '';
  const port = await new Promise<number>((resolve, reject) => {
    const fail = (reason: string): void => {
      child.kill('SIGKILL');
      reject(new BenchError('process', `${command}: ${reason} ${errorText.trim()}`.trim()));
    };
    const timer = setTimeout(() => fail('said nothing of a port within 30 s.'), startPatienceMs);
    const read = (text: string): void => {
      const found = /http:\S*:(\d+)\/?\s*\n/.exec(text)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(Number(found));
    };
    // Only the end of the output is kept. Standard error is shown if the server does not start.
    child.stdout.on('data', (chunk: Buffer) => read((outputText = (outputText + chunk.toString()).slice(-2000))));
    child.stderr.on('data', (chunk: Buffer) => read((errorText = (errorText + chunk.toString()).slice(-2000))));
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      fail(`ended (${endText(code, signal)}).`);
    });
  });
  child.once('exit', (code, signal) => {
    // The clients only see a broken connection. This message says why the server exited.
    if (!stopping) process.stderr.write(`\n${command} ended (${endText(code, signal)}): ${errorText.trim()}\n`);
  });
  return {
    port,
    processId: processIdOf(child),
    stop: async () => {
      stopping = true;
      await endOf(child, () => void child.kill('SIGTERM'));
    },
  };
}

function endText(code: number | null, signal: string | null): string {
  return signal ?? `exit ${String(code)}`;
}

function remember<T extends ChildProcess>(child: T): T {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

function processIdOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new BenchError('process', 'A process could not be started.');
  return child.pid;
}

async function endOf(child: ChildProcess, ask: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopPatienceMs);
  ask();
  await ended;
  clearTimeout(timer);
}
