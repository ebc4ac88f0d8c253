import { BenchError } from './bench-error.ts';
import type { Progress } from './progress.ts';
import type { MeasuredSubject, Measurement, Problem } from './results.ts';
import type { RunFigures, Timing } from './run-figures.ts';
import { type Scenario, type ScenarioName, scenarios } from './scenarios.ts';
import type { Subject } from './subject.ts';

/** The first round warms up longer: code is compiled and caches are filled then. */
const firstWarmUpFactor = 3;
/** A prime, so that rounds start at different places of the rings of requests, whatever their lengths. */
const requestsApart = 33_331;

export interface RoundsOptions {
  readonly scenarios: readonly ScenarioName[];
  readonly rounds: number;
  readonly timing: Timing;
  readonly progress: Progress;
  readonly problems: Problem[];
}

/**
 * Measures the subjects side by side. In each round every subject has one run, in an order that shifts by one from round
 * to round, so that a slow spell of the machine does not always hit the same one and the runs of a round can be compared.
 */
export async function measureRounds(
  subjects: readonly Subject[],
  options: RoundsOptions,
): Promise<{ readonly subjects: MeasuredSubject[]; readonly measurements: Measurement[] }> {
  const started: { subject: Subject; loadedBytes: number | undefined }[] = [];
  for (const subject of subjects) {
    options.progress.step(`starting and filling ${subject.title}`);
    const running = await attempt(options.problems, subject.title, async () => await subject.start());
    if (running) started.push({ subject, loadedBytes: subject.memoryBytes() });
  }
  const measurements: Measurement[] = [];
  for (const name of options.scenarios) {
    const running = started.map(({ subject }) => subject).filter((subject) => subject.supports(name));
    measurements.push(...(await measureScenario(running, scenarios[name], options)));
  }
  return { measurements, subjects: started.map(({ subject, loadedBytes }) => measured(subject, loadedBytes)) };
}

async function measureScenario(
  subjects: readonly Subject[],
  scenario: Scenario,
  options: RoundsOptions,
): Promise<Measurement[]> {
  const figures = new Map<Subject, RunFigures[]>();
  for (const subject of subjects) {
    const what = `${scenario.title}, ${subject.title}`;
    if (await attempt(options.problems, what, async () => await subject.prepare(scenario))) figures.set(subject, []);
  }
  for (let round = 0; round < options.rounds; round += 1) {
    for (const [subject, runs] of rotated([...figures], round)) {
      const what = `${scenario.title}, ${subject.title}`;
      const last = runs.at(-1);
      const before =
        last === undefined ? '' : ` (before: ${Math.round(last.requestsPerSecond).toLocaleString('en-US')}/s)`;
      options.progress.step(`${what}, round ${round + 1} of ${options.rounds}${before}`);
      const warmUpMs = options.timing.warmUpMs * (round === 0 ? firstWarmUpFactor : 1);
      const done = await attempt(options.problems, what, async () => {
        runs.push(await subject.run(scenario, { ...options.timing, warmUpMs }, round * requestsApart));
      });
      // Its earlier rounds are dropped too: a median of fewer rounds would look like the others and not be.
      if (!done) figures.delete(subject);
    }
  }
  for (const [subject, runs] of figures) {
    const failed = runs.find((run) => run.errors > 0);
    if (failed === undefined) continue;
    const reason = `${failed.errors} of ${failed.requests} answers were errors: ${failed.firstError?.slice(0, 300) ?? ''}`;
    options.problems.push({ what: `${scenario.title}, ${subject.title}`, reason });
  }
  return [...figures].map(([subject, rounds]) => ({ scenario: scenario.name, subject: subject.id, rounds }));
}

/** The same members, starting with another one. */
export function rotated<T>(members: readonly T[], by: number): T[] {
  const start = members.length === 0 ? 0 : by % members.length;
  return [...members.slice(start), ...members.slice(0, start)];
}

/** Runs a part; what stops it becomes a problem of that part. Returns whether it went well. */
async function attempt(problems: Problem[], what: string, part: () => Promise<void>): Promise<boolean> {
  try {
    await part();
    return true;
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    problems.push({ what, reason: error.message });
    return false;
  }
}

function measured(subject: Subject, loadedBytes: number | undefined): MeasuredSubject {
  const { id, title, transport, peer } = subject;
  const afterBytes = subject.memoryBytes();
  return {
    id,
    title,
    transport,
    ...(peer === undefined ? {} : { peer }),
    ...(loadedBytes === undefined || afterBytes === undefined ? {} : { memory: { loadedBytes, afterBytes } }),
  };
}
