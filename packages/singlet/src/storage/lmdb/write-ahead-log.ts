import { join } from 'node:path';
import type { FileSystem, OpenFile } from '../files/file-system.ts';
import type { CheckpointMark } from './checkpoint-mark.ts';
import type { ReadableLog } from './log-archive.ts';
import { tailBytesMin } from './log-file-reader.ts';
import {
  beginGroup,
  encodeWitness,
  endOfBegin,
  logFileNames,
  type LogEnd,
  noEnd,
  nonceOf,
  witnessBlockBytes,
  writeGroupHead,
} from './write-ahead-log-format.ts';

/** Files grow by this much at a time. Overwriting existing blocks spares the file system its own journal. */
const growthBytes = 1024 * 1024;

/** Initial size of both files, so that a full disk does not prevent a turn. */
const firstBytes = 256 * 1024;

export interface WriteAheadLogOptions {
  readonly files: FileSystem;
  readonly directory: string;
  /** 16 bytes. */
  readonly store: Buffer;
  /** 16 bytes that no log had before. */
  readonly era: Buffer;
  /** The first generation: higher than that of anything that was ever checkpointed. */
  readonly generation: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** In bytes. */
  readonly growthBytes?: number;
  /** Called, and waited for, before the file of a complete generation is reused. Never rejects. */
  readonly beforeReuse?: ((generation: ClosedGeneration) => Promise<void>) | undefined;
}

/** A generation that is complete, and that a checkpoint moves to LMDB. */
export interface ClosedGeneration {
  readonly generation: number;
  readonly end: LogEnd;
}

/**
 * The write-ahead log: two files that hold acknowledged writes that are not in LMDB yet. Its format is in `write-ahead-log-format.ts`.
 *
 *     turn:  "begin" of g+1 in its file ─ witness of g+1 in the file of g ─ groups of g+1        each durable before the next
 *     rest:  witness of g rewritten ("seal"): it records how far g had come
 *
 * Invariants: groups of a generation are written only when its "begin" and its witness are durable; at most two at a time; a file is
 * reused only when LMDB has its contents. A checkpoint of g may be marked in LMDB once `begun` reports that g+1 is on disk, so that a
 * missing log is always detected.
 *
 * `LoggedGroupCommit` appends and seals, `Checkpointer` turns.
 */
export class WriteAheadLog implements ReadableLog {
  readonly #options: WriteAheadLogOptions;
  readonly #growthBytes: number;
  readonly #now: () => number;
  readonly #files: (OpenFile | undefined)[] = [undefined, undefined];
  readonly #sizes: [number, number] = [0, 0];
  #generation: number;
  #nonce: Buffer;
  /** Where the previous generation ended. */
  #predecessor: LogEnd = noEnd;
  /** Complete generations that are still in the files, the oldest first. */
  #closed: readonly ClosedGeneration[] = [];
  /** Where the next group is written. */
  #end: LogEnd;
  /** How far the groups of the generation are on disk, without a gap. */
  #durable: LogEnd;
  /** Ends of groups that are on disk after a gap, by their numbers. */
  readonly #durableAhead = new Map<number, LogEnd>();
  /** How many groups the witness on disk covers. */
  #witnessed = 0;
  #lastMs = 0;
  #beginning: Promise<void> | undefined;
  #hasBegun = false;
  #isGrowing = false;
  #sealing: Promise<void> = Promise.resolve();
  #hasFiles = false;

  constructor(options: WriteAheadLogOptions) {
    this.#options = options;
    this.#growthBytes = options.growthBytes ?? growthBytes;
    this.#now = options.now ?? Date.now;
    this.#generation = options.generation;
    this.#nonce = nonceOf(options.era, options.generation);
    this.#end = endOfBegin(this.#begin());
    this.#durable = this.#end;
  }

  get generation(): number {
    return this.#generation;
  }

  get era(): Buffer {
    return this.#options.era;
  }

  readable(): readonly ClosedGeneration[] {
    return this.#hasBegun ? [...this.#closed, { generation: this.#generation, end: this.#durable }] : this.#closed;
  }

  read(generation: number, from: LogEnd, to: LogEnd): Promise<Buffer> {
    const file = this.#files[generation % 2 === 0 ? 0 : 1] as OpenFile; // open: the generation is readable
    return file.read(to.length - from.length, from.length);
  }

