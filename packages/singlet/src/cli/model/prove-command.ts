import { resolve } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { ModelError } from '@singlet/model';
import type { ProveProgress, ProveReport, ProvenPattern } from '@singlet/model/prove';
import { Command, Option } from 'commander';
import { createDatabase } from '../../database/create-database.ts';
import { defaultEndpoint, endpointConfig, endpointProblem, regionOf } from '../endpoint-client.ts';
import { errorOutput } from '../error-output.ts';
import { barCharacters, loadProgressBars } from '../progress-bars.ts';
import { interruptedExitCode, onInterruption } from '../transfer/interruption.ts';
import { UsageError } from '../usage-error.ts';
import { loadFindingLocator } from './finding-locator.ts';
import { type FileFault, type LoadedModel, loadUsableModels } from './load-models.ts';
import { plainJson } from './plain-json.ts';
import { textTable } from './text-table.ts';

interface ProveFlags {
  readonly model?: string;
  readonly endpoint?: string;
  readonly region: string;
  readonly runs: number;
  readonly seconds?: number;
  readonly seed: number;
  readonly path?: string;
  readonly writes?: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  $ singlet prove shop.model.ts                        on a database in this process
  $ singlet prove shop.model.ts --seconds 60           as many sets of items as fit in a minute
  $ singlet prove shop.model.ts --seed 7 --path 3.openOrders.2     repeats a counterexample
  $ singlet prove systems --json                       every model below a directory, as JSON

Tables get unique names and are deleted afterwards. If an answer is wrong, the exit code is 1 and the smallest case is
printed as a test. It is also 1 if a file or a model cannot be run, and the others are proven.`;

export function proveCommand(): Command {
  return new Command('prove')
    .summary('search for wrong answers of a model')
    .description(
      'Fills tables with adversarial items, calls every pattern that reads, with pages of every size, and compares each answer with the meaning of the pattern, evaluated without keys.',
    )
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet prove --help'))
    .argument('<model>', 'a file that exports models, or a directory with such files')
    .option('--model <name>', 'one model of several; by default all')
    .option('-e, --endpoint <url>', 'where to create the tables, instead of a database in this process')
    .addOption(
      new Option('--region <name>', 'region of the endpoint')
        .env('AWS_REGION')
        .default('us-east-1')
        .argParser(regionOf()),
    )
    .addOption(new Option('--runs <number>', 'sets of items to try').default(20).argParser(wholeNumber('--runs', 1)))
    .addOption(new Option('--seconds <number>', 'time limit for each model').argParser(wholeNumber('--seconds', 1)))
    .addOption(
      new Option('--seed <number>', 'seed of the items and calls').default(1).argParser(wholeNumber('--seed', 0)),
    )
    .option('--path <path>', 'repeat a single call, by the path in a counterexample')
    .option('--writes', 'also prove patterns that write: sequences of writes, some of them concurrent')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples)
    .action(proveModels);
}

async function proveModels(path: string, flags: ProveFlags): Promise<void> {
  const { prove } = await import('@singlet/model/prove');
  const usable = await loadUsableModels(path);
  const faults: (FileFault & { readonly export?: string })[] = [...usable.faults];
  const models = usable.models.filter(
    ({ name, model }) => flags.model === undefined || flags.model === name || flags.model === model.name,
  );
  if (models.length === 0 && faults.length === 0) throw new UsageError(`${path} has no model ${flags.model ?? ''}.`);
  const interruption = onInterruption();
  const reports: { readonly loaded: LoadedModel; readonly report: ProveReport }[] = [];
  try {
    await withProvingClient(flags, async (client) => {
      for (const loaded of models) {
        if (interruption.isAsked()) break;
        const progress = await proveProgress(loaded.model.name, flags.json === true);
        const stop = new AbortController();
        try {
          const report = await prove(loaded.model, {
            client,
            runs: flags.runs,
            seed: flags.seed,
            writes: flags.writes === true,
            signal: stop.signal,
            ...(flags.seconds !== undefined && { seconds: flags.seconds }),
            ...(flags.path !== undefined && { path: flags.path }),
            onProgress: (reached) => {
              progress.show(reached);
              if (interruption.isAsked()) stop.abort();
            },
          });
          reports.push({ loaded, report });
        } catch (error) {
          faults.push({ file: loaded.file, export: loaded.name, error: await placedProblem(error, loaded) });
        } finally {
          progress.end();
        }
      }
    });
  } catch (error) {
    throw proveProblem(error, flags);
  } finally {
    interruption.release();
  }
  const { counterexampleTest, stepsTest } = await import('@singlet/model/prove');
  const testsOf = ({ loaded, report }: (typeof reports)[number]): string[] => {
    const model = { name: loaded.name, lines: [importLine(loaded)] };
    return [
      ...report.counterexamples.map((found) => counterexampleTest(found, model)),
      ...(report.wrongWrites === undefined ? [] : [stepsTest(report.wrongWrites, model)]),
    ];
  };
  const text =
    flags.json === true
      ? `${JSON.stringify(
          plainJson([
            ...reports.map((each) => ({
              file: each.loaded.file,
              export: each.loaded.name,
              ...each.report,
              tests: testsOf(each),
            })),
            ...faults.map(({ error, ...where }) => ({ ...where, ok: false, error: error.message })),
          ]),
          undefined,
          2,
        )}\n`
      : reports
          .map((each) => `${reportText(each.report, testsOf(each))}${leftOutText(each.loaded, each.report, flags)}`)
          .join('\n');
  process.stdout.write(text);
  if (faults.length > 0) throw new UsageError(faults.map(({ error }) => error.message).join('\n'));
  if (reports.some(({ report }) => !report.ok)) process.exitCode = 1;
  else if (interruption.isAsked()) process.exitCode = interruptedExitCode;
}

/** Calls a function with a client of the endpoint, or of a temporary database. */
async function withProvingClient(flags: ProveFlags, run: (client: DynamoDBClient) => Promise<void>): Promise<void> {
  const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
  const { endpoint, region } = flags;
  const database = endpoint === undefined ? await createDatabase() : undefined;
  const client = new DynamoDBClient(
    database?.clientConfig() ?? endpointConfig({ endpoint: endpoint ?? defaultEndpoint, region }),
  );
  try {
    await run(client);
  } finally {
    client.destroy();
    await database?.close();
  }
}

/**
 * A model that cannot be run is told by its file and line. The others are still proven.
 *
 * @throws whatever else went wrong.
 */
async function placedProblem(error: unknown, loaded: LoadedModel): Promise<UsageError> {
  if (!(error instanceof Error) || error.name !== 'ModelError') throw error;
  const [problem] = (error as ModelError).problems;
  if (problem === undefined) throw error;
  const placeOf = await loadFindingLocator();
  return new UsageError(`${placeOf(loaded, problem)} cannot be run: ${error.message}`, { cause: error });
}

function proveProblem(error: unknown, { endpoint }: ProveFlags): unknown {
  if (error instanceof Error && ['ModelError', 'InputError'].includes(error.name))
    return new UsageError(error.message, { cause: error });
  return endpoint === undefined ? error : endpointProblem(error, { endpoint });
}

/** A bar on standard error; nothing if that is not a terminal, or the output is for machines. */
async function proveProgress(
  name: string,
  quiet: boolean,
): Promise<{ readonly show: (progress: ProveProgress) => void; readonly end: () => void }> {
  const cliProgress = quiet || !process.stderr.isTTY ? undefined : await loadProgressBars();
  if (cliProgress === undefined) return { show: () => undefined, end: () => undefined };
  const bar = new cliProgress.SingleBar(
    {
      format: '{bar} {value} of {total} sets of items | {calls} calls | {name}',
      barsize: barCharacters(process.stderr),
      stream: process.stderr,
      hideCursor: true,
      clearOnComplete: true,
    },
    cliProgress.Presets.shades_classic,
  );
  bar.start(1, 0, { calls: 0, name });
  return {
    show: ({ run, runs, calls }) => {
      bar.setTotal(runs);
      bar.update(run, { calls, name });
    },
    end: () => bar.stop(),
  };
}

const signs: Readonly<Record<ProvenPattern['verdict'], string>> = {
  agrees: '+',
  differs: 'x',
  unproven: '?',
  'not run': '-',
};

function reportText(
  { model, seed, runs, calls, patterns, counterexamples, wrongWrites }: ProveReport,
  tests: readonly string[],
): string {
  const called = patterns.filter(({ calls: count }) => count > 0);
  const rows = patterns.map(({ pattern, verdict, refusedBy, calls: count }) => [
    signs[verdict],
    pattern,
    verdict,
    refusedBy !== undefined ? `check refuses it: ${refusedBy.join(', ')}` : count === 0 ? '' : `${count} calls`,
  ]);
  const count = (verdict: ProvenPattern['verdict']): number =>
    patterns.filter((each) => each.verdict === verdict).length;
  const found = counterexamples.map(
    ({ pattern, kind, message, path }, i) =>
      `${pattern}: ${kind}\n  ${message}\n  again: --seed ${seed} --path ${path}\n\n${indented(tests[i])}\n`,
  );
  if (wrongWrites !== undefined) {
    const { kind, message, path } = wrongWrites;
    found.push(
      `writes: ${kind}\n  ${message}\n  again: --writes --seed ${seed} --path ${path}\n\n${indented(tests.at(-1))}\n`,
    );
  }
  const unproven = count('unproven') === 0 ? '' : `, ${count('unproven')} of them unproven by declaration`;
  const summary = `${model}: ${called.length - count('differs')} of ${called.length} patterns answer as declared${unproven}; ${calls} calls on ${runs} sets of items, seed ${seed}`;
  return [textTable(rows), ...found, summary, ''].join('\n');
}

/** How many patterns were not run because they write. */
function leftOutText({ model }: LoadedModel, { patterns }: ProveReport, { writes, path }: ProveFlags): string {
  if (writes === true || path !== undefined) return '';
  const left = patterns.filter(
    ({ pattern, refusedBy }) => refusedBy === undefined && model.patterns[pattern]?.reads === undefined,
  ).length;
  if (left === 0) return '';
  return `${left} ${left === 1 ? 'pattern that writes was' : 'patterns that write were'} not run: add --writes\n`;
}

function indented(text = ''): string {
  return text.replaceAll(/^/gm, '    ').trimEnd();
}

function importLine({ name, file }: LoadedModel): string {
  const from = JSON.stringify(resolve(file));
  return name === 'default' ? `import defaultModel from ${from};` : `import { ${name} } from ${from};`;
}

function wholeNumber(flag: string, least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least)
      throw new UsageError(`${flag} takes a whole number from ${least}, not ${JSON.stringify(text)}.`);
    return value;
  };
}
