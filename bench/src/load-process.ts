import { BenchError } from './bench-error.ts';
import { HttpConnection } from './http-connection.ts';
import { drive, sendAll } from './load-client.ts';
import { faultOf, type Operation, wireCallOf, type WireCall } from './operations.ts';
import { httpRequest, operationsOf, ringName, type RingSpec } from './requests.ts';
import type { RunFigures, Timing } from './run-figures.ts';
import type { Credentials } from './signed-headers.ts';
import { scenarios } from './scenarios.ts';
import { answerCalls } from './worker-calls.ts';
import { loadRequests, type TableSpec, type WireObject } from './workload.ts';
import { canWrkMeasure, driveWithWrk, WrkRing } from './wrk.ts';

/** The load generator: the only process that talks to the servers during a measurement. */
export interface LoadCalls {
  readonly [name: string]: (argument: never) => Promise<unknown>;
  /** Sends one request and returns the reply. */
  readonly request: (argument: WireCall & Target) => Promise<{ readonly status: number; readonly body: string }>;
  /** Fills a table with batch writes. @returns how long that took, in seconds. */
  readonly load: (argument: LoadRun) => Promise<number>;
  readonly run: (argument: HttpRun) => Promise<RunFigures>;
  /** Releases the requests that were made for the runs so far. */
  readonly forget: (argument: null) => Promise<void>;
}

/** Where requests are sent, and the credentials that sign them if that server checks signatures. */
interface Target {
  readonly port: number;
  readonly credentials?: Credentials | undefined;
}

interface LoadRun extends Target {
  readonly table: TableSpec;
  /** Whether all requests are made before the clock starts, for tables that fit in memory. */
  readonly ahead: boolean;
}

/** The program that generates the load: wrk, in C, or this process. */
export type LoadClient = 'wrk' | 'node';

export interface HttpRun extends Timing, Target {
  readonly serverProcessId: number;
  readonly ring: RingSpec;
  readonly firstRequest: number;
  /** This process runs what wrk cannot (fractions of a second, runs that end at a given position of the ring). */
  readonly client: LoadClient;
  /** Whether the server answers every request the same way, so that its answers are not checked. */
  readonly isFloor?: boolean;
}

const loadConnections = 32;

interface Ring {
  readonly operations: readonly Operation[];
  readonly requests: readonly Buffer[];
  /** Created by the first run with wrk. */
  wrk?: WrkRing;
}

const rings = new Map<string, Ring>();

function ringOf(spec: RingSpec, credentials: Credentials | undefined): Ring {
  const name = `${ringName(spec)} ${credentials?.accessKeyId ?? ''}`;
  const known = rings.get(name);
  if (known !== undefined) return known;
  const operations = operationsOf(spec);
  const requests = operations.map((operation) => httpRequest(wireCallOf(operation, spec.table), credentials));
  const ring: Ring = { operations, requests };
  rings.set(name, ring);
  return ring;
}

function* loadBuffers({ table, credentials }: LoadRun): Generator<Buffer> {
  for (const input of loadRequests(table)) yield httpRequest({ action: 'BatchWriteItem', input }, credentials);
}

const anyBatch: Operation = { kind: 'batch-write', items: [], version: 1 };

const calls: LoadCalls = {
  request: async ({ port, credentials, ...call }) => {
    const connection = await HttpConnection.open(port, { keepBodies: true });
    try {
      const { status, body } = await connection.call(httpRequest(call, credentials));
      return { status, body: body.toString() };
    } finally {
      connection.close();
    }
  },
  load: async (load) => {
    const { port, table, ahead } = load;
    const requests = ahead ? [...loadBuffers(load)] : loadBuffers(load);
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
  run: async ({ ring: spec, isFloor, client, credentials, ...run }) => {
    const ring = ringOf(spec, credentials);
    const { operations, requests } = ring;
    const { restEvery } = scenarios[spec.scenario];
    const byThisProcess = async (timing: Pick<Timing, 'warmUpMs' | 'durationMs'>): Promise<RunFigures> =>
      await drive({
        ...run,
        ...timing,
        requests,
        restEvery,
        fault: (index, body) => {
          const operation = operations[index];
          return operation === undefined || isFloor === true
            ? undefined
            : faultOf(operation, spec.table, JSON.parse(body.toString()) as WireObject);
        },
      });
    if (client === 'node' || restEvery > 1 || !canWrkMeasure(run.durationMs)) return await byThisProcess(run);
    // wrk keeps no answers, so the answers of the warm-up are checked.
    const warmUp = await byThisProcess({ warmUpMs: 0, durationMs: run.warmUpMs });
    ring.wrk ??= new WrkRing(requests);
    const figures = await driveWithWrk({ ...run, ring: ring.wrk, firstRequest: run.firstRequest + warmUp.requests });
    const firstError = warmUp.firstError ?? figures.firstError;
    return {
      ...figures,
      errors: figures.errors + warmUp.errors,
      ...(firstError === undefined ? {} : { firstError }),
    };
  },
  forget: async () => {
    for (const { wrk } of rings.values()) wrk?.remove();
    rings.clear();
  },
};

process.on('exit', () => {
  for (const { wrk } of rings.values()) wrk?.remove();
});
answerCalls(calls);
