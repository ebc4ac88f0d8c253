/**
 * How many bytes of requests and answers a server holds at one time, over all connections: bodies, from their first byte until they are
 * answered, what comes out of compressed ones, and answers that clients have not taken yet.
 *
 * Before a body is read its share is taken, and given back when the request has been answered. Where there is none left a body waits, first come
 * first served, while its connection is not read. A quarter of the whole is kept for small bodies, so that ordinary calls are
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
   * @param options.bytes - the whole, at least {@link memoryBudgetBytesMin}.
   * @param options.waitMs - how long a body waits for its share before it is refused.
   */
  constructor({ bytes = memoryBudgetBytes, waitMs = memoryWaitMs }: { bytes?: number; waitMs?: number } = {}) {
    this.bytes = bytes;
    this.#largeBytes = bytes - bytes / 4;
    this.#waitMs = waitMs;
  }

  /** What is taken at present. More than the whole for a while, when many answers are not taken by their clients. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Takes a share if there is one, and no other body of its kind waits for one. */
  tryTake(bytes: number, kind: BodyKind): boolean {
    if (this.#waiting[kind].length > 0 || !this.#fits(bytes, kind)) return false;
    this.#usedBytes += bytes;
    return true;
  }

  /**
   * Waits for a share.
   *
   * @param done - told whether it was taken, once; not when the wait is cancelled.
   * @returns cancels the wait.
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

  /** Takes a share that cannot be refused or wait: of an answer that has been made. */
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

/** What a server has by default. */
export const memoryBudgetBytes: number = 64 * megabyte;

/** With less, a body of the greatest size would never be taken. */
export const memoryBudgetBytesMin: number = 32 * megabyte;

/** How long a body waits for memory before it is refused, milliseconds. */
const memoryWaitMs = 5_000;

/** Bodies up to this size are small, bytes. */
export const smallBodyBytesMax: number = 64 * 1024;

/** So many bytes of memory a byte of a body takes once it is parsed: 4 to 30, as measured. */
const parsedFactor = 8;

/** Beyond this the share of a body grows no more until it is as large itself: of large bodies few are parsed at a time. */
const parsedBytesMax = 8 * megabyte;

export function bodyKind(bodyBytes: number): BodyKind {
  return bodyBytes <= smallBodyBytesMax ? 'small' : 'large';
}

/** What a body takes of the budget, as it is sent or inflated, and parsed. */
export function bodyShareBytes(bodyBytes: number): number {
  return Math.max(bodyBytes, Math.min(parsedFactor * bodyBytes, parsedBytesMax));
}
