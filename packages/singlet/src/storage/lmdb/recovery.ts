import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { FileSystem } from '../files/file-system.ts';
import { type CheckpointMark, checkpointMarkKey, decodeMark, encodeMark, type FoundMark } from './checkpoint-mark.ts';
import type { DirectoryMarker } from './directory-marker.ts';
import { runTransaction } from './exit-guard.ts';
import type { LogArchive, RecoveredLog } from './log-archive.ts';
import { type FoundGeneration, readGeneration, type ReadingRules } from './log-file-reader.ts';
import type { LmdbDatabase } from './lmdb-package.ts';
import { planRecovery, type RecoveryEvidence, type RecoveryPlan } from './recovery-plan.ts';
import { recoveryRefusal } from './recovery-refusal.ts';
import type { SnapshotReader } from './snapshot-reader.ts';
import { removeLogs } from './write-ahead-log.ts';
import {
  beginGroup,
  type LogEnd,
  logFileNames,
  type LoggedWrite,
  noEnd,
  nonceOf,
  readBegin,
  witnessBlockBytes,
} from './write-ahead-log-format.ts';

/** An open data file, and its directory. */
export interface RecoveryTarget {
  readonly files: FileSystem;
  readonly directory: string;
  readonly database: LmdbDatabase;
  readonly reader: SnapshotReader;
  readonly rules?: ReadingRules;
  readonly archive?: LogArchive | undefined;
}

/**
 * Recovery: applies to LMDB the entries of a directory's write-ahead log that no checkpoint has moved there, then removes the log.
 *
 * Invariants: nothing is changed unless the plan finds that nothing is missing; the entries and the mark that covers them are one
 * transaction, so each generation is applied once; files are removed only when that is durable. Any number of processes may recover at once.
 * `LmdbEnvironment` calls it when no living process owns the log (see `DirectoryClaim`).
 *
 * @returns the mark of the store, which is closed.
 * @throws {StorageError} `'damaged'` when something that was acknowledged could be missing.
 */
export async function recover(target: RecoveryTarget, marker: DirectoryMarker): Promise<CheckpointMark> {
  for (;;) {
    const mark = readMark(target);
    const logs = await readLogs(target.files, target.directory);
    const plan = planRecovery({ marker, dataFile: 'present', mark, logs }, target.rules);
    if (plan.action === 'refuse') throw recoveryRefusal(plan.problem, target.directory);
    if (plan.action === 'apply') await target.archive?.recovered(recoveredLog(plan.mark, plan.generations, logs));
    const closed = closedMarkOf(plan);
    const isDone = plan.action === 'start' || (await applyOnce(target, mark, closed, writesOf(plan)));
    // Another process was faster: the state is different now.
    if (!isDone) continue;
    if (logs.some((log) => log !== undefined)) await removeLogs(target.files, target.directory);
    return closed;
  }
}

/** Reads the log files of a directory. */
export async function readLogs(files: FileSystem, directory: string): Promise<RecoveryEvidence['logs']> {
  const [first, second] = logFileNames;
  return [await files.readFile(join(directory, first)), await files.readFile(join(directory, second))];
}

function readMark({ reader }: RecoveryTarget): FoundMark {
  return reader.readCheckpointMark(decodeMark);
}

/**
 * The contents of a log that has not been closed. LMDB has the generation before those to be applied, but the archive might not have it:
 * its file has not been reused yet, unless there are two generations to apply.
 */
function recoveredLog(
  { era, generation }: CheckpointMark,
  generations: readonly FoundGeneration[],
  logs: RecoveryEvidence['logs'],
): RecoveredLog {
  const before = logs[generation % 2 === 0 ? 0 : 1];
  const start = before && readBegin(before);
  const isBefore = start?.generation === generation && start.nonce.equals(nonceOf(era, generation));
  const found = isBefore ? [readGeneration(before as Buffer, start), ...generations] : generations;
  return {
    era,
    generations: found.map((its) => ({
      generation: its.start.generation,
      groups: groupsOf(logs[its.start.generation % 2 === 0 ? 0 : 1] as Buffer, its), // it was found there
    })),
  };
}

/** "Begin" may be damaged, but can be derived from the previous end. */
function groupsOf(file: Buffer, { start, end }: FoundGeneration): Buffer {
  const begin = beginGroup(start);
  return Buffer.concat([begin, file.subarray(witnessBlockBytes + begin.length, end.length)]);
}

function writesOf(plan: RecoveryPlan): readonly LoggedWrite[] {
  return plan.action === 'apply' || plan.action === 'upgrade' ? plan.writes : [];
}

function closedMarkOf(plan: Exclude<RecoveryPlan, { action: 'refuse' }>): CheckpointMark {
  switch (plan.action) {
    case 'start':
      return plan.mark;
    case 'create':
      return newMark(0);
    case 'upgrade':
      return { ...(plan.mark ?? newMark(0)), state: 'closed', generation: plan.generation };
    case 'apply': {
      const last = plan.generations.at(-1);
      const [generation, end]: [number, LogEnd] =
        last === undefined ? [plan.mark.generation, plan.mark.end] : [last.start.generation, last.end];
      return { ...plan.mark, state: 'closed', generation, end };
    }
  }
}

function newMark(generation: number): CheckpointMark {
  return { state: 'closed', store: randomBytes(16), era: randomBytes(16), generation, end: noEnd };
}

/** @returns false when the mark has changed since the plan was made. */
export async function applyOnce(
  target: RecoveryTarget,
  planned: FoundMark,
  mark: CheckpointMark,
  writes: readonly LoggedWrite[],
): Promise<boolean> {
  const { database } = target;
  let isDone = false;
  // Compared inside the callback, so that no two processes apply it, and none after another has continued.
  await runTransaction(database, () => {
    if (!isSameMark(readMark(target), planned)) return;
    for (const { key, value } of writes) {
      if (value === undefined) void database.remove(key);
      else void database.put(key, value);
    }
    void database.put(checkpointMarkKey, encodeMark(mark));
    isDone = true;
  });
  return isDone;
}

function isSameMark(one: FoundMark, other: FoundMark): boolean {
  if (one.kind === 'mark' && other.kind === 'mark') return encodeMark(one.mark).equals(encodeMark(other.mark));
  if (one.kind === 'format-1' && other.kind === 'format-1') return one.generation === other.generation;
  return one.kind === other.kind;
}
