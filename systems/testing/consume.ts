import { type ChangeRecord, type ConsumerOptions, createConsumer } from 'singlet/consumer';
import { onTestFinished, vi } from 'vitest';
import type { ExampleDatabase } from './example-database.ts';
import { plainItem, type PlainItem } from './plain-item.ts';

export type Change = ChangeRecord<PlainItem>;

/** Reads a table's stream with the real consumer until the test has finished. Returns when it is reading. */
export async function consume(
  { client, streams }: Pick<ExampleDatabase, 'client' | 'streams'>,
  tableName: string,
  handler: ConsumerOptions<PlainItem>['handler'],
  options: Partial<ConsumerOptions<PlainItem>> = {},
): Promise<void> {
  const consumer = createConsumer<PlainItem>({
    dynamodb: client,
    streams,
    tableName,
    unmarshall: plainItem,
    pollIntervalMs: 5,
    handler,
    ...options,
  });
  await consumer.start();
  onTestFinished(async () => await consumer.stop());
}

/** Waits until an assertion holds. */
export async function eventually(assertion: () => Promise<void> | void): Promise<void> {
  await vi.waitFor(assertion, { timeout: 300_000, interval: 5 });
}
