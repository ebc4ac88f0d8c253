/** Callers, each with a number of something that it has at this moment. 0 says that it has none any more. */
export type CallerNumbers = readonly (readonly [caller: string, count: number])[];

/**
 * How many of something each caller has: in this process, and according to the other processes of the same server. It holds one number for
 * each caller that has any in some process, so it cannot outgrow what it counts.
 */
export class CallerCounts {
  readonly #own = new Map<string, number>();
  /** By process. */
  readonly #others = new Map<number, Map<string, number>>();
  /** Callers whose own number has changed since {@link takeChanges}. Undefined while no other process asks for them. */
  #changed: Set<string> | undefined;

  /** How many callers have any in this process. */
  get ownCallerCount(): number {
    return this.#own.size;
  }

  of(caller: string): number {
    let count = this.#own.get(caller) ?? 0;
    for (const numbers of this.#others.values()) count += numbers.get(caller) ?? 0;
    return count;
  }

  add(caller: string, number = 1): void {
    this.#own.set(caller, (this.#own.get(caller) ?? 0) + number);
    this.#changed?.add(caller);
  }

  remove(caller: string, number = 1): void {
    const count = (this.#own.get(caller) ?? 0) - number;
    if (count > 0) this.#own.set(caller, count);
    else this.#own.delete(caller);
    this.#changed?.add(caller);
  }

  /**
   * The numbers of this process that have changed since the last call. The first time, or when asked, all of them, among which are those that
   * have become 0 since the last call: a process that was told of them before learns of it here only.
   */
  takeChanges({ all = false }: { readonly all?: boolean } = {}): CallerNumbers {
    const callers = new Set(this.#changed);
    if (all || this.#changed === undefined) for (const caller of this.#own.keys()) callers.add(caller);
    this.#changed = new Set();
    return Array.from(callers, (caller) => [caller, this.#own.get(caller) ?? 0] as const);
  }

  /** Takes over the changes of another process. */
  addFrom(process: number, changes: CallerNumbers): void {
    const numbers = this.#others.get(process) ?? new Map<string, number>();
    for (const [caller, count] of changes) {
      if (count > 0) numbers.set(caller, count);
      else numbers.delete(caller);
    }
    if (numbers.size > 0) this.#others.set(process, numbers);
    else this.#others.delete(process);
  }

  /** Forgets a process that has exited. */
  forget(process: number): void {
    this.#others.delete(process);
  }
}
