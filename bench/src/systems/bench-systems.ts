import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measuredSystems } from '../../../systems/measurement/measured-systems.ts';
import { BenchError } from '../bench-error.ts';
import { killChildren } from '../child-processes.ts';
import { describeMachine, describeVersions } from '../machine.ts';
import { watchOtherLoad } from '../process-cpu.ts';
import { createProgress } from '../progress.ts';
import type { Problem } from '../measurement.ts';
import { measureSystem } from './measure-system.ts';
import { parseSystemsOptions, systemsHelpText, type SystemsOptions } from './options.ts';
import { renderSystemsReport } from './report.ts';
import type { SystemResult, SystemsResults } from './results.ts';

const resultsDirectory = fileURLToPath(new URL('../../results/', import.meta.url));
const quickShare = 0.2;

/**
 * Measures the access patterns of the systems and prints the results.
 *
 * @returns the exit code: 1 when something could not be measured.
 * @throws {BenchError}
 */
export async function benchSystems(argv: readonly string[]): Promise<number> {
  const known = [...measuredSystems.keys()];
  const options = parseSystemsOptions(argv, known);
  if (options === 'help') {
    process.stdout.write(systemsHelpText(known));
    return 0;
  }
  const startedAt = new Date().toISOString();
  const parent = options.directory ?? resultsDirectory;
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, 'systems-'));
  const clean = (): void => {
    killChildren();
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('SIGINT', () => {
    clean();
    process.exit(130);
  });
  // The SDK's deprecation warning for Node 20 would interrupt the progress display.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  try {
    const results = await measure(options, directory, startedAt);
    const file = options.jsonFile ?? join(resultsDirectory, `systems-${startedAt.replaceAll(':', '-')}.json`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
    process.stdout.write(`${renderSystemsReport(results)}\nAll figures: ${file}\n`);
    return results.problems.length === 0 ? 0 : 1;
  } finally {
    clean();
  }
}

async function measure(options: SystemsOptions, directory: string, startedAt: string): Promise<SystemsResults> {
  const { times, quick } = options;
  const machine = describeMachine(directory);
  const otherLoad = watchOtherLoad();
  const progress = createProgress();
  const problems: Problem[] = [];
  const systems: SystemResult[] = [];
  for (const name of options.systems) {
    const system = measuredSystems.get(name);
    if (system === undefined) throw new BenchError('missing', `There is no system ${name}.`);
    const { usual, full } = system.scales;
    const scale = options.scale === undefined ? usual * (quick ? quickShare : 1) : options.scale * full;
    try {
      systems.push(await measureSystem(name, system, { scale, times, directory, progress, problems }));
    } catch (error) {
      problems.push({ what: name, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  progress.end();
  const otherLoadShare = otherLoad();
  return {
    format: 1,
    startedAt,
    machine,
    versions: describeVersions(),
    settings: { times, quick },
    ...(otherLoadShare !== undefined && { otherLoadShare }),
    systems,
    problems,
  };
}
