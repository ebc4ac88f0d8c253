import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { createDatabase as CreateDatabase, Database } from 'singlet';
import { BenchError } from './bench-error.ts';
import { callRing } from './call-ring.ts';
import type { CallMode, InProcessTarget, RequestRing } from './in-process-target.ts';
import { faultOf } from './operations.ts';
import { type RingSpec, wireHeaders } from './requests.ts';
import { sdkRing } from './sdk-target.ts';
import { reportProgress } from './worker-calls.ts';
import { createTableRequest, loadRequests, type TableSpec, type WireObject } from './workload.ts';

/** Enough concurrent batches that each commit carries many, few enough that the memory does not matter. */
const loadBatchesInFlight = 64;
const batchesPerReport = 4000;
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
  return {
    load: async (table) => {
      await createTable(database, table);
      await loadTable(database, table);
    },
    ring: (spec: RingSpec, mode: CallMode): RequestRing => {
      switch (mode.kind) {
        case 'request':
          return callRing(spec, {
            prepare: (call) => call,
            perform: async ({ action, input }) => await database.request(action, input),
          });
        case 'handle':
          return handleRing(database, spec);
        case 'sdk':
          return sdkRing((sdkClient ??= new DynamoDBClient(database.clientConfig())), spec);
        case 'engine':
          throw new BenchError('usage', 'A database has no calls of its own but these.');
      }
    },
    close: async () => {
      sdkClient?.destroy();
      await database.close();
    },
  };
}

function handleRing(database: Database, spec: RingSpec): RequestRing {
  return callRing(spec, {
    prepare: ({ action, input }) => ({
      method: 'POST',
      url: '/',
      headers: wireHeaders(action),
      body: Buffer.from(JSON.stringify(input)),
    }),
    perform: async (request) => {
      const { status, body } = await database.handle(request);
      if (status !== 200) throw new BenchError('wrong-answer', `${status} ${Buffer.from(body).toString()}`);
      return body;
    },
    // The result of `perform`.
    read: (answer) => JSON.parse(Buffer.from(answer as Uint8Array).toString()) as WireObject,
  });
}

async function createTable(database: Database, table: TableSpec): Promise<void> {
  await database.request('CreateTable', createTableRequest(table));
  for (;;) {
    const { Table } = (await database.request('DescribeTable', { TableName: table.name })) as {
      readonly Table?: { readonly TableStatus?: string };
    };
    if (Table?.TableStatus === 'ACTIVE') return;
    await new Promise((resolve) => setTimeout(resolve, activeWaitMs));
  }
}

async function loadTable(database: Database, table: TableSpec): Promise<void> {
  const requests = loadRequests(table);
  let batches = 0;
  const work = async (): Promise<void> => {
    for (let next = requests.next(); next.done !== true; next = requests.next()) {
      if (batches++ % batchesPerReport === 0) reportProgress(`loaded ${batches * 25} of ${table.itemCount}`);
      const reply = (await database.request('BatchWriteItem', next.value)) as WireObject;
      const fault = faultOf({ kind: 'batch-write', items: [], version: 1 }, table, reply);
      if (fault !== undefined) throw new BenchError('wrong-answer', `Loading failed: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: loadBatchesInFlight }, work));
}

/** Imported only here, so that floors and peers are measured even if the package is not built. */
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
