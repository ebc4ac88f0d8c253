import { Command, Option } from 'commander';
import { errorOutput } from '../error-output.ts';
import { loadModel } from './load-models.ts';
import { writeOutput } from './write-output.ts';

interface ModelExportFlags {
  readonly to: 'workbench' | 'cloudformation';
  readonly model?: string;
  readonly out?: string;
}

const examples = `
Examples:
  $ singlet model export shop.model.ts --to workbench --out shop.json
  $ singlet model export shop.model.ts --to cloudformation --out tables.json`;

export function modelExportCommand(): Command {
  return new Command('export')
    .summary('write a model for another tool')
    .description('Writes a model for NoSQL Workbench, or its tables as a template of AWS CloudFormation.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet model export --help'))
    .argument('<model>', 'a file that exports a model')
    .addOption(new Option('--to <format>', 'the format').choices(['workbench', 'cloudformation']).makeOptionMandatory())
    .option('--model <name>', 'which, if the file exports several')
    .option('-o, --out <file>', 'where to write it; by default standard output')
    .addHelpText('after', examples)
    .action(async (path: string, flags: ModelExportFlags) => {
      const { model } = await loadModel(path, flags.model);
      const { toCloudFormation, toWorkbench } = await import('@singlet/model/bridges');
      const data = flags.to === 'workbench' ? toWorkbench(model, { now: Date.now() }) : toCloudFormation(model);
      writeOutput(`${JSON.stringify(data, undefined, 2)}\n`, flags.out, { replace: true });
    });
}
