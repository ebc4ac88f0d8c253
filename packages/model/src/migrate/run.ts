import type { TableInfo } from '../resolve/resolved.ts';
import type { StoredItem } from '../run/attribute-value.ts';
import { changeTables } from './table-steps.ts';
import { indexNames } from './change-table.ts';
import { type CheckpointStore, checkpointType, tableCheckpoints } from './checkpoints.ts';
import { countChildren, removeCount } from './count-children.ts';
import { keyIn } from './item-form.ts';
import { assertRunnable, type Course, courseBack, courseOf, type Migration, type Step } from './migration.ts';
import { MigrationError } from './migration-error.ts';
import { isLostRace, moveItem, unchanged } from './move-item.ts';
import {
  type MigrationState,
  none,
  readSegment,
  readState,
  type SegmentCount,
  type SegmentState,
  writeSegment,
  writeState,
} from './progress.ts';
import { scanPage, typeIn } from './scan-table.ts';
import { Traffic, type TrafficOptions } from './traffic.ts';

/** How to run a migration. */
export interface MigrateOptions extends TrafficOptions {
  /** Segments of a table that are scanned in parallel. 4 by default; `resume` keeps the number that the run began with. */
  readonly segments?: number;
  /** Items of one segment that are written in parallel. 8 by default. */
  readonly concurrency?: number;
  /** Items to read per request, and so between two checkpoints. A page of 1 MB by default. */
  readonly pageItems?: number;
  /** Where to store checkpoints. In the table by default. */
  readonly checkpoints?: CheckpointStore;
  /** How many times an item is read and decided again because other writers change it. 12 by default. */
  readonly rereads?: number;
  /**
   * How many items may fail. They are left unchanged, counted and reported, and the run continues. 0 by default: the first one
   * stops it.
   */
  readonly failuresMax?: number;
  /** Called with each item that could not be migrated and was left unchanged. */
  readonly onFailure?: (failure: MigrationError) => void;
  /** Writes nothing, and counts what would be written. */
  readonly dryRun?: boolean;
  /** Called with each request for an item that a dry run does not send, in the form of the SDK's commands. */
  readonly onUnsent?: (request: { readonly operation: string; readonly input: object }) => void;
  /** Drops the indexes that the new version does not have. */
  readonly drop?: boolean;
  /** Called after each page. */
  readonly onProgress?: (progress: Progress) => void;
}

/** The current work. */
export interface Progress {
  /** The step that runs. */
  readonly step: Step;
  /** From 1. */
  readonly number: number;
  /** Steps in all. */
  readonly steps: number;
  /** What the step has read and written so far. */
  readonly count: SegmentCount;
}

/** What was done, step by step. */
export interface MigrationReport {
  /** Whether it was run or undone. */
  readonly direction: 'run' | 'undo';
  /** Whether nothing was written. */
  readonly dryRun: boolean;
  /** What each step read and wrote. */
  readonly steps: readonly { readonly step: Step; readonly count: SegmentCount }[];
}

/**
 * Runs a migration from its beginning. A run of a migration that has already ended finds every item in its new form and writes nothing.
 *
 * @throws {MigrationError} `by-hand` or `function-missing` before anything is written; `unfinished` if one was interrupted.
 */
export async function run(migrated: Migration, options: MigrateOptions): Promise<MigrationReport> {
  assertRunnable(migrated);
  return travel(migrated, courseOf(migrated), options, 'begin');
}

/** Resumes an interrupted run or undo, after the last checkpoint of every segment. */
export async function resume(migrated: Migration, options: MigrateOptions): Promise<MigrationReport> {
  const store = storeOf(migrated, options);
  const state = await readState(store, migrated.id);
  if (state?.direction !== 'undo') assertRunnable(migrated);
  return travel(migrated, state?.direction === 'undo' ? courseBack(migrated) : courseOf(migrated), options, 'resume');
}

