import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { createDatabase as CreateDatabase, Database } from 'singlet';
import { BenchError } from './bench-error.ts';
import type { CallMode, InProcessTarget, RequestRing } from './in-process-target.ts';
import { objectRing } from './object-ring.ts';
import { requestsOf, wireHeaders } from './requests.ts';
import { sdkCall } from './sdk-target.ts';
import { type Scenario, type ScenarioName, scenarios } from './scenarios.ts';
import { reportProgress } from './worker-calls.ts';
import { batchWriteItemsMax, createTableRequest, loadRequest, tableName, type WireObject } from './workload.ts';

/** Enough batches in flight that each commit carries many, few enough that the memory does not matter. */
const loadBatchesInFlight = 64;
const activeWaitMs = 5;

/**
 * Singlet in this process, on a directory or (without one) in memory.
 *
 * @throws {BenchError} `missing` when the package is not built.
 */
export async function openSinglet(directory: string | undefined): Promise<InProcessTarget> {
  const createDatabase = await importCreateDatabase();
  const database = await createDatabase(directory === undefined ? {} : { directory });
  let sdkClient: DynamoDBClient | undefined;

  const perform = (scenario: Scenario, mode: CallMode): ((input: WireObject) => Promise<unknown>) => {
    switch (mode.kind) {
      case 'request':
        return async (input) => await database.request(scenario.action, input);
      case 'sdk':
        return sdkCall((sdkClient ??= new DynamoDBClient(database.clientConfig())), scenario.name);
      case 'engine':
      case 'handle':
        throw new BenchError('usage', `Mode ${mode.kind} takes no objects.`);
    }
  };

  return {
    load: async (itemCount) => {
      await createTable(database);
      await loadTable(database, itemCount);
    },
    ring: async (scenarioName: ScenarioName, mode, itemCount) => {
      const scenario = scenarios[scenarioName];
      const inputs = requestsOf(scenario, itemCount, 1);
      return mode.kind === 'handle'
        ? handleRing(database, scenario, inputs)
        : objectRing(perform(scenario, mode), scenario, inputs);
    },
    close: async () => {
      sdkClient?.destroy();
      await database.close();
    },
  };
}

function handleRing(database: Database, scenario: Scenario, inputs: readonly WireObject[]): RequestRing {
  const headers = wireHeaders(scenario.action);
  const requests = inputs.map((input) => ({
    method: 'POST',
    url: '/',
    headers,
    body: Buffer.from(JSON.stringify(input)),
  }));
  const call = async (index: number): Promise<Uint8Array> => {
    const request = requests[index];
    if (request === undefined) throw new BenchError('usage', 'There is no such request.');
    const { status, body } = await database.handle(request);
    if (status !== 200) throw new BenchError('wrong-answer', `${status} ${Buffer.from(body).toString()}`);
    return body;
  };
  const fault = async (): Promise<string | undefined> =>
    scenario.fault(JSON.parse(Buffer.from(await call(0)).toString()) as WireObject);
  return { count: requests.length, perform: call, fault };
}

async function createTable(database: Database): Promise<void> {
  await database.request('CreateTable', createTableRequest);
  for (;;) {
    const { Table } = (await database.request('DescribeTable', { TableName: tableName })) as {
      readonly Table?: { readonly TableStatus?: string };
    };
    if (Table?.TableStatus === 'ACTIVE') return;
    await new Promise((resolve) => setTimeout(resolve, activeWaitMs));
  }
}

async function loadTable(database: Database, itemCount: number): Promise<void> {
  let first = 0;
  const work = async (): Promise<void> => {
    while (first < itemCount) {
      const from = first;
      first += batchWriteItemsMax;
      if (from % 100_000 === 0) reportProgress(`loaded ${from} of ${itemCount}`);
      const reply = (await database.request('BatchWriteItem', loadRequest(from, itemCount))) as WireObject;
      const fault = scenarios.batch.fault(reply);
      if (fault !== undefined) throw new BenchError('wrong-answer', `Loading failed: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: loadBatchesInFlight }, work));
}

/** Imported only here: the floors and peers are measured even where the package is not built. */
export async function importCreateDatabase(): Promise<typeof CreateDatabase> {
  try {
    const { createDatabase } = await import('singlet');
    return createDatabase;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BenchError('missing', `The package singlet cannot be loaded (npm run build): ${reason}`, {
      cause: error,
    });
  }
}
