import { BenchError } from './bench-error.ts';
import { Worker } from './child-processes.ts';
import type { InProcessCalls, Prepared, TargetSpec } from './in-process.ts';
import type { CallMode } from './in-process-target.ts';
import type { BenchCase } from './plan.ts';
import { type MemoryUse, memoryUse } from './process-cpu.ts';
import type { RunFigures, Timing } from './run-figures.ts';
import type { Subject, SubjectId, SubjectInfo, Transport } from './subject.ts';
import type { TableSpec } from './workload.ts';

/** A worker process with one open target. Several subjects may use it; the first that starts opens it. */
export class InProcessHost {
  readonly #spec: TargetSpec;
  readonly #onProgress: (text: string) => void;
  readonly #filled = new Map<string, Promise<number>>();
  #worker: Worker<InProcessCalls> | undefined;
  #opening: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(spec: TargetSpec, onProgress: (text: string) => void) {
    this.#spec = spec;
    this.#onProgress = onProgress;
  }

  get worker(): Worker<InProcessCalls> {
    return (this.#worker ??= new Worker<InProcessCalls>('./in-process.ts', this.#onProgress));
  }

  async open(): Promise<void> {
    await (this.#opening ??= this.worker.call('open', this.#spec));
  }

  /** @returns how long it took, in seconds. */
  async fillTable(table: TableSpec): Promise<number> {
    const filling = this.#filled.get(table.name) ?? this.worker.call('load', table);
    this.#filled.set(table.name, filling);
    return await filling;
  }

  /** Releases the requests that were made for the runs so far. */
  async forget(): Promise<void> {
    if (this.#worker !== undefined && this.#stopping === undefined) await this.#worker.call('forget', null);
  }

  /** Ends the worker. Every subject on it may call this; only the first call has an effect. */
  async stop(): Promise<void> {
    await (this.#stopping ??= this.#stopOnce());
  }

  async #stopOnce(): Promise<void> {
    if (this.#worker === undefined) return;
    const opened = await this.#opening?.then(
      () => true,
      () => false,
    );
    if (opened === true) await this.#worker.call('close', null);
    await this.#worker.stop();
  }
}

interface InProcessSubjectOptions extends SubjectInfo {
  readonly host: InProcessHost;
  /** Called for each run, because the port of a server is known only then. */
  readonly mode: (benchCase: BenchCase) => CallMode;
  /** Prepares the system that the mode calls. */
  readonly before?: (benchCase: BenchCase) => Promise<void>;
  /** The target to fill: by default the host's own. */
  readonly fillTable?: (table: TableSpec) => Promise<void>;
}

/** Calls made inside the worker's own process. */
export class InProcessSubject implements Subject {
  readonly id: SubjectId;
  readonly title: string;
  readonly transport: Transport;
  readonly peers?: NonNullable<SubjectInfo['peers']>;
  readonly #options: InProcessSubjectOptions;

  constructor(options: InProcessSubjectOptions) {
    this.id = options.id;
    this.title = options.title;
    this.transport = options.transport;
    if (options.peers !== undefined) this.peers = options.peers;
    this.#options = options;
  }

  supports(): boolean {
    return true;
  }

  async start(): Promise<void> {
    await this.#options.host.open();
  }

  async fillTable(table: TableSpec): Promise<void> {
    if (this.#options.fillTable === undefined) await this.#options.host.fillTable(table);
    else await this.#options.fillTable(table);
  }

  async prepare(benchCase: BenchCase): Promise<void> {
    await this.#options.before?.(benchCase);
    const fault = await this.#options.host.worker.call('check', this.#prepared(benchCase));
    if (fault !== null) throw new BenchError('wrong-answer', `${benchCase.ring.scenario}: ${fault}`);
  }

  async run(benchCase: BenchCase, timing: Timing, firstRequest: number): Promise<RunFigures> {
    return await this.#options.host.worker.call('run', { ...this.#prepared(benchCase), ...timing, firstRequest });
  }

  async release(): Promise<void> {
    await this.#options.host.forget();
  }

  memory(): MemoryUse | undefined {
    return memoryUse(this.#options.host.worker.processId);
  }

  async stop(): Promise<void> {
    await this.#options.host.stop();
  }

  #prepared(benchCase: BenchCase): Prepared {
    return { ring: benchCase.ring, mode: this.#options.mode(benchCase) };
  }
}
