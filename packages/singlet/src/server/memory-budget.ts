/**
 * The memory that a server uses for requests and answers at one time, over all connections: bodies, from their first byte until they are
 * answered, the output of compressed ones, and answers that clients have not read yet.
 *
 * A body's share is taken before it is read, and returned when the request has been answered. When none is left a body waits, first come
 * first served, while its connection is not read. A quarter of the total is reserved for small bodies, so that ordinary calls are
 * answered while large ones wait.
 *
 * Decision 0045 says why.
 */
export class MemoryBudget {
  readonly bytes: number;
  readonly #largeBytes: number;
  readonly #waitMs: number;
  readonly #waiting: Readonly<Record<BodyKind, Waiter[]>> = { small: [], large: [] };
  #usedBytes = 0;

  /**
   * @param options.bytes - the total, at least {@link memoryBudgetBytesMin}.
   * @param options.waitMs - how long a body waits for its share before it is refused.
   */
  constructor({ bytes = memoryBudgetBytes, waitMs = memoryWaitMs }: { bytes?: number; waitMs?: number } = {}) {
    this.bytes = bytes;
    this.#largeBytes = bytes - bytes / 4;
    this.#waitMs = waitMs;
  }

  /** The bytes in use. More than the total for a while, when clients leave many answers unread. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Takes a share if one is free, and no other body of its kind waits for one. */
  tryTake(bytes: number, kind: BodyKind): boolean {
    if (this.#waiting[kind].length > 0 || !this.#fits(bytes, kind)) return false;
    this.#usedBytes += bytes;
    return true;
  }

  /**
   * Waits for a share.
   *
   * @param done - called once with whether the share was taken; not called when the wait is cancelled.
   * @returns a function that cancels the wait.
   */
  wait(bytes: number, kind: BodyKind, done: (isTaken: boolean) => void): () => void {
    const queue = this.#waiting[kind];
    const leave = (): void => {
      clearTimeout(timer);
      const at = queue.indexOf(waiter);
      if (at >= 0) queue.splice(at, 1);
      // The next in line may need less.
      this.#serve(kind);
    };
    const waiter: Waiter = {
      bytes,
      take: () => {
        clearTimeout(timer);
        this.#usedBytes += bytes;
        done(true);
      },
    };
    const timer = setTimeout(() => {
      leave();
      done(false);
    }, this.#waitMs);
    queue.push(waiter);
    return leave;
  }

  /** Takes a share that can neither be refused nor wait: for a finished answer. */
  hold(bytes: number): void {
    this.#usedBytes += bytes;
  }

  give(bytes: number): void {
    this.#usedBytes -= bytes;
    this.#serve('small');
    this.#serve('large');
  }

  #fits(bytes: number, kind: BodyKind): boolean {
    return this.#usedBytes + bytes <= (kind === 'small' ? this.bytes : this.#largeBytes);
  }

  #serve(kind: BodyKind): void {
    const queue = this.#waiting[kind];
    for (let first = queue[0]; first !== undefined && this.#fits(first.bytes, kind); first = queue[0]) {
      queue.shift();
      first.take();
    }
  }
}

interface Waiter {
  readonly bytes: number;
  readonly take: () => void;
}

/** Small bodies have a quarter of the budget to themselves. */
export type BodyKind = 'small' | 'large';

const megabyte = 1024 * 1024;

/** The default budget of a server. */
export const memoryBudgetBytes: number = 64 * megabyte;

/** With less, a body of the greatest size would never fit. */
export const memoryBudgetBytesMin: number = 32 * megabyte;

/** How long a body waits for memory before it is refused, milliseconds. */
const memoryWaitMs = 5_000;

/** Bodies up to this size are small, bytes. */
export const smallBodyBytesMax: number = 64 * 1024;

/** Bytes of memory per byte of a body once it is parsed: 4 to 30, as measured. */
const parsedFactor = 8;

/** Limit of the estimate, unless the body itself is larger: only a few large bodies are parsed at a time. */
const parsedBytesMax = 8 * megabyte;

export function bodyKind(bodyBytes: number): BodyKind {
  return bodyBytes <= smallBodyBytesMax ? 'small' : 'large';
}

/** A body's share of the budget: as sent or inflated, and parsed. */
export function bodyShareBytes(bodyBytes: number): number {
  return Math.max(bodyBytes, Math.min(parsedFactor * bodyBytes, parsedBytesMax));
}
