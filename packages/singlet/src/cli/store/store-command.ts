import { Command } from 'commander';
import { errorOutput } from '../error-output.ts';
import { initCommand, statusCommand } from './postgres-commands.ts';
import { verifyCommand } from './verify-command.ts';

/** Commands for the storage of a server. */
export function storeCommand(): Command {
  return new Command('store')
    .summary('create a store, inspect it, and verify its guarantees')
    .description('Commands for the storage of a server.')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureOutput(errorOutput('singlet store --help'))
    .addCommand(initCommand())
    .addCommand(statusCommand())
    .addCommand(verifyCommand());
}
