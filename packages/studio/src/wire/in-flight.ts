/** Requests under way at once when many items are written. */
export const writesAtOnce = 4;

/**
 * Does one thing for each input, several at once, in the order of the inputs. An input that has begun is finished even if the signal aborts
 * meanwhile; no other begins.
 *
 * @param work - must not throw: what failed is part of its own account.
 */
export async function inFlight<Input>(
  inputs: AsyncIterable<Input> | Iterable<Input>,
  work: (input: Input) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const iterator = Symbol.asyncIterator in inputs ? inputs[Symbol.asyncIterator]() : inputs[Symbol.iterator]();
  let isDone = false;
  const workOn = async (): Promise<void> => {
    while (!isDone && !signal.aborted) {
      const next = await iterator.next();
      if (next.done === true) isDone = true;
      else await work(next.value);
    }
  };
  await Promise.all(Array.from({ length: writesAtOnce }, workOn));
  await iterator.return?.();
}
