import { join } from 'node:path';
import { CallerGuard } from '../caller-checks.ts';
import { nodeFileSystem } from '../files/node-file-system.ts';
import { StorageError } from '../storage-error.ts';
import { decodeMark } from './checkpoint-mark.ts';
import { DirectoryClaim } from './directory-claim.ts';
import { type DirectoryMarker, writeMarker } from './directory-marker.ts';
import { openDatabase } from './lmdb-database.ts';
import { inspectLogs, type LogInspection, salvage, type SalvagedWrite } from './log-inspection.ts';
import { applyOnce, readLogs, type RecoveryTarget } from './recovery.ts';
import type { RecoveryPlan } from './recovery-plan.ts';
import { SnapshotReader } from './snapshot-reader.ts';
import { logFileNames } from './write-ahead-log-format.ts';

/*
 * The parts of the write-ahead log that `singlet doctor` uses. No process may have the directory open, and LMDB must be able to open the data file.
 */

/** Inspects the log of a directory, and the mark in its data file. Changes nothing. */
export async function inspectDirectoryLogs(directory: string, marker: DirectoryMarker): Promise<LogInspection> {
  return withTarget(directory, async (target) => inspectLogs(await evidenceOf(target, marker), directory));
}

/** The result of a repair of the log. */
export interface LogRepair {
  /** How many writes LMDB has now. */
  readonly applied: number;
  /** Writes after the damage that were not applied; empty when they were applied. */
  readonly left: readonly SalvagedWrite[];
  /** Where the log files are now. */
  readonly moved: readonly string[];
}

/**
 * Repairs a directory whose log is damaged so that it opens, and accepts the loss. Applies the writes before the damage and, on request,
 * those that can be read after it. The log files are moved aside, never removed.
 *
 * @param behind - `apply` also applies what is after the damage, in order, across the gap. What is derived from items (indexes, counts,
 *   streams) does not match them afterwards and has to be created again.
 * @param suffix - appended to the names of the log files.
 * @throws {StorageError} `'damaged'` when the damage is not in the log: this cannot repair it.
 */
export async function acceptLogDamage(
  directory: string,
  marker: DirectoryMarker,
  { behind, suffix }: { readonly behind: 'apply' | 'leave'; readonly suffix: string },
): Promise<LogRepair> {
  return withTarget(directory, async (target) => {
    const { plan, mark, refusal } = inspectLogs(await evidenceOf(target, marker), directory);
    if (!isOfLog(plan) || mark.kind !== 'mark') {
      throw new StorageError(
        'damaged',
        refusal ?? `The write-ahead log of ${directory} is sound: there is nothing to repair.`,
      );
    }
    const found = salvage(mark.mark, await readLogs(target.files, directory));
    const writes = behind === 'apply' ? [...found.certain, ...found.behind] : found.certain;
    const closed = { ...mark.mark, state: 'closed', generation: found.generation } as const;
    if (!(await applyOnce(target, mark, closed, writes))) {
      throw new StorageError('open', `Another process uses ${directory}: stop it and try again.`);
    }
    const moved = await moveAside(directory, logFileNames, suffix);
    const store = closed.store.toString('hex');
    await writeMarker(target.files, directory, { format: 2, state: 'ready', store, generation: closed.generation });
    return { applied: writes.length, left: behind === 'apply' ? [] : found.behind, moved };
  });
}

/** Rewrites a marker that is damaged or missing, from the contents of the data file. */
export async function restoreMarker(directory: string): Promise<DirectoryMarker> {
  return withTarget(directory, async ({ reader, files }) => {
    const found = reader.readCheckpointMark(decodeMark);
    if (found.kind !== 'mark') {
      throw new StorageError('damaged', `The data file in ${directory} does not identify its store.`);
    }
    const { store, generation } = found.mark;
    const marker = { format: 2, state: 'ready', store: store.toString('hex'), generation } as const;
    await writeMarker(files, directory, marker);
    return marker;
  });
}

/** Renames files of a directory. @returns the new paths of those that existed. */
export async function moveAside(directory: string, names: readonly string[], suffix: string): Promise<string[]> {
  const present = await nodeFileSystem.readDirectory(directory);
  const moved: string[] = [];
  for (const name of names) {
    if (!present.includes(name)) continue;
    const path = join(directory, `${name}.${suffix}`);
    await nodeFileSystem.rename(join(directory, name), path);
    moved.push(path);
  }
  await nodeFileSystem.syncDirectory(directory);
  return moved;
}

function isOfLog(plan: RecoveryPlan): boolean {
  return plan.action === 'refuse' && ['log-damaged', 'log-cut', 'log-missing'].includes(plan.problem.reason);
}

async function evidenceOf({ files, directory, reader }: RecoveryTarget, marker: DirectoryMarker) {
  const logs = await readLogs(files, directory);
  return { marker, dataFile: 'present', mark: reader.readCheckpointMark(decodeMark), logs } as const;
}

async function withTarget<T>(directory: string, body: (target: RecoveryTarget) => Promise<T>): Promise<T> {
  const opened = await openDatabase(directory);
  const reader = new SnapshotReader(opened, new CallerGuard());
  try {
    if (!new DirectoryClaim(nodeFileSystem, directory, opened.database).isAlone()) {
      throw new StorageError('open', `Another process uses ${directory}: stop it and try again.`);
    }
    return await body({ files: nodeFileSystem, directory, database: opened.database, reader });
  } finally {
    reader.close();
    await opened.database.close();
  }
}
