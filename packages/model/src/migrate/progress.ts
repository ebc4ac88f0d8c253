import { binaryIn, binaryOut } from '../run/cursor.ts';
import type { CheckpointStore } from './checkpoints.ts';
import { MigrationError } from './migration-error.ts';

/** What was done with the items of one segment. */
export interface SegmentCount {
  /** Items read. */
  readonly scanned: number;
  /** Of these, items of the entities concerned. */
  readonly matched: number;
  /** Items that were written. */
  readonly written: number;
  /** Found in their new form: written by the application, or before. */
  readonly current: number;
  /** Deleted or moved by another writer before they were written. */
  readonly gone: number;
  /** Left as they were, because they could not be brought into their new form. */
  readonly failed: number;
}

/** Nothing done yet. */
export const none: SegmentCount = { scanned: 0, matched: 0, written: 0, current: 0, gone: 0, failed: 0 };

/** How far one segment of a scan is. */
export interface SegmentState extends SegmentCount {
  /** Which attempt of the migration wrote this. */
  readonly attempt: number;
  /** The key that was read last, undefined at the start. */
  readonly last?: object;
  readonly done: boolean;
}

/** How far a migration is. */
export interface MigrationState {
  /** The version of this form. */
  readonly format: 1;
  /** The migration's id. */
  readonly migration: string;
  /** Whether it is run or undone. */
  readonly direction: 'run' | 'undo';
  /** Counts the runs of this migration: segments of an earlier one do not count. */
  readonly attempt: number;
  /** Parts that each table is scanned in. */
  readonly segments: number;
  /** The step under way; the number of steps when all are done. */
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly begunAt: number;
  /** When it ended, in milliseconds since 1970; absent while it runs. */
  readonly endedAt?: number;
  /** Indexes that were there before: undoing drops none of them. `Table/Index`. */
  readonly indexes: readonly string[];
}

const format: number = 1;
const head = 'state';

/** Reads how far a migration is; undefined where it never began. */
export async function readState(store: CheckpointStore, migration: string): Promise<MigrationState | undefined> {
  const state = await readRecord<MigrationState>(store, head);
  if (state === undefined) return undefined;
  if (state.format !== format)
    throw new MigrationError(
      'bad-checkpoint',
      `The checkpoint has format ${String(state.format)}; this version knows ${format}.`,
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

/** How far a segment is, in this attempt. */
export async function readSegment(
  store: CheckpointStore,
  state: MigrationState,
  segment: number,
): Promise<SegmentState> {
  const known = await readRecord<SegmentState>(store, segmentName(state, segment));
  // Checkpoints of before failures were counted have none.
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
    return JSON.parse(text, binaryIn) as T; // written by this file, under a format that is checked
  } catch (error) {
    throw new MigrationError('bad-checkpoint', `The checkpoint ${name} cannot be read.`, { cause: error });
  }
}
