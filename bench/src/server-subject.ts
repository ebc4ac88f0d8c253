import { BenchError } from './bench-error.ts';
import { type RunningServer, startServer, type Worker } from './child-processes.ts';
import type { LoadCalls } from './load-process.ts';
import { residentBytes } from './process-cpu.ts';
import type { RunFigures, Timing } from './run-figures.ts';
import type { Scenario, ScenarioName } from './scenarios.ts';
import type { Subject, SubjectId, SubjectInfo } from './subject.ts';

export interface ServerSubjectOptions extends Omit<SubjectInfo, 'transport'> {
  readonly generator: Worker<LoadCalls>;
  readonly itemCount: number;
}

/** A server in a process of its own, driven over HTTP by the load generator. */
export abstract class ServerSubject implements Subject {
  readonly id: SubjectId;
  readonly title: string;
  readonly transport = 'http';
  readonly peer?: SubjectId;
  protected readonly generator: Worker<LoadCalls>;
  protected readonly itemCount: number;
  #server: RunningServer | undefined;

  constructor(options: ServerSubjectOptions) {
    this.id = options.id;
    this.title = options.title;
    if (options.peer !== undefined) this.peer = options.peer;
    this.generator = options.generator;
    this.itemCount = options.itemCount;
  }

  abstract start(): Promise<void>;
  abstract prepare(scenario: Scenario): Promise<void>;
  abstract supports(scenario: ScenarioName): boolean;

  get port(): number {
    return this.#running().port;
  }

  async run(scenario: Scenario, timing: Timing, firstRequest: number): Promise<RunFigures> {
    const { port, processId } = this.#running();
    return await this.generator.call('run', {
      ...timing,
      port,
      serverProcessId: processId,
      scenario: scenario.name,
      itemCount: this.itemCount,
      firstRequest,
    });
  }

  memoryBytes(): number | undefined {
    return this.#server === undefined ? undefined : residentBytes(this.#server.processId);
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    this.#server = undefined;
  }

  /** Ends the server that runs, if any, and starts another. */
  protected async restart(nodeArguments: readonly string[]): Promise<void> {
    await this.stop();
    this.#server = await startServer(nodeArguments);
  }

  #running(): RunningServer {
    if (this.#server === undefined) throw new BenchError('usage', `${this.title} is not running.`);
    return this.#server;
  }
}
