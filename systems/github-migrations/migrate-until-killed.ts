import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { openEmbeddedDirectory, openEndpoint } from '../testing/databases.ts';
import { MIGRATIONS, runMigration } from './migrations.ts';

// A process that runs MIG-4 and is killed, without warning, when one of its updates is answered. That many updates are certainly
// stored, others are in flight, and the process's state is lost. Tests start it.

export interface KilledMigration {
  /** Of a database that another process serves. */
  readonly url?: string | undefined;
  /** Or of one that this process opens, and that ends with it. */
  readonly directory?: string;
  readonly tableName: string;
  /** The number of the update whose answer is the last. */
  readonly updatesMax: number;
  readonly segments: number;
  readonly pageItems: number;
}

const { url, directory = '', tableName, updatesMax, ...pages } = JSON.parse(process.argv[2] ?? '{}') as KilledMigration;
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
const database = url === undefined ? await openEmbeddedDirectory(directory) : openEndpoint(url);
const client = new DynamoDBClient(database.clientConfig);
let answered = 0;
client.middlewareStack.add(
  (next, context) => async (args) => {
    const answer = await next(args);
    if (context.commandName === 'UpdateItemCommand') {
      answered += 1;
      if (answered === updatesMax) {
        process.kill(process.pid, 'SIGKILL');
      }
    }
    return answer;
  },
  { step: 'initialize', name: 'killProcess' },
);
await runMigration(MIGRATIONS['MIG-4'], { client, tableName, ...pages });
