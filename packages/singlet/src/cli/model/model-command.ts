import { Command } from 'commander';
import { errorOutput } from '../error-output.ts';
import { modelExportCommand } from './model-export-command.ts';
import { modelImportCommand } from './model-import-command.ts';

/** Converts models from and to the formats of other tools. */
export function modelCommand(): Command {
  return new Command('model')
    .summary('import and export models')
    .description('Imports models from other tools or existing tables, and exports them to other tools.')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureOutput(errorOutput('singlet model --help'))
    .addCommand(modelImportCommand())
    .addCommand(modelExportCommand());
}
