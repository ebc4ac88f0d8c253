import { parseArgs } from 'node:util';
import { additiveManufacturingDemo } from './additive-manufacturing/demo.ts';
import { blogDemo } from './blog/demo.ts';
import { accessControlDemo } from './access-control/demo.ts';
import { datingAppDemo } from './dating-app/demo.ts';
import type { Demo } from './demo/demo.ts';
import { runDemo } from './demo/demo.ts';
import { Terminal } from './demo/terminal.ts';
import { bigTimeDealsDemo } from './big-time-deals/demo.ts';
import { ecommerceDemo } from './e-commerce/demo.ts';
import { lessonShopDemo } from './lesson-shop/demo.ts';
import { githubDemo } from './github/demo.ts';
import { githubMigrationsDemo } from './github-migrations/demo.ts';
import { jobSchedulerDemo } from './job-scheduler/demo.ts';
import { sessionStoreDemo } from './session-store/demo.ts';
import { supportDeskDemo } from './support-desk/demo.ts';
import { openEndpoint, openServedTemporaryDatabase } from './testing/databases.ts';

const USAGE = `Usage: npm run demo [-- [APPLICATION] [options]]

Shows an application at work, by the name of its folder (see systems/README.md); all of them when none is named.

  --endpoint URL   play on a DynamoDB endpoint that is there already; otherwise a database is started on a
                   port of its own, with a directory of its own, and removed afterwards
  --orders N       orders in the day of the shop (3000)
  --hunters N      hunters in the day of the deals site (60)
  --logins N       log-ins in the ten days of the session store (1500)
  --batches N      process orders of the factory (100)
  --tickets N      tickets in the day of the support desk (300)
  --visits N       visits in the day of the GitHub-like site (1000)
  --help           this text`;

const SOME_OR_MORE = /^[1-9][0-9]{0,6}$/;

async function main(): Promise<number> {
  let options: DemoOptions;
  try {
    options = readArguments();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error(USAGE);
    return 2;
  }
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  const terminal = new Terminal(process.stdout, {
    colour: process.env['NO_COLOR'] === undefined && process.env['TERM'] !== 'dumb',
  });
  // The SDK's deprecation warning for Node 20 would interrupt the progress display.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const interruption = new AbortController();
  process.once('SIGINT', () => interruption.abort());
  const startedAtMs = performance.now();
  const database =
    options.endpoint === undefined ? await openServedTemporaryDatabase() : openEndpoint(options.endpoint);
  try {
    const startMs = Math.round(performance.now() - startedAtMs);
    terminal.line(
      options.endpoint === undefined
        ? `A database of its own, started in ${startMs} ms, on ${database.url}`
        : `The database on ${database.url}`,
    );
    for (const demo of options.demos) {
      const tableName = tableNameFor(demo, options.endpoint);
      await runDemo(demo, { database, terminal, tableName, signal: interruption.signal });
    }
  } catch (error) {
    if (!interruption.signal.aborted) {
      throw error;
    }
    console.error('Interrupted.');
    return 130;
  } finally {
    await database.close();
  }
  return 0;
}

interface DemoOptions {
  readonly help: boolean;
  readonly endpoint: string | undefined;
  readonly demos: readonly Demo[];
}

function readArguments(): DemoOptions {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      endpoint: { type: 'string' },
      orders: { type: 'string', default: '3000' },
      hunters: { type: 'string', default: '60' },
      logins: { type: 'string', default: '1500' },
      batches: { type: 'string', default: '100' },
      tickets: { type: 'string', default: '300' },
      visits: { type: 'string', default: '1000' },
      help: { type: 'boolean', default: false },
    },
  });
  const demos = new Map<string, Demo>([
    ['session-store', sessionStoreDemo({ logins: countFrom('--logins', values.logins) })],
    ['big-time-deals', bigTimeDealsDemo({ hunters: countFrom('--hunters', values.hunters) })],
    ['e-commerce', ecommerceDemo({ orders: countFrom('--orders', values.orders) })],
    ['additive-manufacturing', additiveManufacturingDemo({ orders: countFrom('--batches', values.batches) })],
    ['support-desk', supportDeskDemo({ tickets: countFrom('--tickets', values.tickets) })],
    ['blog', blogDemo({ visits: 300 })],
    ['lesson-shop', lessonShopDemo({ orders: 300 })],
    ['github', githubDemo({ visits: countFrom('--visits', values.visits) })],
    ['github-migrations', githubMigrationsDemo()],
    ['access-control', accessControlDemo()],
    ['job-scheduler', jobSchedulerDemo()],
    ['dating-app', datingAppDemo()],
  ]);
  const chosen = positionals.map((name) => {
    const demo = demos.get(name);
    if (!demo) {
      throw new RangeError(`There is no application ${JSON.stringify(name)}`);
    }
    return demo;
  });
  return { help: values.help, endpoint: values.endpoint, demos: chosen.length > 0 ? chosen : [...demos.values()] };
}

function countFrom(option: string, text: string): number {
  if (!SOME_OR_MORE.test(text)) {
    throw new RangeError(`${option} takes a number from 1 to 9999999, not ${JSON.stringify(text)}`);
  }
  return Number(text);
}

/** On an external endpoint, a table of that name may be in use. */
function tableNameFor(demo: Demo, endpoint: string | undefined): string {
  const name = demo.table.TableName ?? 'Demo';
  return endpoint === undefined ? name : `${name}-demo-${Date.now().toString(36)}`;
}

process.exitCode = await main();
