import { parseArgs } from 'node:util';
import { SeededRandom } from '../../demo/seeded-random.ts';
import { loadReport, runLoad } from '../../http/load.ts';
import { openEmbeddedDatabase } from '../../testing/databases.ts';
import { deskActions } from './desk-load.ts';
import { startDesk } from './desk-server.ts';

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
  const database = values.url === undefined ? await openEmbeddedDatabase() : undefined;
  const server = database && (await startDesk({ database, port: 0, seedScale }));
  try {
    const url = (values.url ?? server?.url ?? '').replace(/\/$/, '');
    const random = new SeededRandom(1);
    const actions = deskActions({ url, seedScale, random });
    const result = await runLoad({ callers, durationMs: seconds * 1000, random, actions });
    console.log(loadReport(result));
    return result.failures === 0 ? 0 : 1;
  } finally {
    await server?.close();
    await database?.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error('--help says what there is.');
  process.exitCode = 2;
}
