import type { PatternPolicy } from '@singlet/model/check';
import { Command } from 'commander';
import { errorOutput } from '../error-output.ts';
import { renamedTables } from '../model/connection.ts';
import { loadModel } from '../model/load-models.ts';
import { writeOutput } from '../model/write-output.ts';
import { UsageError } from '../usage-error.ts';

interface ForFlags {
  readonly model?: string;
  readonly table: Readonly<Record<string, string>>;
  readonly tag?: string;
  readonly account?: string;
  readonly region?: string;
  readonly out?: string;
}

const examples = `
Examples:
  $ singlet policy for shop.model.ts customerWithOrders orderWithItems --account 111122223333 --region us-east-1
  $ singlet policy for desk.model.ts openTickets --tag tenant --out policy.json
  $ singlet identity attach app --policy policy.json --auth auth.json

The policy is printed to standard output. Standard error lists further patterns that it also allows, because they need no more
permissions. The policy for a procedure covers all of its patterns.`;

export function forCommand(): Command {
  return new Command('for')
    .summary('write the least policy for patterns of a model')
    .description(
      'Writes the least policy that lets the named patterns of a model run: actions, tables and indexes, partition keys, attributes.',
    )
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet policy for --help'))
    .argument('<model>', 'a file that exports a model')
    .argument('<pattern...>', 'names of patterns or procedures')
    .option('--model <name>', 'name of the model, if the file exports several')
    .option('--account <id>', 'the account of the tables (default: any)')
    .option('--region <name>', 'the region of the tables (default: any)')
    .option('--tag <name>', 'the tag of the session with the tenant (default: the name of the tenant attribute)')
    .addOption(renamedTables('maps a table of the model to a table with another name; may be repeated'))
    .option('-o, --out <file>', 'where to write it; by default standard output')
    .addHelpText('after', examples)
    .action(async (path: string, patterns: readonly string[], flags: ForFlags) => {
      const { policy, alsoAllowed, partlyAllowed } = await policyFor(path, patterns, flags);
      await writeOutput(`${JSON.stringify(policy, undefined, 2)}\n`, flags.out, { replace: true });
      if (alsoAllowed.length > 0) process.stderr.write(`Also allowed: ${alsoAllowed.join(', ')}\n`);
      if (partlyAllowed.length > 0)
        process.stderr.write(`Allowed for some of their inputs: ${partlyAllowed.join(', ')}\n`);
    });
}

async function policyFor(path: string, patterns: readonly string[], flags: ForFlags): Promise<PatternPolicy> {
  const { tag, account, region, table } = flags;
  if (account !== undefined && !/^\d{12}$/.test(account))
    throw new UsageError(`--account takes 12 digits, not ${JSON.stringify(account)}.`);
  const { model } = await loadModel(path, flags.model);
  const { patternPolicy } = await import('@singlet/model/check');
  try {
    return patternPolicy(model, patterns, {
      tables: table,
      ...(tag !== undefined && { tag }),
      ...(account !== undefined && { account }),
      ...(region !== undefined && { region }),
    });
  } catch (error) {
    throw error instanceof Error && error.name === 'ModelError'
      ? new UsageError(error.message, { cause: error })
      : error;
  }
}
