import { BenchError } from './bench-error.ts';
import type { BenchCase, BenchGroup } from './plan.ts';
import type { Progress } from './progress.ts';
import type { MeasuredSubject, Measurement, Problem, SubjectMemory } from './measurement.ts';
import type { RunFigures, Timing } from './run-figures.ts';
import type { Subject, SubjectId } from './subject.ts';

/**
 * The first round warms up longer: it fills caches, and code reaches its final compiled form only after some ten thousand requests (a transaction
 * took 424 µs of CPU in the third second of a server, and 204 in the tenth).
 */
const firstWarmUpFactor = 16;
/** Some subjects spend most of the time waiting for the disk. */
const fillsInParallel = 3;
/** A prime, so that rounds start at different positions of the rings of requests, whatever their lengths. */
const requestsApart = 33_331;

export interface RoundsOptions {
  readonly rounds: number;
  readonly timing: Omit<Timing, 'concurrency'>;
  readonly progress: Progress;
  readonly problems: Problem[];
}

interface Cell {
  readonly what: string;
  readonly benchCase: BenchCase;
  readonly subject: Subject;
  readonly runs: RunFigures[];
}

/**
 * Measures the subjects side by side, group by group. In each round of a group every case of every subject has one run, in an
 * order that shifts from round to round, so that a slow period of the machine does not always affect the same one and the runs
 * of a round can be compared.
 */
export async function measureRounds(
  groups: readonly BenchGroup[],
  subjects: readonly Subject[],
  options: RoundsOptions,
): Promise<{ readonly subjects: MeasuredSubject[]; readonly measurements: Measurement[] }> {
  const started: Subject[] = [];
  for (const subject of subjects) {
    options.progress.step(`starting ${subject.title}`);
    if (await attempt(options.problems, subject.title, async () => await subject.start())) started.push(subject);
  }
  const memory = new Map<SubjectId, SubjectMemory>();
  const measurements: Measurement[] = [];
  for (const group of groups) {
    const members = started.filter(({ id }) => group.subjects.includes(id));
    const cells = await preparedCells(group, members, options);
    const watched = onlyBaseTable(group) ? members : [];
    for (const subject of watched) noteMemory(memory, subject, 'loaded');
    measurements.push(...(await measureGroup(cells, options)));
    for (const subject of watched) noteMemory(memory, subject, 'after');
    for (const subject of members) {
      await attempt(options.problems, subject.title, async () => await subject.release());
    }
  }
  return { measurements, subjects: started.map((subject) => measured(subject, memory.get(subject.id))) };
}

/** Whether the servers hold only the base table: true before variations fill others. */
function onlyBaseTable({ cases }: BenchGroup): boolean {
  return cases.every(({ title }) => title === '');
}

async function preparedCells(
  group: BenchGroup,
  members: readonly Subject[],
  { progress, problems }: RoundsOptions,
): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (const benchCase of group.cases) {
    const asked = members.filter((each) => each.supports(benchCase.ring.scenario));
    const filled = new Set<Subject>();
    const what = (subject: Subject): string =>
      `${benchCase.title === '' ? group.title : benchCase.title}: ${subject.title}`;
    await inParallel(asked, fillsInParallel, async (subject) => {
      progress.step(`${group.title}: filling ${subject.title}`);
      const done = await attempt(problems, what(subject), async () => await subject.fillTable(benchCase.ring.table));
      if (done) filled.add(subject);
    });
    for (const subject of asked.filter((each) => filled.has(each))) {
      const ready = await attempt(problems, what(subject), async () => await subject.prepare(benchCase));
      if (ready) cells.push({ what: what(subject), benchCase, subject, runs: [] });
    }
  }
  return cells;
}

/** Processes the members in order, with limited concurrency. */
async function inParallel<T>(members: readonly T[], count: number, work: (member: T) => Promise<void>): Promise<void> {
  const waiting = members.values();
  const workers = Array.from({ length: count }, async () => {
    for (const member of waiting) await work(member);
  });
  await Promise.all(workers);
}

async function measureGroup(prepared: readonly Cell[], options: RoundsOptions): Promise<Measurement[]> {
  const { rounds, timing, progress, problems } = options;
  let cells = prepared;
  for (let round = 0; round < rounds; round += 1) {
    for (const cell of rotated(cells, round)) {
      const { what, benchCase, subject, runs } = cell;
      const last = runs.at(-1);
      const before =
        last === undefined ? '' : ` (before: ${Math.round(last.requestsPerSecond).toLocaleString('en-US')}/s)`;
      progress.step(`${what}, round ${round + 1} of ${rounds}${before}`);
      const warmUpMs = timing.warmUpMs * (round === 0 ? firstWarmUpFactor : 1);
      const done = await attempt(problems, what, async () => {
        const run = { ...timing, warmUpMs, concurrency: benchCase.concurrency };
        runs.push(await subject.run(benchCase, run, round * requestsApart));
      });
      // Drops its earlier rounds too: a median of fewer rounds would look like the others, which is wrong.
      if (!done) cells = cells.filter((each) => each !== cell);
    }
  }
  for (const cell of cells) {
    const failed = cell.runs.find((run) => run.errors > 0);
    if (failed === undefined) continue;
    const reason = `${failed.errors} of ${failed.requests} answers were wrong: ${failed.firstError?.slice(0, 300) ?? ''}`;
    problems.push({ what: cell.what, reason });
  }
  return cells.map(({ benchCase, subject, runs }) => ({ caseId: benchCase.id, subject: subject.id, rounds: runs }));
}

/** The same members, rotated to start with another one. */
export function rotated<T>(members: readonly T[], by: number): T[] {
  const start = members.length === 0 ? 0 : by % members.length;
  return [...members.slice(start), ...members.slice(0, start)];
}

/** Runs a part. An error that stops it becomes a problem of that part. Returns whether it succeeded. */
export async function attempt(problems: Problem[], what: string, part: () => Promise<void>): Promise<boolean> {
  try {
    await part();
    return true;
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    problems.push({ what, reason: error.message, ...(error.code === 'absent' && { isExpected: true }) });
    return false;
  }
}

function noteMemory(memory: Map<SubjectId, SubjectMemory>, subject: Subject, when: keyof SubjectMemory): void {
  const use = subject.memory();
  if (use === undefined) return;
  const known = memory.get(subject.id) ?? {};
  if (when === 'loaded' && known.loaded !== undefined) return;
  memory.set(subject.id, { ...known, [when]: use });
}

function measured({ id, title, transport, peers }: Subject, memory: SubjectMemory | undefined): MeasuredSubject {
  return {
    id,
    title,
    transport,
    ...(peers === undefined ? {} : { peers }),
    ...(memory === undefined ? {} : { memory }),
  };
}
