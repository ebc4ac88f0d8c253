/**
 * A store that injects faults. It wraps another store and does, at moments drawn from a seed, what the contract
 * allows a store to do and a test on one quiet machine never shows.
 *
 *     fault              what happens                                    why a correct caller survives it
 *     ----------------   ---------------------------------------------   ----------------------------------------------
 *     writeRefused       a write rejects with code 'io' or 'conflict',   It reports the failure, or tries again: nothing
 *                        before anything is written. With 'conflict'     has changed, and the decision is pure.
 *                        the decision has run for nothing.
 *     outcomeUnknown     a write rejects with code 'unknown-outcome',    It reports that it does not know, or reads to
 *                        half of the time after it was applied in        find out, or its decision notices that it was
 *                        full, half of the time without.                 applied before.
 *     answerDelayed      a call takes effect late, or its answer comes   It waits for the answer before it relies on it,
 *                        late: calls overtake each other. A write is     and puts what must not interleave into one
 *                        visible to others before its caller knows.      decision.
 *     decisionRepeated   a decision runs up to three times more than     It is pure: only the last run counts. Runs on
 *                        needed, first on values of an earlier moment.   old values may fail, which is not reported.
 *     readFailed         a read rejects with code 'io' before its body   It has no result, and drops what it has
 *                        runs; a range does so after some visits.        collected so far.
 *
 * What it never does: apply a write in part or twice, forget a write it has acknowledged, or answer from a state older
 * than what was acknowledged before the call.
 *
 * It also checks its callers. Views are copies that are overwritten as soon as the function that received them returns,
 * so that none can be kept. Writing to a view, deciding differently on equal values and writing a key twice in one
 * decision fail with an `AssertionError`. And every answer is a promise, as it is with a store on another machine.
 */
import { AssertionError } from 'node:assert';
import { equalBytes } from '../byte-order.ts';
import { CallerGuard } from '../caller-checks.ts';
import { StorageError } from '../storage-error.ts';
import type {
  Decision,
  RangeEnd,
  RangeRequest,
  RangeVisitor,
  Store,
  StoreManifest,
  StoreValue,
  StoreWrite,
} from '../store.ts';
import { SeededRandom } from '../../randomness/seeded-random.ts';

export type FaultKind = 'writeRefused' | 'outcomeUnknown' | 'answerDelayed' | 'decisionRepeated' | 'readFailed';

/** How often a call meets each fault: 0 for never, 1 for always. */
export type FaultRates = Readonly<Record<FaultKind, number>>;

export interface FaultStoreOptions {
  /** The same seed, calls and pauses give the same faults. */
  readonly seed: number;
  /** Kinds that are left out never happen. */
  readonly rates: Partial<FaultRates>;
  /** Lets other work run, then resolves. Delays are built from it. Default: the next turn of the event loop. */
  readonly pause?: () => Promise<void>;
}

/** A delay is at most this many pauses. */
const pausesMax = 6;

const repetitionsMax = 3;

/** A range that is to fail does so after at most this many visits. */
const visitsBeforeFailureMax = 5;

/** The byte that overwrites a view when it becomes invalid. */
const overwrittenByte = 0xdb;

const calm: FaultRates = {
  writeRefused: 0,
  outcomeUnknown: 0,
  answerDelayed: 0,
  decisionRepeated: 0,
  readFailed: 0,
};

/** See the comment at the head of this file. Closing it closes the wrapped store. */
export class FaultStore implements Store {
  readonly manifest: StoreManifest;
  readonly #inner: Store;
  readonly #random: SeededRandom;
  readonly #pause: () => Promise<void>;
  readonly #guard = new CallerGuard();
  readonly #running = new Set<Promise<unknown>>();
  readonly #injected: Record<FaultKind, number> = { ...calm };
  #rates: FaultRates;
  #closing: Promise<void> | undefined;

  constructor(inner: Store, options: FaultStoreOptions) {
    // Views are overwritten after each call, so that callers who keep them are found.
    this.manifest = { ...inner.manifest, name: `${inner.manifest.name} with faults`, readsOwnMemory: false };
    this.#inner = inner;
    this.#random = new SeededRandom(options.seed);
    this.#pause = options.pause ?? nextTurn;
    this.#rates = { ...calm, ...options.rates };
  }

