import { Command, InvalidArgumentError, Option } from 'commander';
import { errorOutput } from '../error-output.ts';
import { UsageError } from '../usage-error.ts';

const countMax = 100_000;

const examples = `
Examples:
  $ singlet ksuid                                   a new id
  $ singlet ksuid --count 5
  $ singlet ksuid 1YnlHOfSSk3DhX4BR6lMAceAo1V       decodes an id`;

export function ksuidCommand(): Command {
  return new Command('ksuid')
    .summary('create or decode ids that sort by time')
    .description('Creates KSUIDs, unique ids that sort by their creation time in seconds, or decodes the given ones.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet ksuid --help'))
    .argument('[ids...]', 'KSUIDs to decode')
    .addOption(new Option('-n, --count <number>', 'number of ids to create').default(1).argParser(countOf))
    .addHelpText('after', examples)
    .action(async (ids: readonly string[], { count }: { readonly count: number }) => {
      const { InputError, ksuid, ksuidParts } = await import('@singlet/model');
      if (ids.length === 0) {
        process.stdout.write(Array.from({ length: count }, () => `${ksuid()}\n`).join(''));
        return;
      }
      try {
        const texts = ids.map((id) => {
          const { string, raw, time, timestamp, payload } = ksuidParts(id);
          return `string     ${string}\nraw        ${raw}\ntime       ${time}\ntimestamp  ${timestamp}\npayload    ${payload}\n`;
        });
        process.stdout.write(texts.join('\n'));
      } catch (error) {
        if (error instanceof InputError) throw new UsageError(error.message, { cause: error });
        throw error;
      }
    });
}

function countOf(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1 || count > countMax) {
    throw new InvalidArgumentError(`It takes a number from 1 to ${countMax}.`);
  }
  return count;
}
