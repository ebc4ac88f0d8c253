import type { CostOptions, ModelCost, PatternCost } from '@singlet/model/cost';
import { Command, Option } from 'commander';
import { errorOutput } from '../error-output.ts';
import { UsageError } from '../usage-error.ts';
import { loadModel } from './load-models.ts';
import { textTable } from './text-table.ts';

interface CostFlags {
  readonly model?: string;
  readonly peakToAverage: number;
  readonly json?: boolean;
}

/** The maximum throughput of one partition, per second. */
const partitionReadsMax = 3000;
const partitionWritesMax = 1000;

const examples = `
Examples:
  $ singlet cost shop.model.ts
  $ singlet cost shop.model.ts --peak-to-average 5 --json

The most expensive patterns come first. Patterns declare their rates (rate), entities the size and number of their items
(expects); undeclared values count as zero. Prices are those of us-east-1, in dollars.`;

export function costCommand(): Command {
  return new Command('cost')
    .summary('estimate what a model costs')
    .description(
      'Estimates the monthly cost of the patterns and items of a model, on demand and with capacity provisioned for the peak.',
    )
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet cost --help'))
    .argument('<model>', 'a file that exports a model')
    .option('--model <name>', 'name of the model, if the file exports several')
    .addOption(
      new Option('--peak-to-average <times>', 'ratio of the declared rates to the average').default(3).argParser(times),
    )
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async (path: string, flags: CostFlags) => {
      const { model } = await loadModel(path, flags.model);
      const { costOf } = await import('@singlet/model/cost');
      const options: CostOptions = { peakToAverage: flags.peakToAverage };
      const cost = costOf(model, options);
      process.stdout.write(flags.json === true ? `${JSON.stringify(cost, undefined, 2)}\n` : costText(cost));
    });
}

function times(text: string): number {
  const value = Number(text);
  if (!(value >= 1) || !Number.isFinite(value))
    throw new UsageError(`--peak-to-average takes a number from 1, not ${JSON.stringify(text)}.`);
  return value;
}

function costText(cost: ModelCost): string {
  const { patterns, peakToAverage, storedBytes, storagePerMonth, onDemandPerMonth, provisionedPerMonth } = cost;
  const { currency } = cost.prices;
  const priced = patterns.toSorted((a, b) => (b.onDemandPerMonth ?? 0) - (a.onDemandPerMonth ?? 0));
  const rows = priced.map((pattern) => [
    pattern.pattern,
    String(pattern.rate ?? ''),
    String(pattern.readUnits),
    String(pattern.writeUnits),
    pattern.onDemandPerMonth?.toFixed(2) ?? 'no rate',
    hottestText(pattern),
  ]);
  const heads = ['', 'per second', 'read units', 'write units', `${currency} a month`, 'hottest partition'];
  const totals = [
    [
      'requests on demand',
      `${currency} ${onDemandPerMonth.toFixed(2)} a month, peaks ${peakToAverage} times the average`,
    ],
    ['requests with capacity for the peak', `${currency} ${provisionedPerMonth.toFixed(2)} a month`],
    ['storage', `${currency} ${storagePerMonth.toFixed(2)} a month for ${(storedBytes / 2 ** 30).toFixed(2)} GiB`],
  ];
  return `${textTable([heads, ...rows])}\n\n${textTable(totals)}\n`;
}

/** The load as a share of one partition's throughput. */
function hottestText({ hottest }: PatternCost): string {
  if (hottest === undefined) return '';
  const share = Math.max(hottest.reads / partitionReadsMax, hottest.writes / partitionWritesMax);
  return `${(share * 100).toFixed(share < 0.01 ? 1 : 0)} %${share > 1 ? ', more than it takes' : ''}`;
}
