/** Does something with each of many, a few at the same time. After an error none is begun any more, and the error is thrown. */
export async function inParallel<Each>(
  countMax: number,
  all: Iterable<Each> | AsyncIterable<Each>,
  act: (each: Each) => Promise<unknown>,
): Promise<void> {
  const running = new Set<Promise<unknown>>();
  try {
    for await (const each of all) {
      const one: Promise<unknown> = act(each).finally(() => running.delete(one));
      running.add(one);
      if (running.size >= countMax) await Promise.race(running);
    }
    await Promise.all(running);
  } finally {
    await Promise.allSettled(running);
  }
}
