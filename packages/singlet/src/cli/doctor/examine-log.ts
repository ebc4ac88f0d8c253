import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { nodeFileSystem } from '../../storage/files/node-file-system.ts';
import { StorageError } from '../../storage/index.ts';
import { type DirectoryMarker, readMarker } from '../../storage/lmdb/directory-marker.ts';
import type { LogFileInspection, SalvagedWrite } from '../../storage/lmdb/log-inspection.ts';
import { acceptLogDamage, inspectDirectoryLogs, restoreMarker } from '../../storage/lmdb/log-repair.ts';

export interface ExamineLogOptions {
  /** Write `singlet.json` again if it is damaged or missing. */
  readonly repair: boolean;
  /** Give up what is damaged in the log; and, with `apply`, apply what can be read behind it. */
  readonly acceptLoss: 'no' | 'leave' | 'apply';
}

/** What is known of the write-ahead log. */
export interface LogExamination {
  /** What a start is refused with; undefined when the log is sound. */
  readonly refusal: string | undefined;
  readonly files: readonly LogFileInspection[];
  /** What was done about it; undefined when nothing was. */
  readonly repair: LogRepairReport | undefined;
}

export interface LogRepairReport {
  readonly appliedWrites: number;
  /** Writes after the damage that were not applied, and the file that has them now. */
  readonly leftWrites: number;
  readonly salvageFile: string | undefined;
  readonly movedFiles: readonly string[];
}

/**
 * Looks at the write-ahead log of a directory that no process uses. A damaged log is given up only on demand: what it still holds is applied or
 * written to a file, and the log files are moved aside.
 *
 * @throws {StorageError} when it is not the log that is damaged.
 */
export async function examineLog(directory: string, options: ExamineLogOptions): Promise<LogExamination> {
  const marker = await markerOf(directory, options.repair);
  const { refusal, files } = await inspectDirectoryLogs(directory, marker);
  if (refusal === undefined || options.acceptLoss === 'no') return { refusal, files, repair: undefined };
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const behind = options.acceptLoss;
  const { applied, left, moved } = await acceptLogDamage(directory, marker, { behind, suffix: `damaged-${time}` });
  const salvageFile = left.length === 0 ? undefined : join(directory, `salvage-${time}.jsonl`);
  if (salvageFile !== undefined) await writeSalvage(salvageFile, left);
  return {
    refusal,
    files,
    repair: { appliedWrites: applied, leftWrites: left.length, salvageFile, movedFiles: moved },
  };
}

async function markerOf(directory: string, repair: boolean): Promise<DirectoryMarker> {
  try {
    const marker = await readMarker(nodeFileSystem, directory);
    if (marker !== undefined) return marker;
    if (!repair)
      throw new StorageError('damaged', `The file singlet.json in ${directory} is missing: --repair writes it again.`);
  } catch (error) {
    if (!repair || !(error instanceof StorageError) || error.code !== 'damaged') throw error;
  }
  return restoreMarker(directory);
}

async function writeSalvage(file: string, writes: readonly SalvagedWrite[]): Promise<void> {
  const lines = Readable.from(
    writes.map(({ file: log, generation, group, timeMs, key, value }) => {
      const time = new Date(timeMs).toISOString();
      const entry = {
        log,
        generation,
        group,
        time,
        key: key.toString('hex'),
        value: value?.toString('base64') ?? null,
      };
      return `${JSON.stringify(entry)}\n`;
    }),
  );
  await pipeline(lines, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
}
