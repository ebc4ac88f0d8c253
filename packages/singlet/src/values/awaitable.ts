/**
 * A value, or the promise of one. Most calls find everything they need in memory or in the memory map, and a promise for each layer that
 * they pass costs as much as reading the item. A function that returns this may also throw synchronously.
 *
 * Decision 0031 says why.
 */
export type Awaitable<T> = T | Promise<T>;

/** Continues with a value: synchronously if it is there, later if it is a promise. */
export function chain<A, B>(value: Awaitable<A>, next: (value: A) => Awaitable<B>): Awaitable<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Runs `body`; `onError` handles what it throws, synchronously or later. */
export function attempt<T, U>(body: () => Awaitable<T>, onError: (error: unknown) => Awaitable<U>): Awaitable<T | U> {
  try {
    const value = body();
    return value instanceof Promise ? value.catch(onError) : value;
  } catch (error) {
    return onError(error);
  }
}
