import type { Model } from '@singlet/model';
import { Command, Option } from 'commander';
import { errorOutput } from '../error-output.ts';
import { UsageError } from '../usage-error.ts';
import { renamedTables } from './connection.ts';
import { loadModel } from './load-models.ts';
import { writeOutput } from './write-output.ts';

interface ModelExportFlags {
  readonly to: (typeof formats)[number];
  readonly tag?: string;
  readonly table: Readonly<Record<string, string>>;
  readonly model?: string;
  readonly out?: string;
}

const formats = ['workbench', 'cloudformation', 'tenant-policy'] as const;

const examples = `
Examples:
  $ singlet model export shop.model.ts --to workbench --out shop.json
  $ singlet model export shop.model.ts --to cloudformation --out tables.json
  $ singlet model export shop.model.ts --to tenant-policy --tag tenant --out policy.json

A tenant policy is an IAM policy that confines a session to the items of one tenant, named by the session tag.`;

export function modelExportCommand(): Command {
  return new Command('export')
    .summary('write a model for another tool')
    .description(
      'Writes a model for NoSQL Workbench, its tables as a template of AWS CloudFormation, or the IAM policy of one tenant.',
    )
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet model export --help'))
    .argument('<model>', 'a file that exports a model')
    .addOption(new Option('--to <format>', 'the format').choices(formats).makeOptionMandatory())
    .option('--model <name>', 'name of the model, if the file exports several')
    .option('-o, --out <file>', 'where to write it; by default standard output')
    .option('--tag <name>', 'for a tenant policy: the tag with the tenant; by default the name of the tenant attribute')
    .addOption(
      renamedTables('for a tenant policy: maps a table of the model to a table with another name; may be repeated'),
    )
    .addHelpText('after', examples)
    .action(async (path: string, flags: ModelExportFlags) => {
      const { model } = await loadModel(path, flags.model);
      await writeOutput(`${JSON.stringify(await exported(model, flags), undefined, 2)}\n`, flags.out, {
        replace: true,
      });
    });
}

async function exported(model: Model, { to, tag, table }: ModelExportFlags): Promise<unknown> {
  if (to === 'tenant-policy') {
    const { tenantPolicy } = await import('@singlet/model/check');
    try {
      return tenantPolicy(model, { tables: table, ...(tag !== undefined && { tag }) });
    } catch (error) {
      throw error instanceof Error && error.name === 'ModelError'
        ? new UsageError(error.message, { cause: error })
        : error;
    }
  }
  const { toCloudFormation, toWorkbench } = await import('@singlet/model/bridges');
  return to === 'workbench' ? toWorkbench(model, { now: Date.now() }) : toCloudFormation(model);
}
