import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { tableDefinitions } from '@singlet/model';
import { Terminal } from '../../demo/terminal.ts';
import { github } from '../../github/model.ts';
import { createTable, deleteTable } from '../../table-lifecycle.ts';
import { openEndpoint, openServedTemporaryDatabase } from '../../testing/databases.ts';
import { migrateUnderLoad, type UnderLoadReport } from './migrate-under-load.ts';

const USAGE = `Usage: npm run migrate-github [-- [options]]

Loads a GitHub-like site, makes all its migrations while writers are at work, and compares every access pattern with the
site in plain memory.

  --scale N        1 is 1,000 repositories with 200,000 issues and 1,000,000 reactions and stars (0.01)
  --repos N        so many repositories, whatever the scale
  --writers N      at work at the same time (4)
  --segments N     of the table that a migration scans side by side (4)
  --endpoint URL   a DynamoDB endpoint that is there already; otherwise a database is started, and removed afterwards
  --json FILE      the figures, as JSON
  --help           this text`;

async function main(): Promise<number> {
  let options: ReturnType<typeof readArguments>;
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
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const terminal = new Terminal(process.stdout, { colour: false });
  const { endpoint, scale, repos, writers, segments } = options;
  const database = endpoint === undefined ? await openServedTemporaryDatabase() : openEndpoint(endpoint);
  const interruption = new AbortController();
  process.once('SIGINT', () => interruption.abort());
  const clients: DynamoDBClient[] = [];
  const newClient = (): DynamoDBClient => {
    const client = new DynamoDBClient(database.clientConfig);
    clients.push(client);
    return client;
  };
  /** A client whose next request fails once this process has been interrupted, which ends its caller. */
  const newInterruptibleClient = (): DynamoDBClient => {
    const client = newClient();
    client.middlewareStack.add(
      (next) => async (args) => {
        interruption.signal.throwIfAborted();
        return await next(args);
      },
      { step: 'initialize', name: 'interruption' },
    );
    return client;
  };
  const tableName = `GitHubTable-${process.pid}-${Date.now().toString(36)}`;
  const client = newClient();
  const [definition] = tableDefinitions(github);
  try {
    await createTable(client, { ...definition, TableName: tableName });
    try {
      const report = await migrateUnderLoad({
        newClient: newInterruptibleClient,
        tableName,
        scale,
        repos,
        writers,
        actsMin: 0,
        samplesMax: 10,
        nowMs: () => performance.now(),
        migrate: { segments },
        onPhase: (phase) => terminal.line(`${new Date().toISOString().slice(11, 19)}  ${phase}`),
      });
      print(terminal, report);
      if (options.json !== undefined) {
        await writeFile(
          options.json,
          `${JSON.stringify({ scale, repos, writers, segments, ...report }, undefined, 2)}\n`,
        );
      }
    } finally {
      await deleteTable(client, tableName);
    }
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    console.error('Interrupted: the table has been removed.');
    return 130;
  } finally {
    clients.forEach((each) => each.destroy());
    await database.close();
  }
  return 0;
}

function print(terminal: Terminal, report: UnderLoadReport): void {
  const { seeded, migrations, acts, compared } = report;
  const seconds = (value: number): string => `${value.toFixed(1)} s`;
  terminal.line();
  terminal.line(`${sum(seeded)} items loaded in ${seconds(report.seededInSeconds)}: ${text(seeded)}`);
  for (const { name, seconds: took, count, verifiedInSeconds, acts: meanwhile } of migrations) {
    const { scanned = 0, matched = 0, written = 0, current = 0, gone = 0, failed = 0 } = count ?? {};
    terminal.line(
      count === undefined
        ? `${name}: nothing is written`
        : `${name}: ${scanned} read, ${matched} matched, ${written} written, ${current} as they should be, ${gone} gone, ` +
            `${failed} failed in ${seconds(took)}, with ${meanwhile} acts of writers; verified in ${seconds(verifiedInSeconds)}`,
    );
  }
  terminal.line(`${sum(acts)} acts: ${text(acts)}`);
  terminal.line(`Verified at rest in ${seconds(report.verifiedAtRestInSeconds)}.`);
  terminal.line(
    `${sum(compared)} answers compared in ${seconds(report.comparedInSeconds)}, all equal: ${text(compared)}`,
  );
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

function text(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      scale: { type: 'string', default: '0.01' },
      repos: { type: 'string' },
      writers: { type: 'string', default: '4' },
      segments: { type: 'string', default: '4' },
      endpoint: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const numberOf = (option: 'scale' | 'repos' | 'writers' | 'segments', most: number, isWhole: boolean): number => {
    const value = Number(values[option]);
    if (!(value > 0 && value <= most) || (isWhole && !Number.isInteger(value))) {
      const kind = isWhole ? 'a whole number' : 'a number';
      throw new RangeError(`--${option} takes ${kind} above 0, at most ${most}, not ${JSON.stringify(values[option])}`);
    }
    return value;
  };
  return {
    ...values,
    scale: numberOf('scale', 10, false),
    repos: values.repos === undefined ? undefined : numberOf('repos', 100_000, true),
    writers: numberOf('writers', 64, true),
    segments: numberOf('segments', 1_000, true),
  };
}

process.exitCode = await main();
