import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from './bench-error.ts';
import { type RunningServer, startServer, type Worker } from './child-processes.ts';
import type { LoadCalls, LoadClient } from './load-process.ts';
import { replyOf } from './operations.ts';
import type { BenchCase } from './plan.ts';
import { type MemoryUse, memoryUse } from './process-cpu.ts';
import { operationsOf } from './requests.ts';
import type { RunFigures, Timing } from './run-figures.ts';
import { httpFloorCommand } from './servers.ts';
import type { Subject } from './subject.ts';

interface Body {
  readonly file: string;
  readonly byteCount: number;
}

/** The floor of a request: one bare server for each reply length in the cases. */
export class HttpFloorSubject implements Subject {
  readonly id = 'http-floor';
  readonly title = 'bare node:http, fixed body';
  readonly transport = 'http';
  readonly #generator: Worker<LoadCalls>;
  readonly #client: LoadClient;
  readonly #directory: string;
  readonly #servers = new Map<number, RunningServer>();
  readonly #bodies = new Map<string, Body>();

  constructor(options: {
    readonly generator: Worker<LoadCalls>;
    readonly client: LoadClient;
    readonly directory: string;
  }) {
    this.#generator = options.generator;
    this.#client = options.client;
    this.#directory = options.directory;
  }

  supports(): boolean {
    return true;
  }

  async start(): Promise<void> {
    await Promise.resolve();
  }

  async fillTable(): Promise<void> {
    await Promise.resolve();
  }

  /** The port of the server that answers with a case's reply. Only after `prepare`. */
  portOf(benchCase: BenchCase): number {
    return this.#serverOf(benchCase).port;
  }

  async prepare(benchCase: BenchCase): Promise<void> {
    const { file, byteCount } = this.#body(benchCase);
    if (!this.#servers.has(byteCount)) this.#servers.set(byteCount, await startServer(httpFloorCommand(file)));
  }

  async run(benchCase: BenchCase, timing: Timing, firstRequest: number): Promise<RunFigures> {
    const { port, processId } = this.#serverOf(benchCase);
    return await this.#generator.call('run', {
      ...timing,
      port,
      serverProcessId: processId,
      ring: benchCase.ring,
      firstRequest,
      client: this.#client,
      isFloor: true,
    });
  }

  async release(): Promise<void> {
    await this.stop();
  }

  memory(): MemoryUse | undefined {
    const [server] = this.#servers.values();
    return server === undefined ? undefined : memoryUse(server.processId);
  }

  async stop(): Promise<void> {
    for (const server of this.#servers.values()) await server.stop();
    this.#servers.clear();
  }

  /** A reply to the first operation of the case. The others have the same length or, in a mixture, are of another kind. */
  #body({ id, ring }: BenchCase): Body {
    const known = this.#bodies.get(id);
    if (known !== undefined) return known;
    const operations = operationsOf({ ...ring, countMax: 100 });
    const replies = operations.map((operation) => JSON.stringify(replyOf(operation, ring.table)));
    // If there are several kinds, the most frequent one.
    const reply = replies.toSorted((a, b) => a.length - b.length)[Math.floor(replies.length / 2)] ?? '{}';
    const file = join(this.#directory, `reply-${this.#bodies.size}.json`);
    writeFileSync(file, reply);
    const body = { file, byteCount: Buffer.byteLength(reply) };
    this.#bodies.set(id, body);
    return body;
  }

  #serverOf(benchCase: BenchCase): RunningServer {
    const server = this.#servers.get(this.#body(benchCase).byteCount);
    if (server === undefined) throw new BenchError('usage', `${this.title} is not running for ${benchCase.id}.`);
    return server;
  }
}
