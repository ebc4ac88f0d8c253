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
  /** Rewrite `singlet.json` if it is damaged or missing. */
  readonly repair: boolean;
  /** Give up the damaged part of the log; with `apply`, also apply the readable groups that follow the damage. */
  readonly acceptLoss: 'no' | 'leave' | 'apply';
}

/** The result of examining the write-ahead log. */
export interface LogExamination {
  /** The error that opening the store would fail with; undefined if the log is intact. */
  readonly refusal: string | undefined;
  readonly files: readonly LogFileInspection[];
  /** The repairs made; undefined if there were none. */
  readonly repair: LogRepairReport | undefined;
}

export interface LogRepairReport {
  readonly appliedWrites: number;
  /** Writes after the damage that were not applied, and the file that they were saved to. */
  readonly leftWrites: number;
  readonly salvageFile: string | undefined;
  readonly movedFiles: readonly string[];
}

/**
 * Examines the write-ahead log of a directory that no process uses. A damaged log is given up only on request: its remaining contents are
 * applied or written to a file, and the log files are moved aside.
 *
 * @throws {StorageError} for problems other than a damaged log.
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
