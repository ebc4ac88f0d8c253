import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { Draft, InferredModel } from '@singlet/model/bridges';
import { Command, Option } from 'commander';
import { type EndpointFlags, endpointName, endpointProblem, withEndpoint } from '../endpoint-client.ts';
import { errorOutput } from '../error-output.ts';
import { fileProblem } from '../file-problem.ts';
import { TemplateError } from '../../templates/template-error.ts';
import { collectParameter } from '../template-parameter.ts';
import { UsageError } from '../usage-error.ts';
import { withClient } from './connection.ts';
import { importedSchemas } from './imported-schemas.ts';
import { textTable } from './text-table.ts';
import { writeOutput } from './write-output.ts';

interface ModelImportFlags extends EndpointFlags {
  readonly from?: 'workbench' | 'electrodb' | 'onetable' | 'table';
  readonly table: readonly string[];
  readonly items: number;
  readonly name?: string;
  readonly template?: string;
  readonly parameter: ReadonlyMap<string, string>;
  readonly out?: string;
}

const itemsMax = 20_000;

const examples = `
Examples:
  $ singlet model import --table shop-production --endpoint http://localhost:8000 --out shop.model.ts
  $ singlet model import shop.json --out shop.model.ts                a model of NoSQL Workbench
  $ singlet model import entities.ts --table shop --out shop.model.ts electrodb entities or a onetable schema that the file exports
  $ singlet model import --template template.yaml --out shop.model.ts    the tables of a CloudFormation template, CDK output or Terraform plan

A template defines only the keys of items: the draft has one entity per table, for you to complete.
From a table, entities and key templates are inferred from a sample of its items; the file gives the confidence of each.`;

export function modelImportCommand(): Command {
  const command = new Command('import')
    .summary('write a model file from a table or from the model of another tool')
    .description(
      'Writes a model file in TypeScript from existing tables, templates of tables, NoSQL Workbench, electrodb or onetable.',
    )
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet model import --help'))
    .argument(
      '[file]',
      'a model of NoSQL Workbench (.json), or a module that exports electrodb entities or a onetable schema',
    )
    .addOption(
      new Option('--from <kind>', 'kind of the file; by default detected').choices([
        'workbench',
        'electrodb',
        'onetable',
        'table',
      ]),
    )
    .addOption(
      new Option('--table <name>', 'a table to infer from, or the table of the entities in a file; may be repeated')
        .default([], 'none')
        .argParser((name: string, before: readonly string[]) => [...before, name]),
    )
    .option(
      '--template <file>',
      'a CloudFormation template, the output of CDK, a Terraform plan as JSON, or table definitions',
    )
    .addOption(
      new Option(
        '--parameter <name=value>',
        'value of a parameter of the template, or of a reference that cannot be resolved; may be repeated',
      )
        .default(new Map<string, string>(), 'none')
        .argParser(collectParameter),
    )
    .addOption(new Option('--items <number>', 'items to sample from each table').default(2000).argParser(itemCount))
    .option('--name <name>', 'the name of the model')
    .option('-o, --out <file>', 'where to write it; by default standard output. An existing file is not overwritten')
    .addHelpText('after', examples)
    .action(async (file: string | undefined, flags: ModelImportFlags) => importModel(file, flags));
  return withEndpoint(command);
}

async function importModel(file: string | undefined, flags: ModelImportFlags): Promise<void> {
  if (flags.template !== undefined) {
    if (file !== undefined || flags.from !== undefined || flags.table.length > 0)
      throw new UsageError('--template cannot be combined with a file, --from or --table.');
    const { modelFile } = await import('@singlet/model/bridges');
    await writeOutput(modelFile(await draftFromTemplate(flags.template, flags)), flags.out, { replace: false });
    return;
  }
  const fromTable = flags.from === 'table' || (flags.from === undefined && file === undefined);
  if (fromTable && (file !== undefined || flags.table.length === 0))
    throw new UsageError('Name a file, or the tables to infer a model from with --table.');
  if (!fromTable && file === undefined) throw new UsageError(`--from ${flags.from ?? ''} needs a file.`);
  const { modelFile } = await import('@singlet/model/bridges');
  const draft = file === undefined ? await draftFromSamples(flags) : await draftFromFile(file, flags);
  await writeOutput(modelFile(draft), flags.out, { replace: false });
}

