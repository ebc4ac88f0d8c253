/**
 * Processes each element, a few at the same time, and waits for all. After an error no more are started, and the
 * error is thrown when those in flight have ended.
 */
export async function inParallel<Each>(
  countMax: number,
  all: Iterable<Each> | AsyncIterable<Each>,
  act: (each: Each) => Promise<unknown>,
): Promise<void> {
  const iterator = Symbol.asyncIterator in all ? all[Symbol.asyncIterator]() : all[Symbol.iterator]();
  const failure = new AbortController();
  const work = async (): Promise<void> => {
    try {
      while (!failure.signal.aborted) {
        const next = await iterator.next();
        if (next.done === true) return;
        await act(next.value);
      }
    } catch (error) {
      failure.abort();
      throw error;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: countMax }, work));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
