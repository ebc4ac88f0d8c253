/**
 * The part of the package `lmdb` that this driver uses. Its own types leave out `transaction` on `getBinaryFast`, the
 * encoders and `resetTxn`; the conformance suite holds this description to what the package does.
 */
export interface LmdbDatabase {
  /** Runs something that commits, once no process is opening the data file. Everything that writes to the file does so in here. */
  committing<T>(body: () => Promise<T>): Promise<T>;
  /** Fills the package's single buffer and returns it. Inside a `transaction` it also sees the writes of that transaction. */
  getBinaryFast(key: Uint8Array, options: { transaction: LmdbReadTransaction }): Uint8Array | undefined;
  getRange(options: LmdbRangeOptions): Iterable<{ key: Uint8Array; value: Uint8Array }>;
  /**
   * Inside a `transaction`, takes effect at once, and the bytes are copied before it returns. Outside, the package's own thread
   * writes: the promise, shared by all writes of a commit, resolves when it is durable, and until then the bytes must not change.
   */
  put(key: Uint8Array, value: Uint8Array): Promise<unknown>;
  remove(key: Uint8Array): Promise<unknown>;
  /** Runs `action` on this thread while it holds the write lock; resolves when what it wrote is durable. */
  transaction(action: () => void): Promise<void>;
  useReadTransaction(): LmdbReadTransaction;
  resetReadTxn(): void;
  /**
   * The processes and threads that have the data file open: a line of titles, then one line for each: process id, thread id, and the number of its
   * snapshot or a dash.
   */
  readerList(): string;
  /** Removes those that have died from the list. */
  readerCheck(): number;
  close(): Promise<void>;
}

/** The same as the package returns it. */
export interface LmdbFile extends Omit<LmdbDatabase, 'committing'> {
  /** Like `transaction`, and blocks this thread until it holds the write lock. */
  transactionSync(action: () => void): void;
}

export interface LmdbReadTransaction {
  /** Address of the native object. */
  readonly address: number;
  done(): void;
}

export interface LmdbRangeOptions {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
  readonly reverse: boolean;
  readonly exclusiveStart: boolean;
  readonly inclusiveEnd: boolean;
  readonly transaction: LmdbReadTransaction;
}

export interface OpenedDatabase<Database = LmdbDatabase> {
  readonly database: Database;
  /** Releases the snapshot of a read transaction; the next read that uses the transaction takes a new one. */
  readonly releaseSnapshot: (transaction: LmdbReadTransaction) => void;
  /**
   * Opens a cursor that is used for one range after the other. Absent where only `getRange` reads ranges.
   *
   * @param transaction - the only read transaction of the database: a cursor takes its snapshots.
   */
  readonly openCursor?: ((transaction: LmdbReadTransaction) => KeptCursor) | undefined;
}

/** The entries of a range, one after the other. */
export interface EntryCursor {
  /** Valid until the next call of `next`, as is the value. */
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  /** Moves to the next entry; at first to the first. @returns false after the last one. */
  next(): boolean;
}

/** A cursor for one range after the other. It has to be closed before its transaction ends. */
export interface KeptCursor extends EntryCursor {
  /** Begins a range. Its snapshot is that of the transaction; if that has none, the first call of `next` takes one. */
  begin(range: LmdbRangeOptions): void;
  close(): void;
}

/**
 * A read transaction that belongs to the caller, without a snapshot: the first read that uses it takes one. The package would otherwise share the
 * transaction and abort it.
 */
export function ownReadTransaction({
  database,
  releaseSnapshot,
}: OpenedDatabase<Pick<LmdbDatabase, 'useReadTransaction' | 'resetReadTxn'>>): LmdbReadTransaction {
  const transaction = database.useReadTransaction();
  database.resetReadTxn();
  releaseSnapshot(transaction);
  return transaction;
}

/** A process and thread that has a data file open. */
export interface LmdbReader {
  readonly processId: number;
  /** Whether it holds a snapshot at this moment. */
  readonly hasSnapshot: boolean;
}

/** The processes and threads that have a data file open; those that have died may be among them. */
export function readersOf(database: Pick<LmdbDatabase, 'readerList'>): readonly LmdbReader[] {
  const [, ...rows] = database.readerList().trimEnd().split('\n');
  return rows.map((row) => ({ processId: Number.parseInt(row, 10), hasSnapshot: !row.endsWith('-') }));
}
