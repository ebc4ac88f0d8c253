/**
 * A value, or the promise of one. Most calls find all they need in memory or in the memory map: a promise for each layer that
 * they pass costs as much as reading the item. What answers so may also throw at once.
 *
 * Decision 0031 says why.
 */
export type Awaitable<T> = T | Promise<T>;

/** Continues with a value: at once if it is there, later if it is promised. */
export function chain<A, B>(value: Awaitable<A>, next: (value: A) => Awaitable<B>): Awaitable<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Tries something; `onError` answers for what it throws, at once or later. */
export function attempt<T, U>(body: () => Awaitable<T>, onError: (error: unknown) => Awaitable<U>): Awaitable<T | U> {
  try {
    const value = body();
    return value instanceof Promise ? value.catch(onError) : value;
  } catch (error) {
    return onError(error);
  }
}
