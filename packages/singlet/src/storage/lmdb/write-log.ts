import { constants, fdatasync, write } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfExists, syncDirectory } from './data-directory.ts';
import { type LogContent, readLog, writeGroupHead } from './write-log-format.ts';

/** Two files take turns: one is written while what the other holds is being applied. */
const fileNames = ['log-0', 'log-1'] as const;

/** Files grow by this much at a time. Writing where there is something already spares the file system its own journal. */
const growthBytes = 1024 * 1024;

/** Where a write is on the disk when it returns. Elsewhere it takes a second call. */
const writesThrough = process.platform === 'linux' && constants.O_DSYNC !== undefined;

/** The files that hold what has been acknowledged and is not in the data file yet. */
export class WriteLog {
  readonly #directory: string;
  readonly #files = new Map<string, FileHandle>();
  readonly #sizes = new Map<string, number>();
  #generation: number;
  #groupCount = 0;
  #position = 0;
  #isGrowing = false;

  /** @param generation - higher than that of anything that was ever in these files. */
  constructor(directory: string, generation: number) {
    this.#directory = directory;
    this.#generation = generation;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Whether a group of so many bytes can be written beside those that are being written. */
  hasRoom(bytes: number): boolean {
    const name = this.#fileName();
    return !this.#isGrowing && this.#files.has(name) && this.#position + bytes <= (this.#sizes.get(name) ?? 0);
  }

  /**
   * Writes a group behind the one before; it is on the disk when this resolves. Where `hasRoom` says no, all groups before must be there.
   * `group` has room for its head.
   */
  async append(group: Buffer): Promise<void> {
    if (!this.hasRoom(group.length)) {
      this.#isGrowing = true;
      try {
        await this.#makeRoom(group.length);
      } finally {
        this.#isGrowing = false;
      }
    }
    const file = this.#files.get(this.#fileName()) as FileHandle; // open: there is room in it
    const position = this.#position;
    writeGroupHead(group, { generation: this.#generation, number: this.#groupCount });
    this.#position += group.length;
    this.#groupCount += 1;
    await writeThrough(file.fd, group, position);
  }

  /** Goes on in the other file. What that held must have been applied. */
  turn(): void {
    this.#generation += 1;
    this.#groupCount = 0;
    this.#position = 0;
  }

  async close(): Promise<void> {
    for (const file of this.#files.values()) await file.close();
    this.#files.clear();
  }

  #fileName(): string {
    return fileNames[this.#generation % 2] as string; // one of two
  }

  async #makeRoom(bytes: number): Promise<void> {
    const name = this.#fileName();
    const file = this.#files.get(name) ?? (await this.#open(name));
    const size = this.#sizes.get(name) ?? 0;
    const end = this.#position + bytes;
    if (end <= size) return;
    const grown = Math.ceil(end / growthBytes) * growthBytes;
    await grow(file, size, grown);
    this.#sizes.set(name, grown);
  }

  async #open(name: string): Promise<FileHandle> {
    const flags = constants.O_RDWR | constants.O_CREAT | (writesThrough ? constants.O_DSYNC : 0);
    const file = await open(join(this.#directory, name), flags, 0o600);
    await syncDirectory(this.#directory);
    this.#files.set(name, file);
    this.#sizes.set(name, (await file.stat()).size);
    return file;
  }
}

/** There is no room for more of the log. None of the group that needed it has been written. */
export class LogFullError extends Error {}

async function grow(file: FileHandle, from: number, to: number): Promise<void> {
  try {
    const zeros = Buffer.alloc(to - from);
    // A disk that becomes full takes what it has room for, and says so with the next write.
    for (let at = from; at < to;) at += (await file.write(zeros, at - from, to - at, at)).bytesWritten;
  } catch (error) {
    throw new LogFullError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** With callbacks, which cost half of what the promises of a file handle do. */
function writeThrough(fd: number, bytes: Buffer, position: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null): void => (error === null ? resolve() : reject(error));
    write(fd, bytes, 0, bytes.length, position, (error, written) => {
      if (error !== null) reject(error);
      else if (written < bytes.length) reject(new Error(`${written} of ${bytes.length} bytes were written`));
      else if (writesThrough) resolve();
      else fdatasync(fd, done);
    });
  });
}

/** What the log files of a directory hold, oldest first. */
export async function readLogs(directory: string): Promise<readonly LogContent[]> {
  const logs: LogContent[] = [];
  for (const name of fileNames) {
    const file = await readIfExists(join(directory, name));
    const content = file && readLog(file);
    if (content !== undefined) logs.push(content);
  }
  return logs.toSorted((left, right) => left.generation - right.generation);
}

/** Removes the log files: all they hold must have been applied. */
export async function removeLogs(directory: string): Promise<void> {
  for (const name of fileNames) await rm(join(directory, name), { force: true });
}
