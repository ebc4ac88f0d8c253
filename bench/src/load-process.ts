import { BenchError } from './bench-error.ts';
import { HttpConnection } from './http-connection.ts';
import { drive, sendAll } from './load-client.ts';
import { faultOf, type Operation, wireCallOf, type WireCall } from './operations.ts';
import { httpRequest, operationsOf, ringName, type RingSpec } from './requests.ts';
import type { RunFigures, Timing } from './run-figures.ts';
import { scenarios } from './scenarios.ts';
import { answerCalls } from './worker-calls.ts';
import { loadRequests, type TableSpec, type WireObject } from './workload.ts';

/** The load generator: the only process that talks to the servers while something is measured. */
export interface LoadCalls {
  readonly [name: string]: (argument: never) => Promise<unknown>;
  /** Sends one request and gives back the reply. */
  readonly request: (
    argument: WireCall & { readonly port: number },
  ) => Promise<{ readonly status: number; readonly body: string }>;
  /** Fills a table with batch writes. @returns how long that took, in seconds. */
  readonly load: (argument: LoadRun) => Promise<number>;
  readonly run: (argument: HttpRun) => Promise<RunFigures>;
  /** Lets go of the requests that were made for the runs so far. */
  readonly forget: (argument: null) => Promise<void>;
}

interface LoadRun {
  readonly port: number;
  readonly table: TableSpec;
  /** Whether all requests are made before the clock starts: for tables that fit in memory. */
  readonly ahead: boolean;
}

export interface HttpRun extends Timing {
  readonly port: number;
  readonly serverProcessId: number;
  readonly ring: RingSpec;
  readonly firstRequest: number;
  /** Whether what is there answers the same to everything, so that its answers are not looked at. */
  readonly isFloor?: boolean;
}

const loadConnections = 32;

interface Ring {
  readonly operations: readonly Operation[];
  readonly requests: readonly Buffer[];
}

const rings = new Map<string, Ring>();

function ringOf(spec: RingSpec): Ring {
  const known = rings.get(ringName(spec));
  if (known !== undefined) return known;
  const operations = operationsOf(spec);
  const requests = operations.map((operation) => httpRequest(wireCallOf(operation, spec.table)));
  const ring = { operations, requests };
  rings.set(ringName(spec), ring);
  return ring;
}

function* loadBuffers(table: TableSpec): Generator<Buffer> {
  for (const input of loadRequests(table)) yield httpRequest({ action: 'BatchWriteItem', input });
}

const anyBatch: Operation = { kind: 'batch-write', items: [], version: 1 };

const calls: LoadCalls = {
  request: async ({ port, ...call }) => {
    const connection = await HttpConnection.open(port, { keepBodies: true });
    try {
      const { status, body } = await connection.call(httpRequest(call));
      return { status, body: body.toString() };
    } finally {
      connection.close();
    }
  },
  load: async ({ port, table, ahead }) => {
    const requests = ahead ? [...loadBuffers(table)] : loadBuffers(table);
    const startMs = performance.now();
    await sendAll({
      port,
      connections: loadConnections,
      requests,
      onReply: ({ status, body }) => {
        const fault =
          status === 200 ? faultOf(anyBatch, table, JSON.parse(body.toString()) as WireObject) : body.toString();
        if (fault !== undefined) throw new BenchError('wrong-answer', `Loading failed (${status}): ${fault}`);
      },
    });
    return (performance.now() - startMs) / 1000;
  },
  run: async ({ ring: spec, isFloor, ...run }) => {
    const { operations, requests } = ringOf(spec);
    return await drive({
      ...run,
      requests,
      restEvery: scenarios[spec.scenario].restEvery,
      fault: (index, body) => {
        const operation = operations[index];
        return operation === undefined || isFloor === true
          ? undefined
          : faultOf(operation, spec.table, JSON.parse(body.toString()) as WireObject);
      },
    });
  },
  forget: async () => rings.clear(),
};

answerCalls(calls);