/**
 * Undoes what a migration added: index keys, guards, counters, indexes, new primary keys, and attributes if they hold what
 * the migration itself put there. It may begin while a run is unfinished. By then the application runs the old version, or `connectDuring`
 * with the versions exchanged.
 */
export async function undo(migrated: Migration, options: MigrateOptions): Promise<MigrationReport> {
  return travel(migrated, courseBack(migrated), options, 'begin');
}

/** The state of a migration and the counts of the current step; undefined if it never began. */
export async function status(
  migrated: Migration,
  options: TrafficOptions & Pick<MigrateOptions, 'checkpoints'>,
): Promise<(MigrationState & { readonly steps: readonly Step[]; readonly count: SegmentCount }) | undefined> {
  const store = storeOf(migrated, options);
  const state = await readState(store, migrated.id);
  if (state === undefined) return undefined;
  const { steps } = state.direction === 'undo' ? courseBack(migrated) : courseOf(migrated);
  return { ...state, steps, count: sumOf(await segmentsOf(store, state)) };
}

async function travel(
  migrated: Migration,
  course: Course,
  options: MigrateOptions,
  how: 'begin' | 'resume',
): Promise<MigrationReport> {
  const traffic = new Traffic(options);
  const { dryRun = false, drop = course.direction === 'undo', onProgress } = options;
  const store = dryRun ? memoryCheckpoints() : storeOf(migrated, options);
  let state = await stateFor(migrated, course, store, traffic, options, how);
  const report: { step: Step; count: SegmentCount }[] = [];
  for (; state.step < course.steps.length; state = { ...state, step: state.step + 1 }) {
    const step = course.steps[state.step];
    if (step === undefined) break;
    await writeState(store, state);
    const tell = (count: SegmentCount): void =>
      onProgress?.({ step, number: state.step + 1, steps: course.steps.length, count });
    tell(none);
    const count = await take({
      migrated,
      course,
      step,
      state,
      store,
      traffic,
      options: { ...options, dryRun, drop },
      tell,
    });
    report.push({ step, count });
  }
  await writeState(store, { ...state, endedAt: traffic.now() });
  return { direction: course.direction, dryRun, steps: report };
}

async function stateFor(
  { id, steps }: Migration,
  { direction }: Course,
  store: CheckpointStore,
  traffic: Traffic,
  { segments = 4, failuresMax = 0, rereads = 0 }: MigrateOptions,
  how: 'begin' | 'resume',
): Promise<MigrationState> {
  for (const [name, value] of Object.entries({ failuresMax, rereads }))
    if (!Number.isInteger(value) || value < 0)
      throw new MigrationError('bad-option', `${name} must be a whole number from 0, not ${value}.`);
  if (!Number.isInteger(segments) || segments < 1 || segments > 1_000_000)
    throw new MigrationError('bad-option', `segments must be a whole number from 1 to 1,000,000, not ${segments}.`);
  const known = await readState(store, id);
  if (how === 'resume') {
    if (known === undefined)
      throw new MigrationError('not-begun', 'There is nothing to resume: the migration has not begun.');
    return known;
  }
  if (known !== undefined && known.endedAt === undefined && known.direction === direction)
    throw new MigrationError('unfinished', `The ${direction} was interrupted: continue with resume.`);
  const tables = new Set(steps.flatMap((step) => (step.kind === 'create-index' ? [step.table] : [])));
  const present = await Promise.all(
    [...tables].map(async (table) => (await indexNames(traffic, table)).map((index) => `${table}/${index}`)),
  );
  return {
    format: 1,
    migration: id,
    direction,
    attempt: (known?.attempt ?? 0) + 1,
    segments,
    step: 0,
    begunAt: traffic.now(),
    indexes: known?.indexes ?? present.flat(),
  };
}

