import { Command } from 'commander';
import { errorOutput } from '../error-output.ts';
import { type ConnectionFlags, modelProblem, withClient, withConnection } from './connection.ts';
import { loadModel } from './load-models.ts';
import { plainJson } from './plain-json.ts';
import { patternFunction } from './pattern-function.ts';
import { patternInput } from './pattern-input.ts';
import { refuseUnproven } from './refuse-unproven.ts';

interface RunFlags extends ConnectionFlags {
  readonly model?: string;
  readonly input?: string;
  readonly request?: boolean;
  readonly cursor?: string;
}

const examples = `
Examples:
  $ singlet run shop.model.ts customerWithOrders --customerId ada
  $ singlet run shop.model.ts placeOrder --input '{"customerId": "ada", …}'
  $ singlet run shop.model.ts openOrders --customerId ada --request     the request, without sending it

Options that are not listed above are inputs of the pattern.`;

export function runCommand(): Command {
  const command = new Command('run')
    .summary('run one pattern of a model')
    .description('Runs one access pattern against an endpoint and prints its result.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet run --help'))
    .argument('<model>', 'a file that exports a model')
    .argument('<pattern>', 'the name of a pattern')
    .argument('[inputs...]', 'inputs of the pattern: --NAME VALUE')
    .allowUnknownOption()
    .option('--model <name>', 'name of the model, if the file exports several')
    .option('--input <json>', 'all inputs at once; - reads them from standard input')
    .option('--cursor <cursor>', 'continue after a page')
    .option('--request', 'print the request instead of sending it')
    .addHelpText('after', examples)
    .action(async (path: string, pattern: string, words: readonly string[], flags: RunFlags) =>
      runPattern(path, pattern, words, flags),
    );
  return withConnection(command);
}

async function runPattern(path: string, pattern: string, words: readonly string[], flags: RunFlags): Promise<void> {
  const loaded = await loadModel(path, flags.model);
  const { model } = loaded;
  await refuseUnproven(loaded);
  await withClient(flags, async (client) => {
    const run = await patternFunction(model, pattern, { client, tables: flags.table });
    const input = patternInput(model, pattern, words, flags.input);
    try {
      const result =
        flags.request === true
          ? run.request(input)
          : await run(input, flags.cursor === undefined ? undefined : { cursor: flags.cursor });
      process.stdout.write(`${JSON.stringify(plainJson(result), undefined, 2)}\n`);
    } catch (error) {
      throw modelProblem(error, model, flags);
    }
  });
}
