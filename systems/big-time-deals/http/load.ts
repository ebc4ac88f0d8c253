import { parseArgs } from 'node:util';
import { SeededRandom } from '../../demo/seeded-random.ts';
import { loadReport, runLoad } from '../../http/load.ts';
import { openEmbeddedDatabase } from '../../testing/databases.ts';
import { hunterActions } from './hunter-actions.ts';
import { startSite } from './site-server.ts';

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
  const database = values.url === undefined ? await openEmbeddedDatabase() : undefined;
  const server = database && (await startSite({ database, editorToken: 'none', port: 0, seedScale }));
  try {
    const url = (values.url ?? server?.url ?? '').replace(/\/$/, '');
    const random = new SeededRandom(1);
    const actions = await hunterActions(url, random);
    const result = await runLoad({ callers, durationMs: seconds * 1000, random, actions });
    console.log(loadReport(result));
    return result.failures === 0 ? 0 : 1;
  } finally {
    await server?.close();
    await database?.close();
  }
}

process.exitCode = await main();
