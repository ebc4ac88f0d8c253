/**
 * What concurrent clients did and saw, in a form that can be checked without the database.
 *
 * Moments are positions in one sequence of events (an invocation or a completion each), so that "this one completed before
 * that one was invoked" is a comparison of numbers. An operation whose answer never came may have taken effect at any moment
 * after its invocation, or never: its outcome is `unknown` and it completes at infinity.
 */
export type Outcome = 'ok' | 'failed' | 'unknown';

export interface Operation {
  readonly id: number;
  readonly client: number;
  /** The action that was requested, for reports. */
  readonly action: string;
  readonly invokedAt: number;
  /** `Infinity` when the outcome is unknown. */
  readonly completedAt: number;
  readonly outcome: Outcome;
}

/** An operation on items that each hold a list, to which unique numbers are appended. It takes effect as a whole or not at all. */
export interface ListOperation extends Operation {
  readonly steps: readonly ListStep[];
}

export type ListStep =
  | { readonly kind: 'read'; readonly key: string; readonly values: readonly number[] }
  | { readonly kind: 'append'; readonly key: string; readonly value: number };

/** An operation on one item that holds one value. Values that are written are unique, so a value names its write. */
export interface RegisterOperation extends Operation {
  readonly key: string;
  readonly change: RegisterChange;
  /** The state of the item before the operation, as shown by the answer; absent if the answer does not show it. */
  readonly seen?: { readonly value: string | undefined };
}

export type RegisterChange =
  | { readonly kind: 'read' }
  | { readonly kind: 'put'; readonly value: string }
  | { readonly kind: 'delete' }
  /** A put on the condition that the item holds `expected` (undefined: that there is no item). */
  | { readonly kind: 'put-if'; readonly expected: string | undefined; readonly value: string };

/** A violation of isolation, with the operations that show it. */
export interface Anomaly {
  /** Adya's and Elle's names where they exist. */
  readonly name: string;
  /** One sentence per line. */
  readonly explanation: string;
  readonly operations: readonly Operation[];
}

/** Records the operations of many clients in one sequence of events. */
export class HistoryRecorder<T extends Operation> {
  readonly #operations: T[] = [];
  #moment = 0;
  #id = 0;

  /** The next moment. */
  now(): number {
    this.#moment += 1;
    return this.#moment;
  }

  nextId(): number {
    this.#id += 1;
    return this.#id;
  }

  add(operation: T): void {
    this.#operations.push(operation);
  }

  get operations(): readonly T[] {
    return this.#operations;
  }
}

/** `client 3: TransactWriteItems (operation 17)`, for explanations. */
export function describeOperation({ id, client, action, outcome }: Operation): string {
  return `client ${client}: ${action} (operation ${id}${outcome === 'unknown' ? ', unanswered' : ''})`;
}
