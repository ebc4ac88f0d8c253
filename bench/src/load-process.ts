import { BenchError } from './bench-error.ts';
import { HttpConnection } from './http-connection.ts';
import { drive, sendAll } from './load-client.ts';
import { httpRequest, requestsOf } from './requests.ts';
import type { RunFigures, Timing } from './run-figures.ts';
import { type ScenarioName, scenarios } from './scenarios.ts';
import { answerCalls } from './worker-calls.ts';
import { batchWriteItemsMax, loadRequest, type WireObject } from './workload.ts';

/** The load generator: the only process that talks to the servers while something is measured. */
export interface LoadCalls {
  readonly [name: string]: (argument: never) => Promise<unknown>;
  /** Sends one request and gives back the reply. */
  readonly request: (argument: {
    readonly port: number;
    readonly action: string;
    readonly input: WireObject;
  }) => Promise<{ readonly status: number; readonly body: string }>;
  /** Fills the table with batch writes. */
  readonly load: (argument: { readonly port: number; readonly itemCount: number }) => Promise<void>;
  readonly run: (argument: HttpRun) => Promise<RunFigures>;
}

export interface HttpRun extends Timing {
  readonly port: number;
  readonly serverProcessId: number;
  readonly scenario: ScenarioName;
  readonly itemCount: number;
  readonly firstRequest: number;
}

const loadConnections = 16;

let prepared: { readonly name: string; readonly requests: readonly Buffer[] } | undefined;

/** The requests of the scenario that is being measured; those of the one before are let go. */
function preparedRequests(scenario: ScenarioName, itemCount: number): readonly Buffer[] {
  const name = `${scenario} ${itemCount}`;
  if (prepared?.name !== name) {
    const { action } = scenarios[scenario];
    const requests = requestsOf(scenarios[scenario], itemCount, 1).map((input) => httpRequest(action, input));
    prepared = { name, requests };
  }
  return prepared.requests;
}

function* loadRequests(itemCount: number): Generator<Buffer> {
  for (let first = 0; first < itemCount; first += batchWriteItemsMax) {
    yield httpRequest('BatchWriteItem', loadRequest(first, itemCount));
  }
}

const calls: LoadCalls = {
  request: async ({ port, action, input }) => {
    const connection = await HttpConnection.open(port, { keepBodies: true });
    try {
      const { status, body } = await connection.call(httpRequest(action, input));
      return { status, body: body.toString() };
    } finally {
      connection.close();
    }
  },
  load: async ({ port, itemCount }) => {
    await sendAll({
      port,
      connections: loadConnections,
      requests: loadRequests(itemCount),
      onReply: ({ status, body }) => {
        const fault =
          status === 200 ? scenarios.batch.fault(JSON.parse(body.toString()) as WireObject) : body.toString();
        if (fault !== undefined) throw new BenchError('wrong-answer', `Loading failed (${status}): ${fault}`);
      },
    });
  },
  run: async ({ scenario, itemCount, ...run }) =>
    await drive({ ...run, requests: preparedRequests(scenario, itemCount) }),
};

answerCalls(calls);
