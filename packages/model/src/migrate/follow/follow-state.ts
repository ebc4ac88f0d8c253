import { binaryIn, binaryOut } from '../../run/cursor.ts';
import type { CheckpointStore } from '../checkpoints.ts';
import { MigrationError } from '../migration-error.ts';
import type { Direction } from './copied-tables.ts';

/** The progress of a copy, apart from its segments and shards, which have their own records. */
export interface FollowState {
  readonly format: 1;
  readonly migration: string;
  readonly direction: Direction;
  readonly segments: number;
  /** The process that runs it. A process that finds another name here stops. */
  readonly owner: string;
  /** Milliseconds since 1970. */
  readonly begunAt: number;
  /** When the streams were last read, to the minute. */
  readonly followedAt: number;
}

/** The checkpoint of one segment of one table's scan. */
export interface CopiedSegment {
  readonly last?: object;
  readonly done: boolean;
  readonly scanned: number;
}

/** The checkpoint of one shard. */
export interface FollowedShard {
  readonly sequenceNumber?: string;
  readonly done: boolean;
}

const format: number = 1;
const head = 'follow';

/** The state of an earlier run; undefined if there was none. */
export async function readFollowState(
  store: CheckpointStore,
  { migration, direction }: Pick<FollowState, 'migration' | 'direction'>,
): Promise<FollowState | undefined> {
  const state = await readRecord<FollowState>(store, head);
  if (state === undefined) return undefined;
  if (state.format !== format)
    throw new MigrationError(
      'bad-checkpoint',
      `The checkpoint has format ${String(state.format)}; this version reads ${format}.`,
    );
  if (state.migration !== migration || state.direction !== direction)
    throw new MigrationError(
      'other-migration',
      `The checkpoints are those of migration ${state.migration}, ${state.direction}; this one is ${migration}, ${direction}.`,
    );
  return state;
}

export async function writeFollowState(store: CheckpointStore, state: FollowState): Promise<void> {
  await store.write(head, JSON.stringify(state));
}

export async function readRecord<T>(store: CheckpointStore, name: string): Promise<T | undefined> {
  const text = await store.read(name);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text, binaryIn) as T; // this folder wrote it, in a format that is checked
  } catch (error) {
    throw new MigrationError('bad-checkpoint', `The checkpoint ${name} cannot be read.`, { cause: error });
  }
}

export async function writeRecord(store: CheckpointStore, name: string, record: object): Promise<void> {
  await store.write(name, JSON.stringify(record, binaryOut));
}
