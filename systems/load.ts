import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SeededRandom } from './demo/seeded-random.ts';
import { findApplications } from './find-applications.ts';
import { faultText, type OnFault } from './http/faults.ts';
import { LoadError, loadReport, LoadSite, type OpenLoad, runLoad } from './http/load.ts';
import { KilledApplication } from './killed-application.ts';
import { type LoadCommand, readArguments, usageOf } from './load-arguments.ts';
import { openServedTemporaryDatabase } from './testing/databases.ts';
import { faultsOnceSettled } from './testing/load-checks.ts';

const PROGRESS_EVERY_MS = 2_000;
const FAULTS_SHOWN_MAX = 20;

async function main(): Promise<number> {
  let command: LoadCommand | undefined;
  try {
    command = await readArguments(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    console.error(error.message);
    console.error(usageOf(await findApplications()));
    return 2;
  }
  if (command === undefined) {
    console.log(usageOf(await findApplications()));
    return 0;
  }
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  try {
    if (command.url === undefined) return await loadOwn(command);
    return (await loaded(command, { url: command.url })).failures === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    console.error(error.message);
    return 2;
  }
}

/** Starts the application on a database of its own, and checks what is stored afterwards. */
async function loadOwn(command: LoadCommand): Promise<number> {
  const { name, application, scale, kills } = command;
  const database = await openServedTemporaryDatabase();
  const client = new DynamoDBClient(database.clientConfig);
  const say = (line: string): void => console.log(line);
  const onFault: OnFault = (error, where) => console.error(faultText(error, where));
  try {
    const server =
      kills === 0
        ? await application.start({ database, client, port: 0, scale, say, onFault })
        : await KilledApplication.start({ name, endpoint: database.url, scale, say });
    try {
      const { failures, faultsIn, settle } = await loaded(command, server);
      await settle?.();
      const faults = await faultsOnceSettled(client, faultsIn);
      for (const fault of faults.slice(0, FAULTS_SHOWN_MAX)) console.log(fault);
      const { holds } = application.load;
      console.log(faults.length === 0 ? `Holds: ${holds}.` : `Does not hold, ${faults.length} times: ${holds}.`);
      return failures === 0 && faults.length === 0 ? 0 : 1;
    } finally {
      await server.close();
    }
  } finally {
    client.destroy();
    await database.close();
  }
}

async function loaded(
  { application, callers, seconds, scale, seed, kills }: LoadCommand,
  server: { readonly url: string } | KilledApplication,
): Promise<{ readonly failures: number } & Omit<OpenLoad, 'actions'>> {
  const random = new SeededRandom(seed);
  const site = new LoadSite({ url: server.url, scale, random, isKilled: kills > 0 });
  const { actions, ...checks } = await application.load.open(site);
  let isInterrupted = false;
  const interrupt = (): void => void (isInterrupted = true);
  process.once('SIGINT', interrupt);
  let done = 0;
  const startedAtMs = performance.now();
  const elapsedSeconds = (): number => (performance.now() - startedAtMs) / 1000;
  const progress = setInterval(() => {
    console.error(`${elapsedSeconds().toFixed(0).padStart(4)} s  ${done} requests`);
  }, PROGRESS_EVERY_MS);
  const until = (begun: number): boolean => {
    done = begun;
    return isInterrupted || elapsedSeconds() >= seconds;
  };
  try {
    const killing = 'kill' in server ? killNow(server, { kills, seconds, until: () => until(done) }) : undefined;
    const result = await runLoad({ callers, random, actions, until, site });
    await killing;
    console.log(loadReport(result));
    return { failures: result.failures, ...checks };
  } finally {
    clearInterval(progress);
    process.off('SIGINT', interrupt);
  }
}

/** Kills the application at equal distances in time, but not after the load. */
async function killNow(
  application: KilledApplication,
  { kills, seconds, until }: Pick<LoadCommand, 'kills' | 'seconds'> & { readonly until: () => boolean },
): Promise<void> {
  for (let kill = 1; kill <= kills; kill += 1) {
    await new Promise((resolve) => setTimeout(resolve, (seconds * 1000) / (kills + 1)));
    if (until()) return;
    await application.kill();
    console.log(`Killed and started again, ${kill} of ${kills}`);
  }
}

process.exitCode = await main();
