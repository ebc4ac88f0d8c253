import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { RandomSource } from './random-source.ts';

/**
 * Runs several tasks concurrently and releases their requests one at a time, in random order. A request waits until every
 * task that is still running waits for one as well.
 *
 * @returns the outcome of each task, in the order of the tasks.
 */
export async function interleaved<T>(
  client: DynamoDBClient,
  random: RandomSource,
  tasks: readonly ((client: DynamoDBClient) => Promise<T>)[],
): Promise<PromiseSettledResult<T>[]> {
  const waiting = new Map<number, (() => void)[]>();
  let running = tasks.length;
  let sending = false;
  const next = (): void => {
    if (sending || waiting.size === 0 || waiting.size < running) return;
    const task = random.pick([...waiting.keys()]);
    const [first, ...others] = waiting.get(task) ?? [];
    if (others.length === 0) waiting.delete(task);
    else waiting.set(task, others);
    sending = true;
    first?.();
  };
  const clientOf = (task: number): DynamoDBClient => {
    const send = async (command: Parameters<DynamoDBClient['send']>[0]): Promise<unknown> => {
      await new Promise<void>((go) => {
        waiting.set(task, [...(waiting.get(task) ?? []), go]);
        next();
      });
      try {
        return await client.send(command);
      } finally {
        sending = false;
        // The task continues with the answer before the next request is chosen.
        setImmediate(next);
      }
    };
    // The toolkit only calls `send` on a client.
    return { send } as unknown as DynamoDBClient;
  };
  return Promise.all(
    tasks.map(async (task, at): Promise<PromiseSettledResult<T>> => {
      try {
        return { status: 'fulfilled', value: await task(clientOf(at)) };
      } catch (reason) {
        return { status: 'rejected', reason };
      } finally {
        running -= 1;
        setImmediate(next);
      }
    }),
  );
}
