import { BenchError } from './bench-error.ts';
import { type RunningServer, type ServerCommand, startServer, type Worker } from './child-processes.ts';
import type { LoadCalls, LoadClient } from './load-process.ts';
import { faultOf, wireCallOf, type WireCall } from './operations.ts';
import type { BenchCase } from './plan.ts';
import { type MemoryUse, memoryUse } from './process-cpu.ts';
import { operationsOf } from './requests.ts';
import type { RunFigures, Timing } from './run-figures.ts';
import type { ScenarioName } from './scenarios.ts';
import type { Credentials } from './signed-headers.ts';
import type { Subject, SubjectId, SubjectInfo } from './subject.ts';
import { createTableRequest, type TableSpec, type WireObject } from './workload.ts';

const activePatienceMs = 30_000;
const activeWaitMs = 20;

export interface ServerSubjectOptions extends Omit<SubjectInfo, 'transport'> {
  readonly generator: Worker<LoadCalls>;
  readonly client: LoadClient;
  /** Evaluated only when the subject starts, so that a server that is not installed is a problem of this subject alone. */
  readonly command: () => Promise<ServerCommand>;
  readonly unsupported?: readonly ScenarioName[];
  /** The credentials that sign its requests; by default the signature is fake. */
  readonly credentials?: () => Credentials;
  /** Whether its tables belong to another subject, which fills them. */
  readonly isFilled?: boolean;
}

/** A server in its own process that speaks the protocol of DynamoDB, driven by the load generator. */
export class ServerSubject implements Subject {
  readonly id: SubjectId;
  readonly title: string;
  readonly transport = 'http';
  readonly peers?: NonNullable<SubjectInfo['peers']>;
  readonly #options: ServerSubjectOptions;
  readonly #filling = new Map<string, Promise<void>>();
  #server: RunningServer | undefined;

  constructor(options: ServerSubjectOptions) {
    this.id = options.id;
    this.title = options.title;
    if (options.peers !== undefined) this.peers = options.peers;
    this.#options = options;
  }

  get port(): number {
    return this.#running().port;
  }

  supports(scenario: ScenarioName): boolean {
    return this.#options.unsupported?.includes(scenario) !== true;
  }

  async start(): Promise<void> {
    this.#server = await startServer(await this.#options.command());
  }

  async fillTable(table: TableSpec): Promise<void> {
    if (this.#options.isFilled === true) return;
    const filling = this.#filling.get(table.name) ?? this.#fillOnce(table);
    this.#filling.set(table.name, filling);
    await filling;
  }

  async #fillOnce(table: TableSpec): Promise<void> {
    await this.createTable(table);
    await this.load(table, { ahead: false });
  }

  /** @returns once the table is ACTIVE. */
  async createTable(table: TableSpec): Promise<void> {
    await this.request({ action: 'CreateTable', input: createTableRequest(table) });
    const deadlineMs = performance.now() + activePatienceMs;
    for (;;) {
      const { Table } = (await this.request({ action: 'DescribeTable', input: { TableName: table.name } })) as {
        readonly Table?: { readonly TableStatus?: string };
      };
      if (Table?.TableStatus === 'ACTIVE') return;
      if (performance.now() > deadlineMs) throw new BenchError('wrong-answer', 'The table does not become ACTIVE.');
      await new Promise((resolve) => setTimeout(resolve, activeWaitMs));
    }
  }

  /** Fills a table by batch writes. @returns seconds. */
  async load(table: TableSpec, { ahead }: { readonly ahead: boolean }): Promise<number> {
    return await this.#options.generator.call('load', { ...this.#target(), table, ahead });
  }

  async prepare({ ring }: BenchCase): Promise<void> {
    const [operation] = operationsOf({ ...ring, countMax: 1 });
    if (operation === undefined) return;
    const call = wireCallOf(operation, ring.table);
    const fault = faultOf(operation, ring.table, await this.request(call));
    if (fault !== undefined) throw new BenchError('wrong-answer', `${call.action}: ${fault}`);
  }

  async run({ ring }: BenchCase, timing: Timing, firstRequest: number): Promise<RunFigures> {
    const { processId } = this.#running();
    return await this.#options.generator.call('run', {
      ...timing,
      ...this.#target(),
      serverProcessId: processId,
      ring,
      firstRequest,
      client: this.#options.client,
    });
  }

  async request(call: WireCall): Promise<WireObject> {
    const { status, body } = await this.#options.generator.call('request', { ...this.#target(), ...call });
    if (status !== 200) {
      throw new BenchError('wrong-answer', `${call.action} was answered ${status}: ${body.slice(0, 500)}`);
    }
    return JSON.parse(body) as WireObject;
  }

  async release(): Promise<void> {
    await this.#options.generator.call('forget', null);
  }

  memory(): MemoryUse | undefined {
    return this.#server === undefined ? undefined : memoryUse(this.#server.processId);
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    this.#server = undefined;
  }

  #target(): { readonly port: number; readonly credentials: Credentials | undefined } {
    return { port: this.port, credentials: this.#options.credentials?.() };
  }

  #running(): RunningServer {
    if (this.#server === undefined) throw new BenchError('usage', `${this.title} is not running.`);
    return this.#server;
  }
}
