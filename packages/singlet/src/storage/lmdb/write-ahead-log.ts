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

/** Files grow by this much at a time. Writing where there is something already spares the file system its own journal. */
const growthBytes = 1024 * 1024;

/** Both files have so much from the beginning, so that a full disk does not prevent a turn. */
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
 * The write-ahead log: two files that hold what has been acknowledged and is not in LMDB yet. Its format is in `write-ahead-log-format.ts`.
 *
 *     turn:  "begin" of g+1 in its file ─ witness of g+1 in the file of g ─ groups of g+1        each durable before the next
 *     rest:  witness of g rewritten ("seal"): it says how far g had come
 *
 * Invariants: groups of a generation are written only when its "begin" and its witness are durable; at most two at a time; a file is only begun
 * again when LMDB has what it held. A checkpoint of g may be marked in LMDB once `begun` says that g+1 is on disk, so that a log that is missing
 * is always noticed.
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
  /** Where the generation before ended. */
  #predecessor: LogEnd = noEnd;
  /** Complete generations that are still in the files, the oldest first. */
  #closed: readonly ClosedGeneration[] = [];
  /** Where the next group comes. */
  #end: LogEnd;
  /** Up to where the groups of the generation are on disk, without a gap. */
  #durable: LogEnd;
  /** Ends of groups that are on disk after a gap, by their numbers. */
  readonly #durableAhead = new Map<number, LogEnd>();
  /** How many the witness on disk speaks of. */
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

  /** What LMDB has to say once it has all of a generation. */
  markOf(state: CheckpointMark['state'], { generation, end }: ClosedGeneration): CheckpointMark {
    return { state, store: this.#options.store, era: this.#options.era, generation, end };
  }

  /** Whether a group of so many bytes can be written beside those that are being written. */
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

  /** Resolves when "begin" of the present generation and its witness are durable. What failed is tried again. */
  begun(): Promise<void> {
    this.#beginning ??= this.#writeBegin().catch((error: unknown) => {
      this.#beginning = undefined;
      throw error;
    });
    return this.#beginning;
  }

  /**
   * Writes a group behind the one before; it is on the disk when this resolves. Where `hasRoom` says no, all groups before must be there.
   * `group` has room for its head.
   *
   * @throws {LogFullError} when there is no room for it; nothing of it was written then.
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
   * Continues with the next generation, in the other file. LMDB must have what that held, and nothing may be on its way to the disk. The next group
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

  /** Says on disk how far the log has come. From then on damage to what is durable now can be told from a torn write. */
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

  /** What the file of the present generation held before is read no more. */
  async #leaveFile(): Promise<void> {
    const reused = this.#closed.find(({ generation }) => generation === this.#generation - 2);
    if (reused === undefined) return;
    await this.#options.beforeReuse?.(reused);
    this.#closed = this.#closed.filter((closed) => closed !== reused);
  }

  /** In the file of the other generation, one after the other. */
  async #writeWitness(): Promise<void> {
    const end = this.#durable;
    const witness = encodeWitness({ generation: this.#generation, nonce: this.#nonce, end });
    const file = this.#files[1 - this.#fileNumber()] as OpenFile; // open, as both are
    const written = this.#sealing.then(() => file.write(witness, 0));
    this.#sealing = written.catch(() => undefined);
    await written;
    this.#witnessed = end.groups;
  }

  /** Begins with files of its own: whatever there was belongs to another era. */
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

/** There is no room for more of the log. None of the group that needed it has been written. */
export class LogFullError extends Error {}

/** Removes the log files: LMDB must have all they hold. */
export async function removeLogs(files: FileSystem, directory: string): Promise<void> {
  for (const name of logFileNames) await files.unlink(join(directory, name));
  await files.syncDirectory(directory);
}
