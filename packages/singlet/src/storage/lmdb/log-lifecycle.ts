import { randomBytes } from 'node:crypto';
import { StorageError } from '../storage-error.ts';
import { type CheckpointMark, checkpointMarkKey, decodeMark, encodeMark } from './checkpoint-mark.ts';
import { writeMarker } from './directory-marker.ts';
import { runTransaction } from './exit-guard.ts';
import type { RecoveryTarget } from './recovery.ts';
import { removeLogs, WriteAheadLog, type WriteAheadLogOptions } from './write-ahead-log.ts';
import { noEnd } from './write-ahead-log-format.ts';

/**
 * Begins a log in a directory that has none, as its owner.
 *
 *     both files with "begin" and witness, synced with their names ─ mark `open` in LMDB ─ generation in the marker
 *
 * @param mark - the mark of the store, which is closed.
 * @param make - makes the log.
 */
export async function openLog(
  target: RecoveryTarget,
  { store, generation }: CheckpointMark,
  make = (options: WriteAheadLogOptions): WriteAheadLog => new WriteAheadLog(options),
): Promise<WriteAheadLog> {
  const { files, directory, archive } = target;
  // Higher than any the data file ever had, so that the marker can detect an older copy of it.
  const before = { generation: generation + 1, end: noEnd };
  const log = make({
    files,
    directory,
    store,
    era: randomBytes(16),
    generation: before.generation + 1,
    beforeReuse: archive && ((generation) => archive.beforeReuse(generation)),
  });
  try {
    await log.begun();
    await archive?.began(log);
    await writeMark(target, log.markOf('open', before));
    await noteGeneration(target, store, before.generation);
    return log;
  } catch (error) {
    await log.close();
    throw error;
  }
}

/**
 * Ends a closed log whose contents are all in LMDB: LMDB records that first, and only then are the files removed.
 *
 * @param generation - the last one that has begun.
 */
export async function removeLog(target: RecoveryTarget, generation: number): Promise<void> {
  const found = target.reader.readCheckpointMark(decodeMark);
  if (found.kind !== 'mark') throw new StorageError('damaged', 'the data file has lost its mark about the log');
  const closed: CheckpointMark = { ...found.mark, state: 'closed', generation };
  await writeMark(target, closed);
  await removeLogs(target.files, target.directory);
  await noteGeneration(target, closed.store, generation);
}

async function writeMark({ database }: RecoveryTarget, mark: CheckpointMark): Promise<void> {
  await runTransaction(database, () => void database.put(checkpointMarkKey, encodeMark(mark)));
}

async function noteGeneration({ files, directory }: RecoveryTarget, store: Buffer, generation: number): Promise<void> {
  await writeMarker(files, directory, { format: 2, state: 'ready', store: store.toString('hex'), generation });
}
