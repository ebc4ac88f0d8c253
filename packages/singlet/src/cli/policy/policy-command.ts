import { Command } from 'commander';
import { errorOutput } from '../error-output.ts';
import { forCommand } from './for-command.ts';
import { simulateCommand } from './simulate-command.ts';

export function policyCommand(): Command {
  return new Command('policy')
    .summary('simulate and write policies')
    .description(
      'Simulates IAM policies with an explanation of the decision, and writes the policy that a model needs.',
    )
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet policy --help'))
    .addCommand(simulateCommand())
    .addCommand(forCommand());
}
