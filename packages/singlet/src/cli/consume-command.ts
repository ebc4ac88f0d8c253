import { Command, Option } from 'commander';
import { type EndpointFlags, withEndpoint } from './endpoint-client.ts';
import { errorOutput } from './error-output.ts';
import { type LogFormat, type LogLevel, logFormats, logLevels } from './logger.ts';
import { UsageError } from './usage-error.ts';
import { type SinkLocation, sinkLocationOf } from './sinks/sink-location.ts';

/** The parsed command line of `singlet consume`. */
export interface ConsumeFlags extends EndpointFlags {
  readonly exec?: string;
  readonly module?: string;
  /** Where changes are written to. */
  readonly to?: SinkLocation;
  readonly secretFile?: string;
  readonly timeoutSeconds: number;
  readonly from: 'TRIM_HORIZON' | 'LATEST' | Date;
  readonly batchSize?: number;
  readonly windowSeconds?: number;
  readonly parallel?: number;
  readonly filter?: readonly Readonly<Record<string, unknown>>[];
  readonly retries?: number;
  readonly maxAge?: number;
  readonly bisect?: boolean;
  readonly deadLetter?: string;
  readonly checkpointTable?: string;
  readonly workerId?: string;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

const examples = `
Examples:
  $ singlet consume Orders                          one line of JSON per change, oldest first
  $ singlet consume Orders --from latest | jq .     only changes from now on
  $ singlet consume Orders --exec ./index.sh        a command per batch; it fails if its exit code is not 0
  $ singlet consume Orders --module ./handler.js    a Lambda function: its handler(event) is called per batch
  $ singlet consume Orders --module ./handler.js --bisect --retries 5 --dead-letter lost.ndjson
  $ singlet consume Orders --to https://example.com/changes --secret-file webhook.secret --dead-letter lost.ndjson
  $ singlet consume Orders --to 'postgres://app@db/shop?table=orders'
  $ singlet consume Orders --to parquet:./changes --batch-size 10000 --window-seconds 60
  $ singlet consume Orders --aws --region eu-west-1 the table in AWS, with the credentials of the environment

A command receives {"Records":[…]} on its standard input, the event of a Lambda function. A function may answer
{ batchItemFailures: [{ itemIdentifier: SequenceNumber }] }: the batch then continues from the first of these.
A webhook receives the same event in a POST request, and accepts it with a 2xx answer, whose body may be what a function returns.

Every change is delivered at least once, and the changes of a partition key in order. A table holds the checkpoints,
TABLE-checkpoints unless --checkpoint-table names another. Several processes with the same table share the shards; independent
consumers use different tables.

On SIGTERM and SIGINT it finishes running batches, saves its checkpoints, and exits with code 0. It also exits when the stream is
disabled and has been read to its end.`;

export function consumeCommand(): Command {
  const command = new Command('consume')
    .summary('read the stream of a table')
    .description("Reads the changes of a table's items from its stream, and prints them or passes them to a program.")
    .argument('<table>', 'the table whose stream is read')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet consume --help'))
    .addOption(
      new Option('--stdout', 'print each record as a line of JSON (the default)').conflicts(['exec', 'module', 'to']),
    )
    .addOption(new Option('--exec <command>', 'run a command for each batch').conflicts(['module', 'to']))
    .addOption(new Option('--module <file>', 'call the exported function "handler" for each batch'))
    .addOption(
      new Option(
        '--to <url>',
        'write to a webhook, postgres://…?table=NAME, opensearch+https://HOST/INDEX, parquet:DIRECTORY, sqs+https://…, sns+https://…/TOPIC-ARN',
      )
        .conflicts('module')
        .argParser(sinkLocationOf),
    )
    .addOption(
      new Option(
        '--secret-file <file>',
        'secret that signs requests to a webhook (Standard Webhooks), or USER:PASSWORD of a search index',
      ),
    )
    .addOption(
      new Option('--timeout-seconds <seconds>', 'timeout for an answer of a webhook or a search index, at most 300')
        .default(30)
        .argParser(count('--timeout-seconds', 1, 300)),
    )
    .addOption(
      new Option('--from <position>', 'where to start without checkpoints: trim-horizon, latest, or a time (ISO 8601)')
        .default('TRIM_HORIZON', 'trim-horizon')
        .argParser(positionOf),
    )
    .addOption(
      new Option('--batch-size <count>', 'records in a batch, at most 10000').argParser(
        count('--batch-size', 1, 10_000),
      ),
    )
    .addOption(
      new Option('--window-seconds <seconds>', 'how long to wait for a full batch, at most 300').argParser(
        count('--window-seconds', 0, 300),
      ),
    )
    .addOption(
      new Option('--parallel <count>', 'batches of a shard at the same time, by key, at most 10').argParser(
        count('--parallel', 1, 10),
      ),
    )
    .addOption(
      new Option(
        '--filter <json>',
        'only records that match this or another --filter: a filter pattern as in Lambda',
      ).argParser(patternOf),
    )
    .addOption(
      new Option('--retries <count>', 'number of retries of a failing batch; unlimited by default').argParser(
        count('--retries', 0, 10_000),
      ),
    )
    .addOption(
      new Option('--max-age <seconds>', 'give up records that are older').argParser(count('--max-age', 1, 604_800)),
    )
    .addOption(new Option('--bisect', 'split a failing batch in two'))
    .addOption(
      new Option('--dead-letter <file>', 'file to which records that are given up are appended, one line of JSON each'),
    )
    .addOption(new Option('--checkpoint-table <name>', 'the table of checkpoints, created if absent'))
    .addOption(new Option('--worker-id <name>', 'unique name of this worker'))
    .addOption(
      new Option('--log-level <level>', 'minimum level that is logged, on standard error')
        .choices([...logLevels])
        .default('info'),
    )
    .addOption(new Option('--log-format <format>', 'format of the log').choices([...logFormats]).default('text'))
    .addHelpText('after', examples)
    .action(async (table: string, flags: ConsumeFlags) => {
      // The SDK is large, and no other command needs it.
      const { consume } = await import('./consume.ts');
      await consume(table, flags);
    });
  return withEndpoint(command);
}

function positionOf(text: string): ConsumeFlags['from'] {
  if (text === 'trim-horizon') return 'TRIM_HORIZON';
  if (text === 'latest') return 'LATEST';
  const time = new Date(text);
  if (!/^\d{4}-/.test(text) || Number.isNaN(time.getTime())) {
    throw new UsageError(
      `--from takes trim-horizon, latest, or a time such as 2026-11-20T13:00:00Z, not ${JSON.stringify(text)}.`,
    );
  }
  return time;
}

function count(flag: string, min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value;
    throw new UsageError(`${flag} takes a whole number from ${min} to ${max}, not ${JSON.stringify(text)}.`);
  };
}

function patternOf(text: string, earlier: ConsumeFlags['filter'] = []): ConsumeFlags['filter'] {
  try {
    const pattern: unknown = JSON.parse(text);
    if (typeof pattern === 'object' && pattern !== null) return [...earlier, { ...pattern }];
  } catch (error) {
    throw new UsageError(`--filter takes JSON, not ${text}`, { cause: error });
  }
  throw new UsageError(`--filter takes an object such as {"eventName":["INSERT"]}, not ${text}.`);
}