/** The tables of a template, as `singlet deploy` would create them, as far as keys and indexes are concerned. */
async function draftFromTemplate(file: string, { name, region, parameter }: ModelImportFlags): Promise<Draft> {
  const { readLayouts } = await import('../../templates/read-layouts.ts');
  const { draftFromTables } = await import('@singlet/model/bridges');
  refuseTerraform(file);
  const own = basename(file).replace(/\..*$/, '');
  const tables = await readLayouts(readText(file), {
    accountId: '000000000000',
    region: region ?? 'us-east-1',
    stackName: name ?? own,
    given: parameter,
  }).catch((error: unknown) => {
    throw error instanceof TemplateError
      ? new UsageError(`${file} is not a template of tables. ${error.message}`)
      : error;
  });
  if (tables.length === 0) throw new UsageError(`${file} declares no tables.`);
  return draftFromTables(
    name ?? own,
    tables.map(({ create, more }) => {
      const { Enabled: enabled, AttributeName: expires } = more?.timeToLive ?? {};
      // The input of CreateTable has the same form for keys and indexes as the output of DescribeTable.
      return { description: create, ...(enabled === true && expires !== undefined && { expires }) };
    }),
  );
}

function refuseTerraform(file: string): void {
  if (file.endsWith('.tf'))
    throw new UsageError(`${file} is a Terraform configuration: give its plan, \`terraform show -json PLAN\`.`);
}

/** Whether a file that was given as a model of another tool is a template of tables. */
function isTemplate(file: string): boolean {
  if (extname(file) !== '.json') return /\.(?:ya?ml|template)$/.test(file);
  const json = readJson(file);
  const members = ['Resources', 'planned_values', 'values', 'AttributeDefinitions'];
  return typeof json === 'object' && json !== null && members.some((name) => name in json);
}

async function draftFromSamples(flags: ModelImportFlags): Promise<Draft> {
  const { inferModel, sampleTable } = await import('@singlet/model/bridges');
  const samples = await withClient(flags, async (client) => {
    try {
      return await Promise.all(flags.table.map(async (table) => sampleTable(table, { client, items: flags.items })));
    } catch (error) {
      if (error instanceof Error && error.name === 'ResourceNotFoundException')
        throw new UsageError(`${endpointName(flags)} has no table ${flags.table.join(' or ')}.`, { cause: error });
      throw endpointProblem(error, flags);
    }
  });
  const inferred = inferModel(flags.name ?? flags.table[0] ?? 'imported', samples);
  process.stderr.write(`${evidenceText(inferred)}\n`);
  return inferred.draft;
}

function evidenceText({ entities, guards }: InferredModel): string {
  return textTable([
    ...entities.map(({ entity, table, items, confidence }) => [
      entity,
      table,
      `${items} items`,
      `${Math.round(confidence * 100)} % sure`,
    ]),
    ...guards.map(({ type, table, items, entity, attribute }) => [
      type,
      table,
      `${items} items`,
      `no entity: keeps ${entity}.${attribute} unique`,
    ]),
  ]);
}

async function draftFromFile(file: string, { from, name, table }: ModelImportFlags): Promise<Draft> {
  const { draftFromElectrodb, draftFromOnetable, draftFromWorkbench } = await import('@singlet/model/bridges');
  refuseTerraform(file);
  if (from === undefined && isTemplate(file))
    throw new UsageError(`${file} is a template of tables: give it as \`--template ${file}\`.`);
  if (from === 'workbench' || (from === undefined && extname(file) === '.json')) {
    const draft = workbenchDraft(file, draftFromWorkbench);
    return name === undefined ? draft : { ...draft, name };
  }
  const { electrodb, onetable } = await importedSchemas(file);
  const options = {
    name: name ?? basename(file).replace(/\..*$/, ''),
    ...(table[0] !== undefined && { table: table[0] }),
  };
  if (from !== 'onetable' && electrodb.length > 0) return draftFromElectrodb(electrodb, options);
  const [schema] = onetable;
  if (from !== 'electrodb' && schema !== undefined) return draftFromOnetable(schema, options);
  throw new UsageError(`${file} exports no ${from ?? 'electrodb entity and no onetable schema'}.`);
}

function workbenchDraft(file: string, read: (model: unknown) => Draft): Draft {
  const json = readJson(file);
  try {
    return read(json);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'InputError') throw error;
    throw new UsageError(`${file}: ${error.message}`, { cause: error });
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw fileProblem(file, error);
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw fileProblem(file, error);
  }
}

function itemCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > itemsMax)
    throw new UsageError(`--items takes a number from 1 to ${itemsMax}, not ${JSON.stringify(text)}.`);
  return count;
}
