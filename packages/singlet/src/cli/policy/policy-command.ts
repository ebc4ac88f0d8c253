import { Command } from 'commander';
import { errorOutput } from '../error-output.ts';
import { simulateCommand } from './simulate-command.ts';

export function policyCommand(): Command {
  return new Command('policy')
    .summary('ask what policies allow')
    .description('Policies as IAM writes them: what they decide, and why.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet policy --help'))
    .addCommand(simulateCommand());
}
