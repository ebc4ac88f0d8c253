import { expect, test } from 'vitest';
import type { Store } from '../../storage/store.ts';
import { positionOf, shardPrefix, recordKey, headKey } from '../followers/streams/shard-keys.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { putItem } from '../operations/put-item.ts';
import { decodeStreamRecord, streamKey } from '../streams/stream-record.ts';
import { keys, onDemandTable, strings } from '../testing/table-requests.ts';
import { createdTable, presentTable } from '../testing/test-engine.ts';
import { testContext, testServices } from '../testing/test-services.ts';
import { StreamScrub } from './scrub-stream.ts';
import type { Entry, Walk } from './scrub-walk.ts';

const tableName = 'Table';
const stepEntries = 3;

/** Reads in small steps. @param between - called between two of them. */
function walkOf(store: Store, between: () => Promise<void>): Walk {
  return async ({ from, to }, step) => {
    for (let next: Buffer | undefined = from; next !== undefined;) {
      const entries: Entry[] = [];
      const range = { from: next, to, limit: stepEntries };
      const end = await store.range(range, (key, value) => {
        entries.push({ key: Buffer.from(key), value: Buffer.from(value) });
        return true;
      });
      await step(entries);
      const last: Entry | undefined = entries.at(-1);
      next = end === 'end' || last === undefined ? undefined : Buffer.concat([last.key, Buffer.alloc(1)]);
      if (next !== undefined) await between();
    }
  };
}

/**
 * One shard: an item is inserted (position 1), removed (6) and inserted again (8), with changes of other items between them.
 *
 * @param gone - positions whose records are removed between the first two steps of the scrub.
 */
async function findingsWhere(gone: readonly number[]): Promise<{
  readonly found: readonly string[];
  readonly read: readonly number[];
}> {
  const services = testServices();
  await createdTable(
    services,
    onDemandTable({
      tableName,
      attributeDefinitions: strings('pk', 'sk'),
      keySchema: keys('pk', 'sk'),
      streamSpecification: { streamEnabled: true, streamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  );
  const item = (sk: string) => ({ pk: { S: 'p' }, sk: { S: sk } });
  const put = (sk: string) => putItem(services, { tableName, item: item(sk) }, testContext);
  await put('again');
  for (const sk of ['a', 'b', 'c', 'd']) await put(sk);
  await deleteItem(services, { tableName, key: item('again') }, testContext);
  for (const sk of ['e', 'again', 'f', 'g', 'h']) await put(sk);
  const table = await presentTable(services, tableName);
  const { record } = table;
  const key = streamKey(record, tableName, record.streamSinceMs ?? 0);
  const stream = await services.store.read([key], ([value]) => decodeStreamRecord(key, value!));
  const prefixes = stream.shards.map((shard) => shardPrefix(stream.space, shard));

  const read: number[] = [];
  let isFirst = true;
  const walk = walkOf(services.store, async () => {
    if (!isFirst) return;
    isFirst = false;
    for (const prefix of prefixes) {
      const writes = gone.map((position) => ({ key: recordKey(prefix, position), value: undefined }));
      await services.store.write([], () => ({ answer: undefined, writes }));
    }
  });
  const noting: Walk = (range, step) =>
    walk(range, async (entries) => {
      if (prefixes.some((prefix) => range.to.equals(Buffer.concat([headKey(prefix), Uint8Array.of(0)])))) {
        read.push(...entries.flatMap((entry) => positionOf(entry.key) ?? []));
      }
      await step(entries);
    });
  const found: string[] = [];
  const scrub = new StreamScrub({ store: services.store, walk: noting }, table, (_key, problem) => found.push(problem));
  await scrub.run();
  return { found, read };
}

const afterwards = [1, 2, 3, 7, 8, 9, 10, 11];

test('records that are trimmed while their shard is read are not missing, and what was known of their items is forgotten', async () => {
  expect(await findingsWhere([1, 2, 3, 4, 5, 6])).toEqual({ found: [], read: afterwards });
});

test('records that go while older ones stay are missing', async () => {
  const { found, read } = await findingsWhere([4, 5, 6]);
  expect(read).toEqual(afterwards);
  expect(found).toContainEqual(expect.stringMatching(/lacks 4$/));
});
