import { BenchError } from './bench-error.ts';
import { Worker } from './child-processes.ts';
import type { InProcessCalls, TargetSpec } from './in-process.ts';
import type { CallMode } from './in-process-target.ts';
import { residentBytes } from './process-cpu.ts';
import type { RunFigures, Timing } from './run-figures.ts';
import type { Scenario, ScenarioName } from './scenarios.ts';
import type { Subject, SubjectId, SubjectInfo, Transport } from './subject.ts';

/** A worker process with one open target. Several subjects may use it; the first that starts opens and fills it. */
export class InProcessHost {
  readonly worker: Worker<InProcessCalls>;
  readonly #spec: TargetSpec;
  readonly #itemCount: number;
  #opening: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(spec: TargetSpec, itemCount: number, onProgress: (text: string) => void) {
    this.worker = new Worker<InProcessCalls>('./in-process.ts', onProgress);
    this.#spec = spec;
    this.#itemCount = itemCount;
  }

  async open(): Promise<void> {
    this.#opening ??= (async () => {
      await this.worker.call('open', this.#spec);
      if (this.#spec.kind !== 'sdk') await this.worker.call('load', { itemCount: this.#itemCount });
    })();
    await this.#opening;
  }

  /** Ends the worker. Every subject on it may ask; it is done once. */
  async stop(): Promise<void> {
    await (this.#stopping ??= this.#stopOnce());
  }

  async #stopOnce(): Promise<void> {
    const opened = await this.#opening?.then(
      () => true,
      () => false,
    );
    if (opened === true) await this.worker.call('close', null);
    await this.worker.stop();
  }
}

interface InProcessSubjectOptions extends SubjectInfo {
  readonly host: InProcessHost;
  readonly itemCount: number;
  /** Asked for each run: the port of a server is known only then. */
  readonly mode: () => CallMode;
  readonly only?: ScenarioName;
}

/** Calls made inside the worker's own process. */
export class InProcessSubject implements Subject {
  readonly id: SubjectId;
  readonly title: string;
  readonly transport: Transport;
  readonly #options: InProcessSubjectOptions;

  constructor(options: InProcessSubjectOptions) {
    this.id = options.id;
    this.title = options.title;
    this.transport = options.transport;
    this.#options = options;
  }

  supports(scenario: ScenarioName): boolean {
    return this.#options.only === undefined || this.#options.only === scenario;
  }

  async start(): Promise<void> {
    await this.#options.host.open();
  }

  async prepare(scenario: Scenario): Promise<void> {
    const fault = await this.#options.host.worker.call('check', this.#prepared(scenario));
    if (fault !== null) throw new BenchError('wrong-answer', `${scenario.action}: ${fault}`);
  }

  async run(scenario: Scenario, timing: Timing, firstRequest: number): Promise<RunFigures> {
    return await this.#options.host.worker.call('run', { ...this.#prepared(scenario), ...timing, firstRequest });
  }

  memoryBytes(): number | undefined {
    return residentBytes(this.#options.host.worker.processId);
  }

  async stop(): Promise<void> {
    await this.#options.host.stop();
  }

  #prepared(scenario: Scenario) {
    return { scenario: scenario.name, mode: this.#options.mode(), itemCount: this.#options.itemCount };
  }
}
