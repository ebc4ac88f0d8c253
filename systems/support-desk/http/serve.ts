import { parseArgs } from 'node:util';
import { openEmbeddedDatabase, openEndpoint } from '../../testing/databases.ts';
import { sampleDesk } from '../sample-desk.ts';
import { startDesk } from './desk-server.ts';

const USAGE = `Usage: npx tsx systems/support-desk/http/serve.ts [options]

Serves the support desk on this machine: operations under /api, their description at /openapi.json, a page to click
through at /.

  --port N         the port (8080; 0 for any that is free)
  --data DIR       keeps the database in a directory; otherwise it is in memory, and gone afterwards
  --endpoint URL   uses a DynamoDB endpoint that is there already
  --seed SCALE     begins with sample data: 1 for 20,000 customers, 100,000 tickets and 500,000 messages (0.005; 0 for none)
  --help           this text

CURSOR_SECRET seals the cursors of lists, for several processes that serve one desk.`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8080' },
      data: { type: 'string' },
      endpoint: { type: 'string' },
      seed: { type: 'string', default: '0.005' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const [port, seedScale] = [Number(values.port), Number(values.seed)];
  if (!Number.isInteger(port) || port < 0 || port > 65_535 || !(seedScale >= 0 && seedScale <= 100)) {
    throw new RangeError('--port takes a number from 0 to 65535, --seed one from 0 to 100');
  }
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const cursorSecret = process.env['CURSOR_SECRET'];
  const database =
    values.endpoint === undefined ? await openEmbeddedDatabase(values.data) : openEndpoint(values.endpoint);
  try {
    const server = await startDesk({
      database,
      port,
      seedScale: seedScale === 0 ? undefined : seedScale,
      ...(cursorSecret !== undefined && { cursorSecret }),
      onFault: (error) => console.error(error),
    });
    console.log(`Support desk on ${server.url}`);
    if (server.seeded !== undefined) {
      const { Customer, Ticket, Message } = server.seeded;
      const sample = sampleDesk(seedScale);
      console.log(`${Customer} customers, ${Ticket} tickets, ${Message} messages. To begin with:`);
      console.log(`  a customer  ${server.url}/#customer/${sample.bundle(0).customer.customerId}`);
      console.log(`  an agent    ${server.url}/#agent/${sample.agents[0]?.agentId}`);
    }
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
