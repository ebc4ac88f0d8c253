import { binaryIn, binaryOut } from '../run/cursor.ts';
import type { CheckpointStore } from './checkpoints.ts';
import { MigrationError } from './migration-error.ts';

/** The counts of one segment's items. */
export interface SegmentCount {
  /** Items read. */
  readonly scanned: number;
  /** How many of these belong to the entities concerned. */
  readonly matched: number;
  /** Items that were written. */
  readonly written: number;
  /** Already in their new form: written by the application, or earlier. */
  readonly current: number;
  /** Deleted or moved by another writer before they were written. */
  readonly gone: number;
  /** Left unchanged, because they could not be converted. */
  readonly failed: number;
}

/** Nothing done yet. */
export const none: SegmentCount = { scanned: 0, matched: 0, written: 0, current: 0, gone: 0, failed: 0 };

/** The checkpoint of one segment of a scan. */
export interface SegmentState extends SegmentCount {
  /** The attempt of the migration that wrote this. */
  readonly attempt: number;
  /** The last key that was read; undefined at the start. */
  readonly last?: object;
  readonly done: boolean;
}

/** The state of a migration. */
export interface MigrationState {
  /** The version of this format. */
  readonly format: 1;
  /** The migration's id. */
  readonly migration: string;
  /** Whether it is being run or undone. */
  readonly direction: 'run' | 'undo';
  /** Counts the runs of this migration. Segments of an earlier run are ignored. */
  readonly attempt: number;
  /** Segments that each table is scanned in. */
  readonly segments: number;
  /** The current step; the number of steps when all are done. */
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly begunAt: number;
  /** When it ended, in milliseconds since 1970; absent while it runs. */
  readonly endedAt?: number;
  /** Indexes that existed before, which undoing does not drop. `Table/Index`. */
  readonly indexes: readonly string[];
}

const format: number = 1;
const head = 'state';

/** Reads the state of a migration; undefined if it never began. */
export async function readState(store: CheckpointStore, migration: string): Promise<MigrationState | undefined> {
  const state = await readRecord<MigrationState>(store, head);
  if (state === undefined) return undefined;
  if (state.format !== format)
    throw new MigrationError(
      'bad-checkpoint',
      `The checkpoint has format ${String(state.format)}; this version reads ${format}.`,
    );
  if (state.migration !== migration)
    throw new MigrationError(
      'other-migration',
      `The checkpoints are those of migration ${state.migration}; this one is ${migration}.`,
    );
  return state;
}

export async function writeState(store: CheckpointStore, state: MigrationState): Promise<void> {
  await store.write(head, JSON.stringify(state));
}

/** The checkpoint of a segment in this attempt. */
export async function readSegment(
  store: CheckpointStore,
  state: MigrationState,
  segment: number,
): Promise<SegmentState> {
  const known = await readRecord<SegmentState>(store, segmentName(state, segment));
  // Checkpoints that are older than the counting of failures have none.
  if (known !== undefined && known.attempt === state.attempt) return { ...none, ...known };
  return { ...none, attempt: state.attempt, done: false };
}

export async function writeSegment(
  store: CheckpointStore,
  state: MigrationState,
  segment: number,
  reached: SegmentState,
): Promise<void> {
  await store.write(segmentName(state, segment), JSON.stringify(reached, binaryOut));
}

function segmentName({ step }: MigrationState, segment: number): string {
  return `step-${step}-segment-${segment}`;
}

async function readRecord<T>(store: CheckpointStore, name: string): Promise<T | undefined> {
  const text = await store.read(name);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text, binaryIn) as T; // this file wrote it, in a format that is checked
  } catch (error) {
    throw new MigrationError('bad-checkpoint', `The checkpoint ${name} cannot be read.`, { cause: error });
  }
}
