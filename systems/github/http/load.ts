import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { openServedTemporaryDatabase } from '../../testing/databases.ts';
import { startGitHub } from './start.ts';
import { type LoadResult, sendVisitors } from './visitors.ts';

const USAGE = `Usage: npx tsx systems/github/http/load.ts [options]

Sends visitors to the application and says how long they waited.

  --url URL      an application that runs already, such as http://127.0.0.1:3000; otherwise one is
                 started, with a database and sample data of its own
  --clients N    visitors at a time (8)
  --seconds N    how long (10)
  --scale N      of the sample data, where the application is started (0.005)
  --help         this text`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      clients: { type: 'string', default: '8' },
      seconds: { type: 'string', default: '10' },
      scale: { type: 'string', default: '0.005' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const clients = Number(values.clients);
  const seconds = Number(values.seconds);
  if (values.url !== undefined) {
    print(await visit(values.url, clients, seconds));
    return;
  }
  const database = await openServedTemporaryDatabase();
  const client = new DynamoDBClient(database.clientConfig);
  try {
    const say = (line: string): void => console.log(line);
    const server = await startGitHub({ database, client, port: 0, scale: Number(values.scale), say });
    print(await visit(server.url, clients, seconds));
    await server.close();
  } finally {
    client.destroy();
    await database.close();
  }
}

async function visit(url: string, clients: number, seconds: number): Promise<LoadResult> {
  const endsAtMs = performance.now() + seconds * 1000;
  const until = (): boolean => performance.now() >= endsAtMs;
  return await sendVisitors({ url, clients, requestsMax: Number.MAX_SAFE_INTEGER, until });
}

function print({ seconds, requests, kinds }: LoadResult): void {
  const columns = ['', 'requests', 'refused', 'median ms', 'p95 ms', 'p99 ms'];
  const rows = kinds.map(({ name, requests: count, refused, medianMs, p95Ms, p99Ms }) => [
    name,
    String(count),
    String(refused),
    ...[medianMs, p95Ms, p99Ms].map((ms) => ms.toFixed(1)),
  ]);
  for (const row of [columns, ...rows]) {
    console.log(row.map((cell, index) => (index === 0 ? cell.padEnd(16) : cell.padStart(10))).join(''));
  }
  console.log(`${requests} requests in ${seconds.toFixed(1)} s: ${Math.round(requests / seconds)} a second`);
}

await main();
