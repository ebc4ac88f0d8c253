/**
 * The memory that a server uses for requests and answers at one time, over all connections: bodies, from their first byte until they are
 * answered, the output of compressed ones, and answers that clients have not read yet.
 *
 * A body's share is taken before it is read, and returned when the request has been answered. When none is left a body waits, first come
 * first served, while its connection is not read. A quarter of the total is reserved for small bodies, so that ordinary calls are
 * answered while large ones wait. If there is a limit per address, the same holds within the part of each address, and a body that
 * waits for it does not delay those of other addresses.
 *
 * Decision 0045 says why.
 */
export class MemoryBudget {
  readonly #total: ByteBudget;
  readonly #bytesPerAddress: number | undefined;
  readonly #byNetwork = new Map<string, ByteBudget>();
  #networksMax = idleNetworksMax;
  readonly #waitMs: number;

  /**
   * @param options.bytes - the total, at least {@link memoryBudgetBytesMin}.
   * @param options.bytesPerAddress - how much of it one address may use; at least {@link memoryBudgetBytesMin}. Without it, all of it.
   * @param options.waitMs - how long a body waits for its share before it is refused.
   */
  constructor({
    bytes = memoryBudgetBytes,
    bytesPerAddress,
    waitMs = memoryWaitMs,
  }: { bytes?: number | undefined; bytesPerAddress?: number | undefined; waitMs?: number | undefined } = {}) {
    this.#total = new ByteBudget(bytes);
    this.#bytesPerAddress = bytesPerAddress;
    this.#waitMs = waitMs;
  }

  /** The total. */
  get bytes(): number {
    return this.#total.bytes;
  }

  /** The bytes in use. More than the total for a while, when clients leave many answers unread. */
  get usedBytes(): number {
    return this.#total.usedBytes;
  }

  /** How many networks are tracked: those that use memory, and some that have used it. */
  get networkCount(): number {
    return this.#byNetwork.size;
  }

  /**
   * Takes a share if one is free, and no other body of its kind waits for one.
   *
   * @param network - of the client: {@link Peer.network}.
   */
  tryTake(bytes: number, kind: BodyKind, network: string): boolean {
    const own = this.#budgetOf(network);
    if (own?.tryTake(bytes, kind) === false) return false;
    if (this.#total.tryTake(bytes, kind)) return true;
    own?.give(bytes);
    return false;
  }

  /**
   * Waits for a share that {@link tryTake} has refused.
   *
   * @param done - called once with whether the share was taken; not called when the wait is cancelled.
   * @returns a function that cancels the wait.
   */
  wait(
    { bytes, kind, network }: { readonly bytes: number; readonly kind: BodyKind; readonly network: string },
    done: (isTaken: boolean) => void,
  ): () => void {
    const own = this.#budgetOf(network);
    let leave = (): void => undefined;
    const cancel = (): void => {
      clearTimeout(timer);
      leave();
    };
    const timer = setTimeout(() => {
      cancel();
      done(false);
    }, this.#waitMs);
    const taken = (): void => {
      clearTimeout(timer);
      leave = () => undefined;
      done(true);
    };
    // The part of the address comes first: a body that waits for it must not hold back bodies of others.
    const waitForTotal = (): void => {
      if (this.#total.tryTake(bytes, kind)) {
        taken();
        return;
      }
      const leaveTotal = this.#total.wait(bytes, kind, taken);
      leave = () => {
        leaveTotal();
        own?.give(bytes);
      };
    };
    if (own === undefined || own.tryTake(bytes, kind)) waitForTotal();
    else leave = own.wait(bytes, kind, waitForTotal);
    return cancel;
  }

  /** Takes a share that can neither be refused nor wait: for a finished answer. */
  hold(bytes: number, network: string): void {
    this.#budgetOf(network)?.hold(bytes);
    this.#total.hold(bytes);
  }

  /** Returns a share. */
  give(bytes: number, network: string): void {
    this.#total.give(bytes);
    this.#budgetOf(network)?.give(bytes);
  }

  /** The part of a network; undefined if there is no limit per address. */
  #budgetOf(network: string): ByteBudget | undefined {
    if (this.#bytesPerAddress === undefined) return undefined;
    let budget = this.#byNetwork.get(network);
    if (budget === undefined) {
      if (this.#byNetwork.size >= this.#networksMax) this.#forgetIdle();
      budget = new ByteBudget(this.#bytesPerAddress);
      this.#byNetwork.set(network, budget);
    }
    return budget;
  }

  #forgetIdle(): void {
    for (const [network, budget] of this.#byNetwork) if (budget.isIdle) this.#byNetwork.delete(network);
    // Otherwise every request would look through all networks while most of them are in use.
    this.#networksMax = Math.max(idleNetworksMax, 2 * this.#byNetwork.size);
  }
}

/** Bytes that bodies and answers share. */
class ByteBudget {
  readonly bytes: number;
  readonly #largeBytes: number;
  readonly #waiting: Readonly<Record<BodyKind, Waiter[]>> = { small: [], large: [] };
  #usedBytes = 0;

  constructor(bytes: number) {
    this.bytes = bytes;
    this.#largeBytes = bytes - bytes / 4;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Whether it is as if it were new. */
  get isIdle(): boolean {
    return this.#usedBytes === 0 && this.#waiting.small.length === 0 && this.#waiting.large.length === 0;
  }

  tryTake(bytes: number, kind: BodyKind): boolean {
    if (this.#waiting[kind].length > 0 || !this.#fits(bytes, kind)) return false;
    this.#usedBytes += bytes;
    return true;
  }

  /** @returns a function that ends the wait. */
  wait(bytes: number, kind: BodyKind, taken: () => void): () => void {
    const queue = this.#waiting[kind];
    const waiter: Waiter = { bytes, taken };
    queue.push(waiter);
    return () => {
      const at = queue.indexOf(waiter);
      if (at >= 0) queue.splice(at, 1);
      // The next in line may need less.
      this.#serve(kind);
    };
  }

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
      this.#usedBytes += first.bytes;
      first.taken();
    }
  }
}

interface Waiter {
  readonly bytes: number;
  readonly taken: () => void;
}

/** Small bodies have a quarter of the budget to themselves. */
export type BodyKind = 'small' | 'large';

const megabyte = 1024 * 1024;

/** The default budget of a server. */
export const memoryBudgetBytes: number = 64 * megabyte;

/** With less, a body of the greatest size would never fit. */
export const memoryBudgetBytesMin: number = 32 * megabyte;

/** Networks without a request that are kept at hand. */
const idleNetworksMax = 1024;

/** How long a body waits for memory before it is refused, milliseconds. */
const memoryWaitMs = 5_000;

/** Bodies up to this size are small, bytes. */
export const smallBodyBytesMax: number = 64 * 1024;

/** How much of a budget one address, and one identity, may use by default: half, if a body of the greatest size fits in that. */
export function callerBudgetBytes(budgetBytes: number): number {
  return Math.max(budgetBytes / 2, memoryBudgetBytesMin);
}

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
