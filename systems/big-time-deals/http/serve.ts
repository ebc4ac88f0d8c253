import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openEmbeddedDatabase, openEndpoint } from '../../testing/databases.ts';
import { startSite } from './site-server.ts';

const USAGE = `Usage: npx tsx systems/big-time-deals/http/serve.ts [options]

Serves Big Time Deals: operations under /api, their description at /openapi.json, a page to click through at /.

  --port N         the port (8080; 0 for any that is free)
  --host ADDRESS   the address to listen on (127.0.0.1)
  --data DIR       keeps the database in a directory; otherwise it is in memory, and gone afterwards
  --endpoint URL   uses a DynamoDB endpoint that is there already
  --seed SCALE     begins with sample data: 1 for 200 brands, 3,000 deals and 1,000 users (0.1; 0 for none)
  --help           this text

Editors show the token in EDITOR_TOKEN, or the one that is printed.`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8080' },
      host: { type: 'string', default: '127.0.0.1' },
      data: { type: 'string' },
      endpoint: { type: 'string' },
      seed: { type: 'string', default: '0.1' },
      help: { type: 'boolean', default: false },
    },
  });
  const [port, seedScale] = [Number(values.port), Number(values.seed)];
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535 || !(seedScale >= 0 && seedScale <= 100)) {
    throw new RangeError('--port takes a number from 0 to 65535, --seed one from 0 to 100');
  }
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const database =
    values.endpoint === undefined ? await openEmbeddedDatabase(values.data) : openEndpoint(values.endpoint);
  try {
    const editorToken = process.env['EDITOR_TOKEN'] ?? randomBytes(16).toString('hex');
    const server = await startSite({
      database,
      editorToken,
      port,
      host: values.host,
      seedScale: seedScale === 0 ? undefined : seedScale,
      onFault: (error) => console.error(error),
    });
    const { seeded, url } = server;
    if (seeded) console.log(`${seeded.brands} brands, ${seeded.deals} deals, ${seeded.users} users`);
    console.log(`Big Time Deals on ${url}`);
    if (process.env['EDITOR_TOKEN'] === undefined) console.log(`Token of editors: ${editorToken}`);
    await new Promise((resolve) => {
      process.once('SIGINT', resolve);
      process.once('SIGTERM', resolve);
    });
    await server.close();
    return 0;
  } finally {
    await database.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error('--help says what there is.');
  process.exitCode = 2;
}