  /** How many calls have met each fault so far. */
  get injected(): Readonly<Record<FaultKind, number>> {
    return { ...this.#injected };
  }

  /** Replaces the rates for later calls: with `{}`, no more faults occur. */
  setRates(rates: Partial<FaultRates>): void {
    this.#rates = { ...calm, ...rates };
  }

  async read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): Promise<T> {
    return this.#run(async () => {
      if (this.#meets('readFailed')) throw new StorageError('io', 'injected: the read failed');
      return this.#inner.read(keys, (values) => this.#lend(values, body));
    });
  }

  async range(request: RangeRequest, visit: RangeVisitor): Promise<RangeEnd> {
    return this.#run(async () => {
      const failAfter = this.#meets('readFailed') ? this.#random.integer(0, visitsBeforeFailureMax) : Infinity;
      if (failAfter === 0) throw rangeFailure();
      let visits = 0;
      const { guard } = request;
      const lent = guard && { ...guard, check: (values: readonly StoreValue[]) => this.#lend(values, guard.check) };
      const end = await this.#inner.range({ ...request, ...(lent && { guard: lent }) }, (key, value) => {
        if (visits === failAfter) throw rangeFailure();
        visits += 1;
        return this.#lend([key, value], ([keyView, valueView]) => visit(present(keyView), present(valueView)));
      });
      if (failAfter !== Infinity) throw rangeFailure();
      return end;
    });
  }

  async write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T> {
    return this.#run(async () => {
      await this.#refuse(keys, decide);
      const unknown = this.#meets('outcomeUnknown');
      if (unknown && this.#random.chance(0.5)) throw outcomeUnknown();
      const repetitions = this.#meets('decisionRepeated') ? this.#random.integer(1, repetitionsMax) : 0;
      const earlier = repetitions === 0 ? undefined : await this.#inner.read(keys, copyValues);
      if (earlier !== undefined) await this.#pauses();
      const answer = await this.#inner.write(keys, (values) => {
        if (earlier !== undefined) this.#tryDecision(earlier, decide);
        const trials = Array.from({ length: repetitions }, () => this.#tryDecision(values, decide));
        const last = this.#tryDecision(values, decide);
        for (const trial of trials) assertSameDecision(trial, last);
        if ('error' in last) throw last.error;
        return last;
      });
      if (unknown) throw outcomeUnknown();
      return answer;
    });
  }

  async close(): Promise<void> {
    this.#guard.assertOutside();
    this.#closing ??= Promise.allSettled(this.#running).then(async () => this.#inner.close());
    await this.#closing;
  }

  /** Common to all calls: they are refused when closed, counted, and delayed. */
  async #run<T>(call: () => Promise<T>): Promise<T> {
    this.#guard.assertOutside();
    if (this.#closing !== undefined) throw new StorageError('closed', 'the store is closed');
    const late = this.#meets('answerDelayed');
    const running = this.#runLate(call, late);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  async #runLate<T>(call: () => Promise<T>, late: boolean): Promise<T> {
    if (late) await this.#pauses();
    try {
      return await call();
    } finally {
      if (late) await this.#pauses();
    }
  }

  async #refuse<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<void> {
    if (!this.#meets('writeRefused')) return;
    if (this.#random.chance(0.5)) throw new StorageError('io', 'injected: the write was refused');
    const values = await this.#inner.read(keys, copyValues);
    this.#tryDecision(values, decide);
    throw new StorageError('conflict', 'injected: the write met too many others');
  }

  /** Runs a decision for its outcome, whose bytes are safe to keep. */
  #tryDecision<T>(
    values: readonly StoreValue[],
    decide: (values: readonly StoreValue[]) => Decision<T>,
  ): Decision<T> | FailedDecision {
    try {
      return this.#lend(values, (views) => {
        const { answer, writes } = decide(views);
        assertDistinctKeys(writes);
        return { answer, writes: writes.map(copyWrite) };
      });
    } catch (error) {
      // Misuse must be reported even though this run does not count.
      if (error instanceof AssertionError) throw error;
      return { error };
    }
  }

  /** Calls a function with copies of values, and overwrites the copies when it has returned. */
  #lend<T>(values: readonly StoreValue[], body: (values: readonly StoreValue[]) => T): T {
    const copies = copyValues(values);
    try {
      const result = this.#guard.run(body, copies);
      assertUntouched(copies, values);
      return result;
    } finally {
      for (const copy of copies) copy?.fill(overwrittenByte);
    }
  }

  #meets(kind: FaultKind): boolean {
    const meets = this.#random.chance(this.#rates[kind]);
    if (meets) this.#injected[kind] += 1;
    return meets;
  }

  async #pauses(): Promise<void> {
    for (let left = this.#random.integer(1, pausesMax); left > 0; left -= 1) await this.#pause();
  }
}

interface FailedDecision {
  readonly error: unknown;
}

async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function rangeFailure(): StorageError {
  return new StorageError('io', 'injected: the range failed');
}

function outcomeUnknown(): StorageError {
  return new StorageError('unknown-outcome', 'injected: the answer to the write was lost');
}

function copyValues(values: readonly StoreValue[]): readonly StoreValue[] {
  return values.map((value) => (value === undefined ? undefined : new Uint8Array(value)));
}

function copyWrite({ key, value }: StoreWrite): StoreWrite {
  return { key: new Uint8Array(key), value: value === undefined ? undefined : new Uint8Array(value) };
}

function assertUntouched(copies: readonly StoreValue[], values: readonly StoreValue[]): void {
  const untouched = copies.every((copy, index) => sameValue(copy, values[index]));
  if (!untouched) throw new AssertionError({ message: 'a caller wrote to a view it was given' });
}

function assertDistinctKeys(writes: readonly StoreWrite[]): void {
  const keys = new Set(writes.map(({ key }) => Buffer.from(key).toString('latin1')));
  if (keys.size !== writes.length) throw new AssertionError({ message: 'a decision writes a key more than once' });
}

function assertSameDecision<T>(one: Decision<T> | FailedDecision, other: Decision<T> | FailedDecision): void {
  if (sameDecision(one, other)) return;
  throw new AssertionError({ message: 'a decision is not pure: it differs between two runs on the same values' });
}

function sameDecision<T>(one: Decision<T> | FailedDecision, other: Decision<T> | FailedDecision): boolean {
  if ('error' in one || 'error' in other) return 'error' in one && 'error' in other;
  return (
    one.writes.length === other.writes.length &&
    one.writes.every(({ key, value }, index) => {
      const counterpart = other.writes[index];
      return counterpart !== undefined && equalBytes(key, counterpart.key) && sameValue(value, counterpart.value);
    })
  );
}

function sameValue(one: StoreValue, other: StoreValue): boolean {
  return one === undefined || other === undefined ? one === other : equalBytes(one, other);
}

/** A key or value of an entry, which a range always has. */
function present(value: StoreValue): Uint8Array {
  if (value === undefined) throw new AssertionError({ message: 'an entry without a key or a value' });
  return value;
}