interface Work {
  readonly migrated: Migration;
  readonly course: Course;
  readonly step: Step;
  readonly state: MigrationState;
  readonly store: CheckpointStore;
  readonly traffic: Traffic;
  readonly options: MigrateOptions & { readonly dryRun: boolean; readonly drop: boolean };
  readonly tell: (count: SegmentCount) => void;
}

async function take(work: Work): Promise<SegmentCount> {
  const { step, migrated, traffic, options } = work;
  switch (step.kind) {
    case 'items':
      return takeItems(work, step);
    case 'counts': {
      const counting = migrated.counts.find(
        ({ parent, counter, child }) =>
          parent.name === step.parent && counter === step.counter && child.name === step.child,
      );
      if (counting === undefined) return none;
      const { scanned, written } = await countChildren(traffic, counting, options.dryRun);
      return { ...none, scanned, matched: scanned, written, current: scanned - written };
    }
    case 'uncount': {
      const counting = migrated.counts.find(
        ({ parent, counter }) => parent.name === step.parent && counter === step.counter,
      );
      if (counting === undefined || options.dryRun) return none;
      const keep = migrated.before.resolved.entities.get(step.parent)?.attributes.has(step.counter) ?? false;
      return { ...none, written: await removeCount(traffic, counting, keep) };
    }
    default:
      if (!options.dryRun)
        await changeTables(traffic, work.course, step, { drop: options.drop, keep: work.state.indexes });
      return none;
  }
}

/** Scans all segments in parallel. If one fails, the others end after their page, so that every write has a checkpoint. */
async function takeItems(work: Work, step: Extract<Step, { kind: 'items' }>): Promise<SegmentCount> {
  const { course, state, store, tell } = work;
  const table = tableOf(course, step.table);
  if (table === undefined) return none;
  const reached = await segmentsOf(store, state);
  const failures: unknown[] = [];
  const { failuresMax = 0, onFailure } = work.options;
  const failing: Failing = { left: failuresMax - sumOf(reached).failed, onFailure };
  await Promise.all(
    reached.map(async (from, segment) => {
      let at = from;
      try {
        while (!at.done && failures.length === 0) {
          at = await takePage(work, { step, table, segment, failing }, at);
          reached[segment] = at;
          tell(sumOf(reached));
        }
      } catch (error) {
        failures.push(error);
      }
    }),
  );
  if (failures.length > 0) throw failures[0];
  return sumOf(reached);
}

/** A segment to read, and how many items may still fail across all segments. */
interface SegmentWork {
  readonly step: Extract<Step, { kind: 'items' }>;
  readonly table: TableInfo;
  readonly segment: number;
  readonly failing: Failing;
}

interface Failing {
  left: number;
  readonly onFailure: MigrateOptions['onFailure'];
}

/** An item that cannot be migrated is left unchanged, up to the limit. Any other error does not concern a single item. */
function failedIn({ reason }: PromiseRejectedResult, failing: Failing): 'failed' {
  if (!(reason instanceof MigrationError) || failing.left <= 0) throw reason;
  failing.left -= 1;
  failing.onFailure?.(reason);
  return 'failed';
}

