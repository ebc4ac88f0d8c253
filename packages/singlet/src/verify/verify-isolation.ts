/**
 * Lets concurrent clients use a table, records what they did and saw, and checks the record: single items must be linearisable, and all
 * operations together strictly serialisable, as Singlet promises for strongly consistent reads, writes and transactions.
 */
import { SeededRandom } from '../randomness/seeded-random.ts';
import type { Call } from './call.ts';
import {
  type Anomaly,
  HistoryRecorder,
  type ListOperation,
  type Operation,
  type RegisterOperation,
} from './history.ts';
import { checkRegisters } from './linearisability.ts';
import { ListWorkload, type Workload } from './list-workload.ts';
import { RegisterWorkload } from './register-workload.ts';
import { findListAnomalies } from './serialisability.ts';

export interface IsolationOptions {
  /** Sends one request, without retries. */
  readonly call: Call;
  /** A table that must not exist. It is removed at the end. */
  readonly tableName: string;
  /** How many clients act at the same time. */
  readonly clientCount: number;
  readonly seed: number;
  /** Called before each operation: whether the clients should stop. */
  readonly isOver: () => boolean;
  /** Waits before a request that reached no server is sent again. */
  readonly pause: () => Promise<void>;
  /** Called after each operation with the number of operations done. */
  readonly onProgress?: (operationCount: number) => void;
}

export interface IsolationReport {
  readonly listOperations: OutcomeCounts;
  readonly registerOperations: OutcomeCounts;
  /** Empty if nothing violates the promise. */
  readonly anomalies: readonly Anomaly[];
  /** Items whose history was too large to decide. */
  readonly undecidedKeys: readonly string[];
}

export interface OutcomeCounts {
  readonly ok: number;
  readonly failed: number;
  readonly unknown: number;
}

/** Attempts for a request that the check needs at its beginning or end. */
const attemptsMax = 600;

/** @throws {IsolationCheckError} if the table cannot be created, or the final reads get no answer. */
export async function verifyIsolation(options: IsolationOptions): Promise<IsolationReport> {
  const { tableName, clientCount, isOver, pause } = options;
  const patient = patientCall(options);
  await patient('CreateTable', tableDefinition(tableName));
  const lists = new HistoryRecorder<ListOperation>();
  const registers = new HistoryRecorder<RegisterOperation>();
  const parts = { tableName, random: new SeededRandom(options.seed) };
  let isFinishing = false;
  // The final reads are part of the history, and have to succeed.
  const call: Call = (action, input) => (isFinishing ? patient(action, input) : options.call(action, input));
  const workloads: readonly [Workload, Workload] = [
    new ListWorkload({ ...parts, call, history: lists }),
    new RegisterWorkload({ ...parts, call, history: registers }),
  ];
  const act = async (client: number): Promise<void> => {
    while (!isOver()) {
      const isAnswered = await workloads[parts.random.chance(0.6) ? 0 : 1].step(client);
      options.onProgress?.(lists.operations.length + registers.operations.length);
      if (!isAnswered) await pause();
    }
  };
  await Promise.all(Array.from({ length: clientCount }, (_, client) => act(client + 1)));
  isFinishing = true;
  const hasSucceeded = [...lists.operations, ...registers.operations].some(({ outcome }) => outcome === 'ok');
  if (hasSucceeded) for (const workload of workloads) await workload.finish();
  await patient('DeleteTable', { TableName: tableName });
  const { anomalies, undecidedKeys } = checkRegisters(registers.operations);
  return {
    listOperations: countsOf(lists.operations),
    registerOperations: countsOf(registers.operations),
    anomalies: [...findListAnomalies(lists.operations), ...anomalies],
    undecidedKeys,
  };
}

/** The check itself could not be performed. */
export class IsolationCheckError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'IsolationCheckError';
  }
}

/** Sends a request until it is answered. Only for requests that may take effect twice. */
function patientCall({ call, pause }: IsolationOptions): Call {
  return async (action, input) => {
    let problem = '';
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const answer = await call(action, input);
      if (answer.kind === 'ok') return answer;
      const isRepeated =
        attempt > 0 && answer.kind === 'refused' && /^Resource(InUse|NotFound)Exception$/.test(answer.error);
      if (isRepeated) return { kind: 'ok', body: {} };
      problem = answer.kind === 'refused' ? `${answer.error}: ${String(answer.body['message'])}` : answer.cause;
      if (answer.kind === 'refused') break;
      await pause();
    }
    throw new IsolationCheckError(`${action} did not succeed: ${problem}`);
  };
}

function tableDefinition(tableName: string): object {
  return {
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  };
}

function countsOf(operations: readonly Operation[]): OutcomeCounts {
  const counts = { ok: 0, failed: 0, unknown: 0 };
  for (const { outcome } of operations) counts[outcome] += 1;
  return counts;
}
