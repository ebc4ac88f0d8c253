import { Command, Option } from 'commander';
import type { Compression, ItemFormat } from '../transfer/formats/index.ts';
import { type EndpointFlags, endpointName, urlFlag, withEndpoint } from './endpoint-client.ts';
import { errorOutput } from './error-output.ts';
import { interruptedExitCode, onInterruption } from './transfer/interruption.ts';
import { counted } from '../values/counted.ts';
import { UsageError } from './usage-error.ts';

interface ImportFlags extends EndpointFlags {
  readonly table: string;
  readonly s3Endpoint?: string;
  readonly format?: ItemFormat;
  readonly compression?: Compression;
  readonly delimiter?: string;
  readonly header?: readonly string[];
  readonly concurrency: number;
  readonly rejected?: string;
  readonly checkpoint?: string;
}

const examples = `
Examples:
  $ singlet import songs.jsonl --table Music
  $ singlet import exports/01658528578619-c4d4e311/data --table Music
  $ singlet import s3://backups/music/ --table Music --aws --region eu-west-1
  $ singlet import people.csv --table People --header id,name,email

The table must exist: singlet deploy creates it. Existing items with the same keys are overwritten. To resume after an interruption, repeat the command.`;

export function importCommand(): Command {
  const command = new Command('import')
    .summary('write items from files to a table')
    .description('Writes the items of a file, directory or S3 prefix to a table in Singlet or DynamoDB.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet import --help'))
    .argument('<source>', 'FILE, DIRECTORY or s3://BUCKET/PREFIX')
    .addOption(new Option('-t, --table <name>', 'the table').makeOptionMandatory())
    .addOption(
      new Option('--s3-endpoint <url>', 'endpoint of the buckets, if not Amazon S3').argParser(
        urlFlag('--s3-endpoint', 'http://127.0.0.1:9000'),
      ),
    )
    .addOption(
      new Option('--format <format>', 'dynamodb-json, ion or csv; by default from the file name').argParser(formatOf),
    )
    .addOption(
      new Option('--compression <kind>', 'none, gzip or zstd; by default from the file name').argParser(compressionOf),
    )
    .addOption(new Option('--delimiter <character>', 'separator of CSV columns').argParser(delimiterOf))
    .addOption(
      new Option('--header <names>', 'CSV columns, if the first line does not name them').argParser((text) =>
        text.split(','),
      ),
    )
    .addOption(new Option('--concurrency <number>', 'concurrent batches of 25 items').default(16).argParser(countOf))
    .addOption(
      new Option(
        '--rejected <file>',
        'file for items that the table refuses; without it, the first such item stops the import',
      ),
    )
    .addOption(new Option('--checkpoint <file>', 'file for the progress of the import'))
    .addHelpText('after', examples)
    .action(async (source: string, flags: ImportFlags) => importFiles(source, flags));
  return withEndpoint(command);
}

async function importFiles(source: string, flags: ImportFlags): Promise<void> {
  // Loaded on demand, because most starts of the program are those of a server.
  const { CheckpointFile } = await import('./transfer/checkpoint-file.ts');
  const { openTable, transferProblem } = await import('./transfer/dynamodb-endpoint.ts');
  const { openSource } = await import('./transfer/import-source.ts');
  const { showProgress } = await import('./transfer/progress.ts');
  const { runImport } = await import('./transfer/run-import.ts');
  const files = await openSource(source, flags);
  const endpoint = await openTable(flags.table, flags);
  // The same name in another region, or after the table was deleted, is another table: what is done for one is not for the other.
  const { TableArn = flags.table, TableId = '' } = endpoint.table;
  const work = `import of ${source} into ${TableArn} ${TableId} at ${endpointName(flags)}`;
  const checkpointPath = flags.checkpoint ?? `singlet-import-${flags.table}.checkpoint.json`;
  const interruption = onInterruption();
  const progress = await showProgress(
    flags.table,
    files.files.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  try {
    const { written, refused, isFinished } = await runImport({
      endpoint,
      source: files,
      checkpoint: new CheckpointFile(checkpointPath, work),
      progress,
      isInterrupted: interruption.isAsked,
      concurrency: flags.concurrency,
      rejectedPath: flags.rejected,
      csv: { delimiter: flags.delimiter, headerList: flags.header },
    });
    progress.stop();
    const rejected = refused === 0 ? '' : `, ${refused} refused (see ${flags.rejected})`;
    process.stdout.write(`${counted(written, 'item')} written to ${flags.table}${rejected}\n`);
    if (isFinished) return;
    process.stderr.write(`Interrupted. The same command continues with it (${checkpointPath}).\n`);
    process.exitCode = interruptedExitCode;
  } catch (error) {
    throw transferProblem(error, flags);
  } finally {
    progress.stop();
    interruption.release();
    endpoint.client.destroy();
  }
}

function formatOf(text: string): ItemFormat {
  switch (text) {
    case 'dynamodb-json':
      return 'DYNAMODB_JSON';
    case 'ion':
      return 'ION';
    case 'csv':
      return 'CSV';
    default:
      throw new UsageError(`--format takes dynamodb-json, ion or csv, not ${JSON.stringify(text)}.`);
  }
}

function compressionOf(text: string): Compression {
  switch (text) {
    case 'none':
      return 'NONE';
    case 'gzip':
      return 'GZIP';
    case 'zstd':
      return 'ZSTD';
    default:
      throw new UsageError(`--compression takes none, gzip or zstd, not ${JSON.stringify(text)}.`);
  }
}

function delimiterOf(text: string): string {
  const delimiter = text === '\\t' ? '\t' : text;
  if (!/^[,;:|\t ]$/.test(delimiter)) {
    throw new UsageError(`--delimiter takes one of , ; : | blank and \\t, not ${JSON.stringify(text)}.`);
  }
  return delimiter;
}

/** Parses a flag's number from 1 to 1000. @throws {UsageError} */
export function countOf(text: string): number {
  const count = Number(text);
  if (!/^\d{1,4}$/.test(text) || count < 1 || count > 1000) {
    throw new UsageError(`A number from 1 to 1000 was expected, not ${JSON.stringify(text)}.`);
  }
  return count;
}