async function takePage(
  { course, state, store, traffic, options }: Work,
  { step, table, segment, failing }: SegmentWork,
  at: SegmentState,
): Promise<SegmentState> {
  const forms = course.forms.filter((form) => form.from.entity.table.name === table.name);
  const untyped = forms.filter((form) => form.untyped);
  const read = {
    table,
    types: [...step.types, ...step.sweeps],
    untyped: untyped.map((form) => form.from.entity),
    segment,
    segments: state.segments,
    pageItems: options.pageItems,
  };
  const page = await scanPage(traffic, read, at.last as StoredItem | undefined);
  const counts = { written: 0, current: 0, gone: 0, failed: 0 };
  const { concurrency = 8, dryRun, rereads, onUnsent } = options;
  const items = page.items.flatMap((item) => {
    const type = typeIn(table, item, step.types);
    const form = (type === '' ? untyped : forms).find((each) => each.owns(item));
    // An item that has neither a type nor the key of an entity is not part of the model.
    return type === '' && form === undefined ? [] : [{ item, form }];
  });
  for (let first = 0; first < items.length; first += concurrency) {
    const outcomes = await Promise.allSettled(
      items.slice(first, first + concurrency).map(async ({ item, form }) => {
        if (form !== undefined) return moveItem(traffic, form, item, { dryRun, rereads, onUnsent });
        return sweep(traffic, table, item, dryRun);
      }),
    );
    for (const outcome of outcomes)
      counts[outcome.status === 'fulfilled' ? outcome.value : failedIn(outcome, failing)] += 1;
  }
  const next: SegmentState = {
    attempt: at.attempt,
    scanned: at.scanned + page.scanned,
    matched: at.matched + items.length,
    written: at.written + counts.written,
    current: at.current + counts.current,
    gone: at.gone + counts.gone,
    failed: at.failed + counts.failed,
    done: page.last === undefined,
    ...(page.last !== undefined && { last: page.last }),
  };
  await writeSegment(store, state, segment, next);
  return next;
}

/** Deletes a guard that is no longer needed. */
async function sweep(
  traffic: Traffic,
  table: TableInfo,
  item: StoredItem,
  dryRun: boolean,
): Promise<'written' | 'gone'> {
  if (dryRun) return 'written';
  const TableName = traffic.tableName(table.name);
  try {
    await traffic.send({
      operation: 'DeleteItem',
      input: { TableName, Key: keyIn({ table }, item), ...unchanged(table, item) },
    });
    return 'written';
  } catch (error) {
    if (!isLostRace(error)) throw error;
    return 'gone';
  }
}

async function segmentsOf(store: CheckpointStore, state: MigrationState): Promise<SegmentState[]> {
  return Promise.all(Array.from({ length: state.segments }, async (_, segment) => readSegment(store, state, segment)));
}

function sumOf(counts: readonly SegmentCount[]): SegmentCount {
  const sum = (name: keyof SegmentCount): number => counts.reduce((total, count) => total + count[name], 0);
  return {
    scanned: sum('scanned'),
    matched: sum('matched'),
    written: sum('written'),
    current: sum('current'),
    gone: sum('gone'),
    failed: sum('failed'),
  };
}

function tableOf({ forms }: Course, name: string): TableInfo | undefined {
  return forms.map((form) => form.from.entity.table).find((table) => table.name === name);
}

function storeOf(migrated: Migration, options: TrafficOptions & Pick<MigrateOptions, 'checkpoints'>): CheckpointStore {
  if (options.checkpoints !== undefined) return options.checkpoints;
  const { before, after } = migrated;
  const table = [...before.resolved.tables.values()].find(({ name }) => after.resolved.tables.has(name));
  const [first] = before.resolved.tables.values();
  const holder = table ?? first;
  if (holder === undefined)
    throw new MigrationError('no-checkpoint-key', 'The old version has no table: keep the checkpoints in a file.');
  const alike = [before, after].flatMap(({ resolved }) =>
    [...resolved.entities.values()].filter((each) => each.table.name === holder.name && each.type === checkpointType),
  );
  if (alike.length > 0)
    throw new MigrationError(
      'no-checkpoint-type',
      `Items of ${alike[0]?.name ?? ''} have the type of checkpoints, ${checkpointType}: keep the checkpoints in a file.`,
    );
  // Checkpoints do not count against the rate, and the last one is written even when the work is stopped.
  const { client, tables } = options;
  return tableCheckpoints(new Traffic({ client, ...(tables !== undefined && { tables }) }), holder, migrated.id);
}

/** Checkpoints in memory, for dry runs and tests. */
export function memoryCheckpoints(): CheckpointStore {
  const texts = new Map<string, string>();
  return {
    read: async (name) => Promise.resolve(texts.get(name)),
    write: async (name, text) => Promise.resolve(void texts.set(name, text)),
  };
}
