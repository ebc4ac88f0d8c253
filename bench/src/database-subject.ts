import { BenchError } from './bench-error.ts';
import { createRandom } from './random.ts';
import type { Scenario, ScenarioName } from './scenarios.ts';
import { ServerSubject, type ServerSubjectOptions } from './server-subject.ts';
import { createTableRequest, tableName, type WireObject } from './workload.ts';

const activePatienceMs = 30_000;
const activeWaitMs = 20;

interface DatabaseSubjectOptions extends ServerSubjectOptions {
  /** Asked only when the subject starts: a server that is not installed is then a problem of this subject alone. */
  readonly serverArguments: () => Promise<readonly string[]>;
  readonly unsupported?: readonly ScenarioName[];
}

/** A server that speaks the protocol of DynamoDB. */
export class DatabaseSubject extends ServerSubject {
  readonly #serverArguments: () => Promise<readonly string[]>;
  readonly #unsupported: readonly ScenarioName[];

  constructor(options: DatabaseSubjectOptions) {
    super(options);
    this.#serverArguments = options.serverArguments;
    this.#unsupported = options.unsupported ?? [];
  }

  override supports(scenario: ScenarioName): boolean {
    return !this.#unsupported.includes(scenario);
  }

  override async start(): Promise<void> {
    await this.restart(await this.#serverArguments());
    await this.#request('CreateTable', createTableRequest);
    await this.#untilActive();
    await this.generator.call('load', { port: this.port, itemCount: this.itemCount });
  }

  override async prepare(scenario: Scenario): Promise<void> {
    const reply = await this.#request(scenario.action, scenario.request(createRandom(7), this.itemCount));
    const fault = scenario.fault(reply);
    if (fault !== undefined) throw new BenchError('wrong-answer', `${scenario.action}: ${fault}`);
  }

  async #request(action: string, input: WireObject): Promise<WireObject> {
    const { status, body } = await this.generator.call('request', { port: this.port, action, input });
    if (status !== 200) throw new BenchError('wrong-answer', `${action} was answered ${status}: ${body.slice(0, 500)}`);
    return JSON.parse(body) as WireObject;
  }

  async #untilActive(): Promise<void> {
    const deadlineMs = performance.now() + activePatienceMs;
    for (;;) {
      const { Table } = (await this.#request('DescribeTable', { TableName: tableName })) as {
        readonly Table?: { readonly TableStatus?: string };
      };
      if (Table?.TableStatus === 'ACTIVE') return;
      if (performance.now() > deadlineMs) throw new BenchError('wrong-answer', 'The table does not become ACTIVE.');
      await new Promise((resolve) => setTimeout(resolve, activeWaitMs));
    }
  }
}
