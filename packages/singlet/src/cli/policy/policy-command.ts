import { Command } from 'commander';
import { errorOutput } from '../error-output.ts';
import { forCommand } from './for-command.ts';
import { simulateCommand } from './simulate-command.ts';

export function policyCommand(): Command {
  return new Command('policy')
    .summary('ask what policies allow, and write them')
    .description('Policies as IAM writes them: what they decide, and why, and what a model needs.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet policy --help'))
    .addCommand(simulateCommand())
    .addCommand(forCommand());
}
