import { Command, Option } from 'commander';
import { errorOutput } from '../error-output.ts';
import { UsageError } from '../usage-error.ts';
import { type ConnectionFlags, modelProblem, withClient, withConnection } from './connection.ts';
import { loadModel } from './load-models.ts';
import { refuseUnproven } from './refuse-unproven.ts';

interface SeedFlags extends ConnectionFlags {
  readonly model?: string;
  readonly items: number;
  readonly scale?: number;
  readonly seed: number;
  readonly create?: boolean;
}

const examples = `
Examples:
  $ singlet seed shop.model.ts --create               tables of the model, with 100 items of each entity
  $ singlet seed shop.model.ts --scale 0.001          a thousandth of the items that the model expects

The same --seed gives the same items, except for their expiry times. Existing items are replaced.`;

export function seedCommand(): Command {
  const command = new Command('seed')
    .summary('fill tables with sample items')
    .description('Writes sample items of every entity of a model, children with their parents.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet seed --help'))
    .argument('<model>', 'a file that exports a model')
    .option('--model <name>', 'name of the model, if the file exports several')
    .addOption(new Option('--items <number>', 'items of each entity').default(100).argParser(numberOf('--items')))
    .addOption(
      new Option('--scale <factor>', 'fraction of the number of items that the model expects').argParser(
        numberOf('--scale'),
      ),
    )
    .addOption(new Option('--seed <number>', 'seed of the values').default(1).argParser(numberOf('--seed')))
    .option('--create', 'create missing tables')
    .addHelpText('after', examples)
    .action(async (path: string, flags: SeedFlags) => seedTables(path, flags));
  return withConnection(command);
}

async function seedTables(path: string, flags: SeedFlags): Promise<void> {
  const loaded = await loadModel(path, flags.model);
  await refuseUnproven(loaded);
  const { model } = loaded;
  const { seed } = await import('@singlet/model/samples');
  await withClient(flags, async (client) => {
    const counts = new Map<string, number>();
    let written = 0;
    try {
      await seed(model, {
        client,
        tables: flags.table,
        create: flags.create === true,
        items: flags.items,
        seed: flags.seed,
        ...(flags.scale !== undefined && { scale: flags.scale }),
        onItems: (entity, count) => {
          counts.set(entity, (counts.get(entity) ?? 0) + count);
          written += count;
          if (process.stderr.isTTY) process.stderr.write(`\r${written} items`);
        },
      });
    } catch (error) {
      throw modelProblem(error, model, flags);
    } finally {
      if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
    }
    process.stdout.write([...counts].map(([entity, count]) => `${entity}: ${count}\n`).join(''));
    const without = Object.keys(model.entities).filter((entity) => !counts.has(entity));
    if (flags.items > 0 && without.length > 0) {
      throw new UsageError(
        `No sample value fits ${without.join(' and ')}. Give examples of what its attributes accept, in the second argument of entity: { examples: { attribute: ['…', '…'] } }.`,
      );
    }
  });
}

function numberOf(flag: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= 0))
      throw new UsageError(`${flag} takes a number, not ${JSON.stringify(text)}.`);
    return value;
  };
}
