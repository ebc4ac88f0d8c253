import { StorageError } from '../storage-error.ts';
import type { Decision, StoreValue, StoreWrite } from '../store.ts';
import { assertWrites, type Commits, groupBytesMax } from './commits.ts';
import { runTransaction } from './exit-guard.ts';
import type { LmdbDatabase } from './lmdb-package.ts';
import { commitFailure } from './lmdb-failure.ts';
import type { SharedLog, SharedLogGroup } from './shared-log.ts';
import type { SnapshotReader } from './snapshot-reader.ts';

/**
 * Decisions in one transaction. They run on the event loop, at some 10 microseconds each, so this bounds how long reads
 * have to wait for them. A larger group gains little: the commit costs nearly as much per page as it would alone.
 *
 * Decision 0009 says why.
 */
const groupDecisionsMax = 256;

/**
 * Above this number, a group takes only half of the waiting decisions. While that half is being committed, the answers to the previous
 * half are on their way and the next requests come in. With all of them in one group, the disk and the processor would take turns.
 */
const groupDecisionsWhole = 16;

/**
 * Runs decisions in groups: those that arrive while a group is being committed form the next one, and a group costs one
 * transaction, that is, one wait for the disk.
 *
 *     arrive    a  b  c  d            e  f           g
 *               |  |______________    |_________     |
 *     group     [a] commit ... ok [b c d] commit ... ok [e f g]
 *                               a resolves             b, c, d resolve
 *
 * The package keeps what a transaction's callback wrote before it threw. So each decision is made before any of its
 * writes are put, its failure is caught and kept for its own caller, and the callback as a whole never throws.
 */
export class GroupCommit implements Commits {
  readonly #database: LmdbDatabase;
  readonly #reader: SnapshotReader;
  readonly #log: SharedLog | undefined;
  #waiting: PendingDecision[] = [];
  #running: Promise<void> | undefined;
  /** Set once a commit ended without telling what is in the file. */
  #failure: StorageError | undefined;

  /** @param log - also receives the writes of each group. */
  constructor(database: LmdbDatabase, reader: SnapshotReader, log?: SharedLog) {
    this.#database = database;
    this.#reader = reader;
    this.#log = log;
  }

  write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push(new Pending(keys, decide, resolve, reject));
      this.#running ??= this.#run();
    });
  }

  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async settled(): Promise<void> {
    if (this.#running === undefined) return;
    // Decisions are settled in the order of their arrival. The outcome of this one does not matter.
    await Promise.allSettled([this.write([], () => ({ answer: undefined, writes: [] }))]);
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) await this.#commitGroup();
    this.#running = undefined;
  }

  async #commitGroup(): Promise<void> {
    if (this.#failure !== undefined) {
      for (const pending of this.#waiting.splice(0)) pending.fail(this.#failure);
      return;
    }
    let group: PendingDecision[] = [];
    let putError: unknown;
    try {
      await runTransaction(this.#database, () => {
        // Taken only now, to include decisions that arrived while the transaction was starting.
        group = this.#waiting.splice(0, groupSize(this.#waiting.length));
        try {
          this.#waiting.unshift(...group.splice(this.#decideGroup(group)));
        } catch (error) {
          putError = error;
        }
      });
    } catch (error) {
      // After a failed put, LMDB refuses to commit without giving a reason. The reason is that of the put.
      this.#rejectGroup(group, commitFailure(putError ?? error, this.#reader.usable()));
      return;
    }
    if (putError !== undefined) this.#rejectGroup(group, partialCommit(putError));
    else for (const pending of group) pending.settle();
  }

  /** @returns how many decisions of the group were made; this transaction has no room for the others. */
  #decideGroup(group: readonly PendingDecision[]): number {
    let count = 0;
    const logged = this.#log?.group();
    let bytes = 0;
    for (const pending of group) {
      if (bytes >= groupBytesMax) break;
      bytes += this.#put(pending.decide(this.#reader), logged);
      this.#reader.releaseValues();
      count += 1;
    }
    if (logged !== undefined) this.#log?.append(logged);
    return count;
  }

  #put(writes: readonly StoreWrite[], logged: SharedLogGroup | undefined): number {
    let bytes = 0;
    for (const write of writes) {
      const { key, value } = write;
      logged?.add(write);
      if (value === undefined) {
        void this.#database.remove(key);
      } else {
        void this.#database.put(key, value);
        bytes += value.length;
      }
    }
    return bytes;
  }

  #rejectGroup(group: readonly PendingDecision[], failure: StorageError): void {
    if (failure.code === 'unknown-outcome') {
      // LMDB may now refuse to start another transaction, and the package would wait for it forever.
      this.#failure = new StorageError(
        'io',
        'an earlier commit failed and the data file cannot be written until the store is opened again',
        { cause: failure },
      );
    }
    // When the transaction could not even start, no group was taken, and the waiting writers would never get an answer.
    const concerned = group.length > 0 ? group : this.#waiting.splice(0);
    for (const pending of concerned) pending.fail(failure);
  }
}

function groupSize(waitingCount: number): number {
  return Math.min(groupDecisionsMax, Math.max(groupDecisionsWhole, Math.ceil(waitingCount / 2)));
}

interface PendingDecision {
  /** Makes the decision and keeps its outcome. @returns what to write: nothing if it failed. */
  decide(reader: SnapshotReader): readonly StoreWrite[];
  /** Tells the caller the outcome, which is durable now. */
  settle(): void;
  fail(error: StorageError): void;
}

class Pending<T> implements PendingDecision {
  readonly #keys: readonly Uint8Array[];
  readonly #decide: (values: readonly StoreValue[]) => Decision<T>;
  readonly #resolve: (answer: T) => void;
  readonly #reject: (error: unknown) => void;
  #outcome: { readonly answer: T } | { readonly error: unknown } | undefined;

  constructor(
    keys: readonly Uint8Array[],
    decide: (values: readonly StoreValue[]) => Decision<T>,
    resolve: (answer: T) => void,
    reject: (error: unknown) => void,
  ) {
    this.#keys = keys;
    this.#decide = decide;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  decide(reader: SnapshotReader): readonly StoreWrite[] {
    try {
      const { answer, writes } = reader.readForWrite(this.#keys, this.#decide);
      // The package would throw in the middle, and the transaction would keep half of the writes.
      assertWrites(writes);
      this.#outcome = { answer };
      return writes;
    } catch (error) {
      this.#outcome = { error };
      return [];
    }
  }

  settle(): void {
    if (this.#outcome === undefined) return;
    if ('error' in this.#outcome) this.#reject(this.#outcome.error);
    else this.#resolve(this.#outcome.answer);
  }

  fail(error: StorageError): void {
    this.#reject(error);
  }
}

/** LMDB committed in spite of a failed put. It never has, but then half of a decision would be in the file. */
function partialCommit(cause: unknown): StorageError {
  return new StorageError('unknown-outcome', 'a write failed inside a transaction that was committed nevertheless', {
    cause,
  });
}
