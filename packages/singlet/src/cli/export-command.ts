import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { counted } from '../values/counted.ts';
import { type EndpointFlags, withEndpoint } from './endpoint-client.ts';
import { errorOutput } from './error-output.ts';
import { countOf } from './import-command.ts';
import type { ColumnChoice } from './transfer/entity-columns.ts';
import type { ExportFormat } from './transfer/write-files.ts';
import { interruptedExitCode, onInterruption } from './transfer/interruption.ts';
import { UsageError } from './usage-error.ts';

interface ExportFlags extends EndpointFlags {
  readonly out: string;
  readonly format: ExportFormat;
  readonly parquet?: boolean;
  readonly typeAttribute: string;
  readonly drop?: readonly string[];
  readonly keep?: readonly string[];
  readonly rename?: ReadonlyMap<string, string>;
  readonly segments: number;
}

const examples = `
Examples:
  $ singlet export Music --out music
  $ singlet export Music --aws --region eu-west-1 --format csv
  $ singlet export Shop --parquet --out lake

--parquet writes a file for each entity type (Order.parquet, User.parquet), without attributes that only serve indexes: key
attributes of the table and its indexes with names like PK, SK, GSI1PK or GSI1SK. Numbers stay exact.
To resume after an interruption, repeat the command.`;

export function exportCommand(): Command {
  const command = new Command('export')
    .summary('write the items of a table to files')
    .description('Writes all items of a table in Singlet or DynamoDB to files.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet export --help'))
    .argument('<table>', 'the table')
    .addOption(new Option('-o, --out <directory>', 'where to write').default('.'))
    .addOption(
      new Option('--format <format>', 'format of the files')
        .choices(['dynamodb-json', 'ion', 'csv'])
        .default('dynamodb-json'),
    )
    .addOption(new Option('--parquet', 'write a Parquet file for each entity type').conflicts('format'))
    .addOption(new Option('--type-attribute <name>', 'the attribute that names the entity type').default('Type'))
    .addOption(
      new Option('--drop <names>', 'attributes to omit, instead of those that only serve indexes').argParser(namesOf),
    )
    .addOption(new Option('--keep <names>', 'attributes to keep').argParser(namesOf))
    .addOption(new Option('--rename <pairs>', 'new column names: fn=firstName,ln=lastName').argParser(pairsOf))
    .addOption(
      new Option('--segments <number>', 'parts of the table to read in parallel').default(4).argParser(countOf),
    )
    .addHelpText('after', examples)
    .action(async (table: string, flags: ExportFlags) => exportTable(table, flags));
  return withEndpoint(command);
}

async function exportTable(tableName: string, flags: ExportFlags): Promise<void> {
  const { openTable, transferProblem } = await import('./transfer/dynamodb-endpoint.ts');
  const { indexingAttributes } = await import('./transfer/entity-columns.ts');
  const { showProgress } = await import('./transfer/progress.ts');
  const { stageTable } = await import('./transfer/stage-table.ts');
  const endpoint = await openTable(tableName, flags);
  const out = resolve(flags.out);
  const directory = join(out, `.singlet-export-${tableName}`);
  const interruption = onInterruption();
  const progress = await showProgress(tableName, endpoint.table.ItemCount);
  try {
    const { segments } = flags;
    const staged = await stageTable({ endpoint, directory, segments, progress, isInterrupted: interruption.isAsked });
    progress.stop();
    if (staged === undefined) {
      process.stderr.write(`Interrupted. Repeat the command to continue (${directory}).\n`);
      process.exitCode = interruptedExitCode;
      return;
    }
    if (flags.parquet === true) {
      const dropped = new Set(flags.drop ?? indexingAttributes(endpoint.table));
      for (const name of flags.keep ?? []) dropped.delete(name);
      const choice: ColumnChoice = { typeAttribute: flags.typeAttribute, dropped, renamed: flags.rename ?? new Map() };
      const { writeParquet } = await import('./transfer/write-parquet.ts');
      for (const { entityType, path, rows } of await writeParquet(staged, out, choice)) {
        process.stdout.write(`${path}: ${counted(rows, 'item')} of type ${entityType}\n`);
      }
    } else {
      const { writeFiles } = await import('./transfer/write-files.ts');
      for (const path of await writeFiles(staged, out, { tableName, format: flags.format }))
        process.stdout.write(`${path}\n`);
    }
    await rm(directory, { recursive: true });
    process.stdout.write(`${counted(staged.itemCount, 'item')} of ${tableName} written\n`);
  } catch (error) {
    throw transferProblem(error, flags);
  } finally {
    progress.stop();
    interruption.release();
    endpoint.client.destroy();
  }
}

function namesOf(text: string): readonly string[] {
  return text.split(',').filter((name) => name !== '');
}

function pairsOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    namesOf(text).map((pair) => {
      const [from = '', to = '', ...rest] = pair.split('=');
      if (from === '' || to === '' || rest.length > 0) {
        throw new UsageError(`--rename takes pairs such as fn=firstName, not ${JSON.stringify(pair)}.`);
      }
      return [from, to] as const;
    }),
  );
}
