import type { LmdbDatabase, LmdbRangeOptions, OpenedDatabase } from '../lmdb/lmdb-package.ts';
import type { Inode, SimulatedFiles } from './simulated-files.ts';

const pageBytes = 8192;

type Entries = Map<string, Buffer>;
type Writes = Map<string, Buffer | undefined>;

/** The durable contents of a data file, and what a power cut may add: all of a commit in flight, or none of it. */
class DataFile {
  entries: Entries = new Map();
  committing: Writes | undefined;
  transactions = 0;
  /** One process writes at a time. */
  lock: Promise<void> = Promise.resolve();
}

/**
 * A model of LMDB with its contract and none of its code: a commit is there entirely or not at all, durable once its promise resolved, and commits
 * are made one after the other. A new data file has two pages, which are durable with the first commit.
 *
 * Decision 0089 says why.
 */
export class SimulatedLmdb {
  readonly #dataFiles = new Map<Inode, DataFile>();
  /** Commits that are reported before they are made: a bug that tests plant. */
  reportsEarly: (writes: Writes) => boolean = () => false;

  readonly opener =
    (files: SimulatedFiles) =>
    async (directory: string): Promise<OpenedDatabase> => {
      const inode = files.inode(`${directory}/data.mdb`);
      if (inode === undefined) throw new TypeError('there is no data file');
      let dataFile = this.#dataFiles.get(inode);
      if (dataFile === undefined) {
        dataFile = new DataFile();
        this.#dataFiles.set(inode, dataFile);
        if (inode.bytes.length === 0) inode.write(twoPages(), 0);
      }
      const database = new SimulatedDatabase(files, inode, dataFile, (writes) => this.reportsEarly(writes));
      return { database, releaseSnapshot: () => undefined };
    };

  /** The contents of a data file, by the text of the key (latin1), for tests that damage it. */
  entriesOf(inode: Inode | undefined): Map<string, Buffer> {
    return (inode && this.#dataFiles.get(inode)?.entries) ?? new Map<string, Buffer>();
  }

  /** Returns the last transaction of the data file of a directory. */
  readonly transactions =
    (files: SimulatedFiles) =>
    (directory: string): { last: () => number; close: () => void } => {
      const inode = files.inode(`${directory}/data.mdb`);
      return { last: () => (inode && this.#dataFiles.get(inode)?.transactions) ?? 0, close: () => undefined };
    };

  /** What a power cut leaves of the data file. @param isCommitted - whether a commit in flight is on disk. */
  leave(old: Inode, made: Inode, isCommitted: boolean): void {
    const dataFile = this.#dataFiles.get(old);
    if (dataFile === undefined) return;
    const { entries, committing } = dataFile;
    const left = new DataFile();
    left.entries = new Map(entries);
    left.transactions = dataFile.transactions;
    if (committing !== undefined && isCommitted) {
      applyWrites(left.entries, committing);
      if (committing.size > 0) left.transactions += 1;
      made.bytes = Buffer.from(old.bytes); // LMDB syncs the pages before the one that makes them valid
    }
    if (made.bytes.equals(old.bytes)) this.#dataFiles.set(made, left);
  }
}

function twoPages(): Buffer {
  const pages = Buffer.alloc(2 * pageBytes);
  for (const start of [0, pageBytes]) {
    pages.writeUInt16LE(8, start + 18);
    pages.writeUInt32LE(0xbeef_c0de, start + 24);
    pages.writeUInt32LE(2, start + 28);
  }
  return pages;
}

function applyWrites(entries: Entries, writes: Writes): void {
  for (const [name, value] of writes) {
    if (value === undefined) entries.delete(name);
    else entries.set(name, value);
  }
}

interface Job {
  readonly writes: Writes;
  readonly action: (() => void) | undefined;
  readonly done: Promise<void>;
  readonly resolve: () => void;
}

class SimulatedDatabase implements LmdbDatabase {
  readonly #files: SimulatedFiles;
  readonly #inode: Inode;
  readonly #dataFile: DataFile;
  readonly #reportsEarly: (writes: Writes) => boolean;
  readonly #jobs: Job[] = [];
  #running: Promise<void> | undefined;
  /** Writes of the transaction whose callback is running. */
  #inside: Writes | undefined;

  constructor(files: SimulatedFiles, inode: Inode, dataFile: DataFile, reportsEarly: (writes: Writes) => boolean) {
    this.#files = files;
    this.#inode = inode;
    this.#dataFile = dataFile;
    this.#reportsEarly = reportsEarly;
  }

  /** The model opens a file without any of LMDB's problems. */
  committing<T>(body: () => Promise<T>): Promise<T> {
    return body();
  }

  getBinaryFast(key: Uint8Array): Uint8Array | undefined {
    const name = nameOf(key);
    return this.#inside?.has(name) === true ? this.#inside.get(name) : this.#dataFile.entries.get(name);
  }

  getRange({ start, end, reverse }: LmdbRangeOptions): Iterable<{ key: Uint8Array; value: Uint8Array }> {
    const [low, high] = reverse ? [end, start] : [start, end];
    const names = [...this.#dataFile.entries.keys()]
      .filter((name) => name >= nameOf(low) && name < nameOf(high))
      .sort();
    if (reverse) names.reverse();
    return names.map((name) => ({ key: Buffer.from(name, 'latin1'), value: this.#dataFile.entries.get(name)! }));
  }

  put(key: Uint8Array, value: Uint8Array): Promise<unknown> {
    return this.#write(nameOf(key), Buffer.from(value));
  }

  remove(key: Uint8Array): Promise<unknown> {
    return this.#write(nameOf(key), undefined);
  }

  transaction(action: () => void): Promise<void> {
    return this.#add(action).done;
  }

  useReadTransaction(): { readonly address: number; done: () => void } {
    return { address: 0, done: () => undefined };
  }

  resetReadTxn(): void {
    // There is nothing to release.
  }

  readerList(): string {
    return `pid thread txnid\n${process.pid} 0 -\n`;
  }

  readerCheck(): number {
    return 0;
  }

  async close(): Promise<void> {
    await this.#running;
  }

  #write(name: string, value: Buffer | undefined): Promise<unknown> {
    if (this.#inside !== undefined) {
      this.#inside.set(name, value);
      return Promise.resolve();
    }
    const last = this.#jobs.at(-1);
    const job = last === undefined || last.action !== undefined ? this.#add(undefined) : last;
    job.writes.set(name, value);
    return job.done;
  }

  #add(action: (() => void) | undefined): Job {
    let resolve = (): void => undefined;
    const done = new Promise<void>((settle) => (resolve = settle));
    const job = { writes: new Map(), action, done, resolve };
    this.#jobs.push(job);
    this.#running ??= this.#run();
    return job;
  }

  async #run(): Promise<void> {
    await Promise.resolve();
    for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift()) {
      const before = this.#dataFile.lock;
      this.#dataFile.lock = job.done;
      await before;
      if (job.action !== undefined) {
        this.#inside = job.writes;
        job.action();
        this.#inside = undefined;
      }
      const isEarly = this.#reportsEarly(job.writes);
      if (isEarly) job.resolve();
      this.#dataFile.committing = job.writes;
      // A commit that is reported early takes longer.
      for (let waits = isEarly ? 12 : 1; waits > 0; waits -= 1) await this.#files.wait();
      this.#dataFile.committing = undefined;
      applyWrites(this.#dataFile.entries, job.writes);
      if (job.writes.size > 0) this.#dataFile.transactions += 1;
      this.#inode.makeDurable();
      job.resolve();
    }
    this.#running = undefined;
  }
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key).toString('latin1');
}
