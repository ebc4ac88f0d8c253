import { setTimeout as pause } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { findPage } from '../studio/page-location.ts';
import {
  callEndpoint,
  type ForwarderOptions,
  type LocalInspection,
  type SignedEndpoint,
  startForwarder,
} from '../studio/forwarder.ts';
import type { Credentials } from '../studio/request-signature.ts';
import { endWithNpx } from './end-with-npx.ts';
import { regionOf } from './endpoint-client.ts';
import { errorOutput } from './error-output.ts';
import { isLoopbackHost } from '../server/index.ts';
import { renamedTables } from './model/connection.ts';
import { whenOutputFails } from './output.ts';
import { sdkCredentials } from './sdk-credentials.ts';
import { UsageError } from './usage-error.ts';

interface StudioFlags {
  readonly endpoint: URL;
  readonly region: string;
  readonly port: number;
  readonly model: readonly string[];
  readonly table: Readonly<Record<string, string>>;
}

/** `singlet studio`: serves the workbench alone, for any endpoint. */
export function studioCommand(): Command {
  return new Command('studio')
    .summary('show the tables of any endpoint in the browser')
    .description('Serves the workbench on this machine, for the tables of any DynamoDB endpoint.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet studio --help'))
    .addOption(
      new Option('-e, --endpoint <url>', 'endpoint whose tables are shown').makeOptionMandatory().argParser(endpointOf),
    )
    .addOption(
      new Option('--region <name>', 'region for signing requests')
        .env('AWS_REGION')
        .default('us-east-1')
        .argParser(regionOf()),
    )
    .addOption(new Option('-p, --port <number>', 'port of the page; 0 for any free port').default(0).argParser(portOf))
    .addOption(
      new Option('--model <file>', 'models of the tables: a file or a directory; may be repeated')
        .default([], 'none')
        .argParser((file: string, before: readonly string[]) => [...before, file]),
    )
    .addOption(renamedTables('maps a table of a model to a table with another name; may be repeated'))
    .addHelpText(
      'after',
      `
Requests to localhost or 127.0.0.1 are signed with placeholder credentials. For other endpoints, the AWS SDK finds credentials:
AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile in AWS_PROFILE. These stay in this process; the page never sees them.

With --model, the page also shows models, patterns and migrations. Model files run in this process, and are read again when they change.

  npx singlet studio --endpoint http://127.0.0.1:8000
  npx singlet studio --endpoint https://dynamodb.eu-west-1.amazonaws.com --region eu-west-1`,
    )
    .action(async (flags: StudioFlags) => runStudio(flags));
}

async function runStudio({ endpoint, region, port, model, table }: StudioFlags): Promise<void> {
  const page = findPage();
  if ('problem' in page) throw new UsageError(page.problem);
  const credentials = isLocal(endpoint) ? localCredentials : await sdkCredentials('singlet studio', region);
  const to = { endpoint, region, credentials, nowMs: () => Date.now() };
  const inspection = model.length === 0 ? undefined : await modelInspection({ paths: model, tables: table }, to);
  const forwarder = await started({ ...to, port, inspection });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void forwarder.close());
  endWithNpx(() => void forwarder.close());
  whenOutputFails(() => undefined); // the workbench continues to run
  process.stdout.write(`singlet studio ready on ${forwarder.url}\n`);
}

/** The models of `--model`, whose patterns and migrations run on the endpoint. */
async function modelInspection(
  models: { readonly paths: readonly string[]; readonly tables: Readonly<Record<string, string>> },
  to: SignedEndpoint,
): Promise<LocalInspection> {
  const [{ ServedModels }, { createModelInspect }, { localInspection }] = await Promise.all([
    import('./model/served-models.ts'),
    import('../inspect/index.ts'),
    import('./model/local-inspection.ts'),
  ]);
  const { endpoint, region, credentials } = to;
  const database = {
    clientConfig: () => ({ endpoint: endpoint.href, region, credentials }),
    request: (action: string, input: object) => callEndpoint(to, action, input),
  };
  const inspect = createModelInspect({
    models: new ServedModels({ ...models, database: () => database }),
    peers: undefined,
    nowMs: to.nowMs,
    pause: (delayMs, signal) => pause(delayMs, undefined, { ref: false, signal }).catch(() => undefined),
  });
  return localInspection(inspect, region);
}

async function started(options: ForwarderOptions): ReturnType<typeof startForwarder> {
  try {
    return await startForwarder(options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    throw new UsageError(`Port ${options.port} cannot be used (${code}): choose another with --port.`, {
      cause: error,
    });
  }
}

function localCredentials(): Promise<Credentials> {
  return Promise.resolve({ accessKeyId: 'local', secretAccessKey: 'local' });
}

function endpointOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '') {
    throw new UsageError(`--endpoint takes a URL such as http://127.0.0.1:8000, not ${JSON.stringify(text)}.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('--endpoint takes a URL without a user name: credentials are those of the AWS SDK.');
  }
  if (url.protocol === 'http:' && !isLocal(url)) {
    throw new UsageError('--endpoint takes http for this machine only: use https for others.');
  }
  return url;
}

function isLocal({ hostname }: URL): boolean {
  return isLoopbackHost(hostname.replace(/^\[|\]$/g, ''));
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port takes a number from 0 to 65535, not ${JSON.stringify(text)}.`);
}
