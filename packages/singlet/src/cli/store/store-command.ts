import { Command } from 'commander';
import { errorOutput } from '../error-output.ts';
import { moveCommand } from './move-command.ts';
import { initCommand, planCommand, statusCommand } from './postgres-commands.ts';
import { verifyCommand } from './verify-command.ts';

/** Commands for the storage of a server. */
export function storeCommand(): Command {
  return new Command('store')
    .summary('create a store, inspect it, move it, and verify its guarantees')
    .description('Commands for the storage of a server.')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureOutput(errorOutput('singlet store --help'))
    .addCommand(planCommand())
    .addCommand(initCommand())
    .addCommand(statusCommand())
    .addCommand(moveCommand())
    .addCommand(verifyCommand());
}
