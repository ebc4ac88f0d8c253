import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type ApplicationOptions, startGitHub } from './github/http/application.ts';
import { openEndpoint, openServedTemporaryDatabase } from './testing/databases.ts';

const USAGE = `Usage: npm run app -- APPLICATION [options]

Serves an application over HTTP, with a page to click through: github.

  --port N         port of the application (3000)
  --endpoint URL   the DynamoDB endpoint to work on; otherwise a database is started with a directory
                   of its own, and removed afterwards
  --scale N        how much sample data a new table is filled with; 1 is a thousand repositories (0.005)
  --help           this text`;

type Start = (options: ApplicationOptions) => ReturnType<typeof startGitHub>;

const APPLICATIONS: ReadonlyMap<string, Start> = new Map([['github', startGitHub]]);

async function main(): Promise<number> {
  let options: AppOptions;
  try {
    options = readArguments();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error(USAGE);
    return 2;
  }
  if (options.start === undefined) {
    console.log(USAGE);
    return 0;
  }
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const interrupted = new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
  const { start, endpoint, port, scale } = options;
  const database = endpoint === undefined ? await openServedTemporaryDatabase() : openEndpoint(endpoint);
  const client = new DynamoDBClient(database.clientConfig);
  try {
    console.log(`The database is on ${database.url}`);
    const server = await start({ client, port, scale, say: (line) => console.log(line) });
    console.log(`The application is on ${server.url}; it ends with Ctrl-C`);
    await interrupted;
    await server.close();
  } finally {
    client.destroy();
    await database.close();
  }
  return 0;
}

interface AppOptions {
  /** Absent where only help was asked for. */
  readonly start: Start | undefined;
  readonly endpoint: string | undefined;
  readonly port: number;
  readonly scale: number;
}

function readArguments(): AppOptions {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: 'string', default: '3000' },
      endpoint: { type: 'string' },
      scale: { type: 'string', default: '0.005' },
      help: { type: 'boolean', default: false },
    },
  });
  const [name] = positionals;
  const start = name === undefined ? undefined : APPLICATIONS.get(name);
  if (!values.help && start === undefined) {
    throw new RangeError(
      name === undefined ? 'Name an application' : `There is no application ${JSON.stringify(name)}`,
    );
  }
  return {
    start: values.help ? undefined : start,
    endpoint: values.endpoint,
    port: numberFrom('--port', values.port, 65_535),
    scale: numberFrom('--scale', values.scale, 10),
  };
}

function numberFrom(option: string, text: string, most: number): number {
  const number = Number(text);
  if (text.trim() === '' || !(number >= 0 && number <= most)) {
    throw new RangeError(`${option} takes a number from 0 to ${most}, not ${JSON.stringify(text)}`);
  }
  return number;
}

process.exitCode = await main();
