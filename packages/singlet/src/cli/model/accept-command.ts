import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { errorOutput } from '../error-output.ts';
import { UsageError } from '../usage-error.ts';
import { acceptedFile, fileTextIfPresent } from './accepted-version.ts';
import { loadModel } from './load-models.ts';

interface AcceptFlags {
  readonly model?: string;
  readonly accepted?: string;
  readonly check?: boolean;
}

const examples = `
Examples:
  $ singlet accept shop.model.ts             writes shop.accepted.json; commit it
  $ singlet accept shop.model.ts --check     fails if the model is not the accepted version`;

export function acceptCommand(): Command {
  return new Command('accept')
    .summary('record a model as the version that runs')
    .description(
      'Writes a snapshot of a model, with which later versions are compared and from which they are migrated.',
    )
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet accept --help'))
    .argument('<model>', 'a file that exports a model')
    .option('--model <name>', 'name of the model, if the file exports several')
    .option('--accepted <file>', 'where to write it; by default NAME.accepted.json beside the model')
    .option('--check', 'write nothing, and fail if the file differs')
    .addHelpText('after', examples)
    .action(async (path: string, flags: AcceptFlags) => {
      const loaded = await loadModel(path, flags.model);
      const { snapshot, snapshotText } = await import('@singlet/model/versions');
      const file = acceptedFile(loaded, flags.accepted);
      const text = snapshotText(snapshot(loaded.model));
      if (flags.check !== true) writeFileSync(file, text);
      else if (fileTextIfPresent(file) !== text)
        throw new UsageError(`${file} is not this version: see singlet diff ${path}.`);
      process.stdout.write(`${file}\n`);
    });
}
