import { parseArgs } from 'node:util';
import { SeededRandom } from '../../demo/seeded-random.ts';
import { loadReport, runLoad } from '../../http/load.ts';
import { openEmbeddedDatabase } from '../../testing/databases.ts';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { deskActions } from './desk-load.ts';
import { startSupportDesk } from './start.ts';

const USAGE = `Usage: npx tsx systems/support-desk/http/load.ts [options]

Many customers and agents at once: each does one thing, and the next one as soon as it is done.

  --url URL        a desk that is served already, with sample data; otherwise one is started for the time being
  --seed SCALE     scale of the sample data (0.005)
  --people N       people at the same time (20)
  --seconds N      how long (10)
  --help           this text`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      people: { type: 'string', default: '20' },
      seconds: { type: 'string', default: '10' },
      seed: { type: 'string', default: '0.005' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const [callers, seconds, seedScale] = [Number(values.people), Number(values.seconds), Number(values.seed)];
  if (!(Number.isInteger(callers) && callers >= 1 && callers <= 1000 && seconds > 0 && seedScale > 0)) {
    throw new RangeError('--people takes a number from 1 to 1000, --seconds and --seed numbers above 0');
  }
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  if (values.url !== undefined) return await load(values.url.replace(/\/$/, ''), { callers, seconds, seedScale });
  const database = await openEmbeddedDatabase();
  const client = new DynamoDBClient(database.clientConfig);
  const say = (line: string): void => console.log(line);
  try {
    const server = await startSupportDesk({ database, client, port: 0, scale: seedScale, say });
    try {
      return await load(server.url, { callers, seconds, seedScale });
    } finally {
      await server.close();
    }
  } finally {
    client.destroy();
    await database.close();
  }
}

async function load(
  url: string,
  { callers, seconds, seedScale }: { readonly callers: number; readonly seconds: number; readonly seedScale: number },
): Promise<number> {
  const random = new SeededRandom(1);
  const actions = deskActions({ url, seedScale, random });
  const result = await runLoad({ callers, durationMs: seconds * 1000, random, actions });
  console.log(loadReport(result));
  return result.failures === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error('--help says what there is.');
  process.exitCode = 2;
}