  /** The mark for LMDB once it has all of a generation. */
  markOf(state: CheckpointMark['state'], { generation, end }: ClosedGeneration): CheckpointMark {
    return { state, store: this.#options.store, era: this.#options.era, generation, end };
  }

  /** Whether a group of this many bytes can be written alongside those that are being written. */
  hasRoom(bytes: number): boolean {
    return (
      this.#hasBegun && !this.#isGrowing && this.#end.length + bytes + tailBytesMin <= this.#sizes[this.#fileNumber()]
    );
  }

  /** Whether a turn would find a longer file. */
  hasLongerFile(): boolean {
    const present = this.#fileNumber();
    return this.#sizes[present === 0 ? 1 : 0] > this.#sizes[present];
  }

  /** Resolves when "begin" of the current generation and its witness are durable. Retries what failed. */
  begun(): Promise<void> {
    this.#beginning ??= this.#writeBegin().catch((error: unknown) => {
      this.#beginning = undefined;
      throw error;
    });
    return this.#beginning;
  }

  /**
   * Writes a group after the previous one; it is on the disk when this resolves. If `hasRoom` is false, all earlier groups must be on the disk.
   * `group` has room for its head.
   *
   * @throws {LogFullError} when there is no room for it; no part of it was written then.
   */
  async append(group: Buffer): Promise<void> {
    if (!this.hasRoom(group.length)) await this.#makeRoom(group.length);
    const file = this.#files[this.#fileNumber()] as OpenFile; // open: there is room in it
    const { groups: number, length: position, checksum: before } = this.#end;
    this.#lastMs = Math.max(this.#lastMs, this.#now());
    const head = { nonce: this.#nonce, number, durable: this.#durable.groups, before, timeMs: this.#lastMs };
    const checksum = this.writeHead(group, head);
    const end = { groups: number + 1, length: position + group.length, checksum };
    this.#end = end;
    await file.write(group, position);
    this.#markDurable(end);
  }

  /**
   * Continues with the next generation, in the other file. LMDB must have the contents of that file, and no group may be in flight. The next group
   * waits until the generation has begun.
   */
  turn(): ClosedGeneration {
    const closed = { generation: this.#generation, end: this.#end };
    this.#closed = [...this.#closed, closed];
    this.#generation += 1;
    this.#nonce = nonceOf(this.#options.era, this.#generation);
    this.#predecessor = closed.end;
    this.#end = endOfBegin(this.#begin());
    this.#durable = this.#end;
    this.#durableAhead.clear();
    this.#hasBegun = false;
    this.#beginning = undefined;
    return closed;
  }

  /** Records on disk how far the log has come. From then on damage to what is durable now can be told from a torn write. */
  async seal(): Promise<void> {
    if (this.#hasBegun && this.#witnessed !== this.#durable.groups) await this.#writeWitness();
  }

  async close(): Promise<void> {
    await this.#beginning?.catch(() => undefined);
    await this.#sealing;
    for (const file of this.#files) await file?.close();
    this.#files.fill(undefined);
    this.#hasBegun = false;
  }

  protected writeHead(...[group, head]: Parameters<typeof writeGroupHead>): number {
    return writeGroupHead(group, head);
  }

  #begin(): Buffer {
    return beginGroup({
      store: this.#options.store,
      generation: this.#generation,
      nonce: this.#nonce,
      predecessor: this.#predecessor,
    });
  }

  #fileNumber(): 0 | 1 {
    return this.#generation % 2 === 0 ? 0 : 1;
  }

  async #writeBegin(): Promise<void> {
    await this.#openFiles();
    await this.#leaveFile();
    const begin = this.#begin();
    await this.#grow(this.#fileNumber(), witnessBlockBytes + begin.length + tailBytesMin);
    await (this.#files[this.#fileNumber()] as OpenFile).write(begin, witnessBlockBytes); // opened just now
    await this.#writeWitness();
    this.#hasBegun = true;
  }

  /** The previous contents of the current generation's file are not read any more. */
  async #leaveFile(): Promise<void> {
    const reused = this.#closed.find(({ generation }) => generation === this.#generation - 2);
    if (reused === undefined) return;
    await this.#options.beforeReuse?.(reused);
    this.#closed = this.#closed.filter((closed) => closed !== reused);
  }

  /** Writes to the file of the other generation, one witness at a time. */
  async #writeWitness(): Promise<void> {
    const end = this.#durable;
    const witness = encodeWitness({ generation: this.#generation, nonce: this.#nonce, end });
    const file = this.#files[1 - this.#fileNumber()] as OpenFile; // open, as both are
    const written = this.#sealing.then(() => file.write(witness, 0));
    this.#sealing = written.catch(() => undefined);
    await written;
    this.#witnessed = end.groups;
  }

  /** Begins with new files: any that exist belong to another era. */
  async #openFiles(): Promise<void> {
    if (this.#hasFiles) return;
    const { files, directory } = this.#options;
    for (const at of [0, 1] as const) {
      if (this.#files[at] !== undefined) continue;
      const path = join(directory, logFileNames[at]);
      await files.unlink(path);
      this.#files[at] = await files.open(path, { create: true, isDurable: true });
      this.#sizes[at] = 0;
    }
    for (const at of [0, 1] as const) await this.#grow(at, Math.min(firstBytes, this.#growthBytes));
    await files.syncDirectory(directory);
    this.#hasFiles = true;
  }

  async #makeRoom(bytes: number): Promise<void> {
    this.#isGrowing = true;
    try {
      await this.begun();
      const end = this.#end.length + bytes + tailBytesMin;
      if (end <= this.#sizes[this.#fileNumber()]) return;
      await this.#grow(this.#fileNumber(), Math.ceil(end / this.#growthBytes) * this.#growthBytes);
    } finally {
      this.#isGrowing = false;
    }
  }

  async #grow(at: 0 | 1, to: number): Promise<void> {
    const from = this.#sizes[at];
    if (from >= to) return;
    try {
      await (this.#files[at] as OpenFile).write(Buffer.alloc(to - from), from); // open, as both are
    } catch (error) {
      throw new LogFullError(error instanceof Error ? error.message : String(error), { cause: error });
    }
    this.#sizes[at] = to;
  }

  #markDurable(end: LogEnd): void {
    if (end.groups !== this.#durable.groups + 1) {
      this.#durableAhead.set(end.groups, end);
      return;
    }
    this.#durable = end;
    while (this.#durableAhead.size > 0) {
      const next = this.#durableAhead.get(this.#durable.groups + 1);
      if (next === undefined) return;
      this.#durableAhead.delete(next.groups);
      this.#durable = next;
    }
  }
}

/** There is no room for more of the log. No part of the group that needed it has been written. */
export class LogFullError extends Error {}

/** Removes the log files: LMDB must have all their contents. */
export async function removeLogs(files: FileSystem, directory: string): Promise<void> {
  for (const name of logFileNames) await files.unlink(join(directory, name));
  await files.syncDirectory(directory);
}
