import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SeededRandom } from '../../demo/seeded-random.ts';
import { loadReport, runLoad } from '../../http/load.ts';
import { openEmbeddedDatabase } from '../../testing/databases.ts';
import { hunterActions } from './hunter-actions.ts';
import { startBigTimeDeals } from './start.ts';

const USAGE = `Usage: npx tsx systems/big-time-deals/http/load.ts [options]

Many hunters at once: each looks at a page, and at the next one as soon as it is there.

  --url URL        a site that is served already; otherwise one is started for the time being
  --hunters N      hunters at the same time (20)
  --seconds N      how long (10)
  --seed SCALE     sample data of the site that is started (0.1)
  --help           this text`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      hunters: { type: 'string', default: '20' },
      seconds: { type: 'string', default: '10' },
      seed: { type: 'string', default: '0.1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const [callers, seconds, seedScale] = [Number(values.hunters), Number(values.seconds), Number(values.seed)];
  if (!(callers >= 1 && callers <= 1000 && seconds > 0 && seedScale > 0)) throw new RangeError(USAGE);
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  if (values.url !== undefined) return await load(values.url.replace(/\/$/, ''), callers, seconds);
  const database = await openEmbeddedDatabase();
  const client = new DynamoDBClient(database.clientConfig);
  const say = (line: string): void => console.log(line);
  try {
    const server = await startBigTimeDeals({ database, client, port: 0, scale: seedScale, say });
    try {
      return await load(server.url, callers, seconds);
    } finally {
      await server.close();
    }
  } finally {
    client.destroy();
    await database.close();
  }
}

async function load(url: string, callers: number, seconds: number): Promise<number> {
  const random = new SeededRandom(1);
  const actions = await hunterActions(url, random);
  const result = await runLoad({ callers, durationMs: seconds * 1000, random, actions });
  console.log(loadReport(result));
  return result.failures === 0 ? 0 : 1;
}

process.exitCode = await main();
