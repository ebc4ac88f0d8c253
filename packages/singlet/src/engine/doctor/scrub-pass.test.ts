import { beforeEach, describe, expect, test } from 'vitest';
import type { StoreWrite } from '../../storage/store.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { statisticsKeys } from '../catalog/statistics.ts';
import { tableRecordKey } from '../catalog/table.ts';
import { encodeCollectionSize } from '../followers/collection-size-follower.ts';
import { decodeChangeRecord, encodeChangeRecord } from '../followers/streams/change-record.ts';
import { decodeHead, encodeHead } from '../followers/streams/shard-head.ts';
import { headKey, recordKey, shardPrefix } from '../followers/streams/shard-keys.ts';
import { space, spaceStart } from '../layout/spaces.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { putItem } from '../operations/put-item.ts';
import { updateTimeToLive } from '../operations/update-time-to-live.ts';
import { decodeStreamRecord, streamKey } from '../streams/stream-record.ts';
import { tendStreams } from '../streams/stream-upkeep.ts';
import { index, keys, onDemandTable, strings } from '../testing/table-requests.ts';
import { createdTable, presentTable } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import { ScrubPass } from './scrub-pass.ts';
import { Scrubber } from './scrubber.ts';

const tableName = 'Table';
const itemCount = 250;

let services: TestServices;

beforeEach(async () => {
  services = testServices();
  await createdTable(
    services,
    onDemandTable({
      attributeDefinitions: strings('pk', 'sk', 'kind'),
      keySchema: keys('pk', 'sk'),
      globalSecondaryIndexes: [index('by-kind', 'kind', 'sk')],
      localSecondaryIndexes: [index('in-kind', 'pk', 'kind')],
      streamSpecification: { streamEnabled: true, streamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  );
  const timeToLiveSpecification = { attributeName: 'expires', enabled: true };
  await updateTimeToLive(services, { tableName, timeToLiveSpecification }, testContext);
  await services.tasks.settle();
  for (let number = 0; number < itemCount; number += 1) await put(number);
});

async function put(number: number, text = 'x'.repeat(number)): Promise<void> {
  const item: AttributeMap = {
    pk: { S: `p${number % 4}` },
    sk: { S: `s${number}` },
    kind: { S: `k${(number + text.length) % 3}` },
    expires: { N: String(1_900_000_000 + number) },
    text: { S: text },
  };
  await putItem(services, { tableName, item }, testContext);
}

async function remove(number: number): Promise<void> {
  const key: AttributeMap = { pk: { S: `p${number % 4}` }, sk: { S: `s${number}` } };
  await deleteItem(services, { tableName, key }, testContext);
}

/** Changes one entry of a space, after skipping this many. */
async function change(spaceId: number, skipped: number, to: (value: Buffer) => Buffer | undefined): Promise<void> {
  const entries: { readonly key: Buffer; readonly value: Buffer }[] = [];
  await services.store.range({ from: spaceStart(spaceId), to: spaceStart(spaceId + 1) }, (key, value) => {
    entries.push({ key: Buffer.from(key), value: Buffer.from(value) });
    return true;
  });
  const { key, value } = entries[skipped]!;
  await services.store.write([], () => ({ answer: undefined, writes: [{ key, value: to(value) }] }));
}

function flipped(value: Buffer): Buffer {
  const copy = Buffer.from(value);
  copy[copy.length - 3]! ^= 2;
  return copy;
}

async function messages(): Promise<readonly string[]> {
  const pass = new ScrubPass(services, Infinity);
  await pass.run();
  return pass.report.findings.map(({ message }) => message);
}

test('finds nothing in a sound store, and says what it has looked at', async () => {
  const scrubber = new Scrubber(services);
  await scrubber.run(Infinity);
  expect(scrubber.report).toMatchObject({ tables: 1, findingCount: 0, findings: [] });
  expect(scrubber.report!.entries).toBeGreaterThan(4 * itemCount);
  expect(services.logged.filter(({ event }) => event === 'scrub-ended')).toMatchObject([
    { level: 'info', findings: 0 },
  ]);
});

describe('planted damage is found', () => {
  test('a flipped bit in an item', async () => {
    const { record } = await presentTable(services, tableName);
    await change(record.itemSpace, 120, flipped);
    expect(await messages()).toContain('An item of table Table does not match its checksum.');
    expect(services.logged.some(({ event }) => event === 'scrub-found-damage')).toBe(true);
  });

  test.each(['by-kind', 'in-kind'])('an entry of %s that is missing, and one of no item', async (indexName) => {
    const table = await presentTable(services, tableName);
    const found = table.writtenIndexes.find((its) => its.indexName === indexName)!;
    await change(found.space, 7, () => undefined);
    expect(await messages()).toEqual([
      `Index ${indexName} of table Table lacks an item, or holds another entry for it.`,
    ]);
  });

  test('an entry of an item that is gone', async () => {
    const { record } = await presentTable(services, tableName);
    await change(record.itemSpace, 3, () => undefined);
    const found = await messages();
    expect(found).toContain('An entry of index by-kind of table Table belongs to no item.');
    expect(found).toContain('An entry of index in-kind of table Table belongs to no item.');
    expect(found).toContain('An entry of the expiry index of table Table belongs to no item.');
    expect(found).toContain('The counts and sizes of table Table are not those of its items.');
  });

  test('a damaged entry of an index', async () => {
    const table = await presentTable(services, tableName);
    await change(table.writtenIndexes[0]!.space, 200, flipped);
    expect(await messages()).toContain(
      `An entry of index ${table.writtenIndexes[0]!.indexName} of table Table does not match its checksum.`,
    );
  });

  test('an expiry entry that is missing', async () => {
    const table = await presentTable(services, tableName);
    await change(table.expiryIndex!.space, 0, () => undefined);
    expect(await messages()).toEqual(['The expiry index of table Table lacks an item, or holds another entry for it.']);
  });

  test('counts', async () => {
    const { record } = await presentTable(services, tableName);
    const buckets = statisticsKeys(record.itemSpace);
    const used = await services.store.read(buckets, (values) => values.findIndex((value) => value !== undefined));
    const writes = [{ key: buckets[used]!, value: undefined }];
    await services.store.write([], () => ({ answer: undefined, writes }));
    expect(await messages()).toEqual(['The counts and sizes of table Table are not those of its items.']);
  });

  test.each([
    ['that is missing', () => undefined],
    ['that is another', () => encodeCollectionSize(17)],
    ['that is damaged', flipped],
  ])('the size of an item collection %s', async (_what, to) => {
    await change(space.collectionSizes, 2, to);
    expect(await messages()).toEqual(['The size of an item collection of table Table is not that of its items.']);
  });

  describe('in a stream:', () => {
    const disagrees = 'The stream of table Table does not agree with it: ';

    async function shardWith(count: number): Promise<{ readonly prefix: Buffer; readonly next: number }> {
      const { record } = await presentTable(services, tableName);
      const key = streamKey(record, tableName, record.streamSinceMs ?? 0);
      const stream = await services.store.read([key], ([bytes]) => decodeStreamRecord(key, Buffer.from(bytes!)));
      for (const shard of stream.shards) {
        const prefix = shardPrefix(stream.space, shard);
        const head = headKey(prefix);
        const next = await services.store.read([head], ([value]) => decodeHead(value));
        if (next - shard.startPosition > count) return { prefix, next };
      }
      throw new Error(`no shard has ${count} records`);
    }

    async function valueOf(key: Buffer): Promise<Buffer> {
      return services.store.read([key], ([value]) => Buffer.from(value!));
    }

    async function write(...writes: readonly StoreWrite[]): Promise<void> {
      await services.store.write([], () => ({ answer: undefined, writes }));
    }

    test('a record that is lost between others', async () => {
      const { prefix, next } = await shardWith(10);
      await write({ key: recordKey(prefix, next - 5), value: undefined });
      expect(await messages()).toEqual([expect.stringMatching(/does not agree with it: shardId-\S+ lacks \d+\.$/)]);
    });

    test('the newest record, lost', async () => {
      const { prefix, next } = await shardWith(10);
      await write({ key: recordKey(prefix, next - 1), value: undefined });
      expect(await messages()).toEqual([expect.stringMatching(`lacks ${next - 1}\\.$`)]);
    });

    test('the newest record, lost with all that tells of it', async () => {
      for (let number = 0; number < itemCount; number += 1) await put(number, 'changed');
      const { prefix, next } = await shardWith(10);
      await write(
        { key: recordKey(prefix, next - 1), value: undefined },
        { key: headKey(prefix), value: encodeHead(next - 1) },
      );
      expect(await messages()).toEqual([expect.stringContaining(`${disagrees}the stream does not lead to the item: `)]);
    });

    test('a record that is there twice', async () => {
      const { prefix, next } = await shardWith(10);
      const last = recordKey(prefix, next - 1);
      const again = encodeChangeRecord(recordKey(prefix, next), decodeChangeRecord(last, await valueOf(last)));
      await write(
        { key: recordKey(prefix, next), value: again },
        { key: headKey(prefix), value: encodeHead(next + 1) },
      );
      expect(await messages()).toEqual([expect.stringContaining(`${disagrees}INSERT follows INSERT: `)]);
    });

    test('a change that is there twice', async () => {
      for (let number = 0; number < itemCount; number += 1) await put(number, 'changed');
      const { prefix, next } = await shardWith(10);
      const last = recordKey(prefix, next - 1);
      const again = encodeChangeRecord(recordKey(prefix, next), decodeChangeRecord(last, await valueOf(last)));
      await write(
        { key: recordKey(prefix, next), value: again },
        { key: headKey(prefix), value: encodeHead(next + 1) },
      );
      expect(await messages()).toEqual([
        expect.stringContaining(`${disagrees}a change does not continue from the one before: `),
      ]);
    });

    test('a damaged record', async () => {
      const { prefix, next } = await shardWith(10);
      const key = recordKey(prefix, next - 4);
      await write({ key, value: flipped(await valueOf(key)) });
      expect(await messages()).toEqual([`${disagrees}a record does not match its checksum.`]);
    });

    test('an item that was changed without a record', async () => {
      const { record } = await presentTable(services, tableName);
      await change(record.itemSpace, 3, () => undefined);
      expect(await messages()).toContainEqual(
        expect.stringContaining('the stream ends with INSERT of an item that is not there'),
      );
    });
  });

  test('the record of a table', async () => {
    const key = tableRecordKey(testContext.accountId, testContext.region, tableName);
    const value = await services.store.read([key], ([bytes]) => Buffer.from(bytes!));
    await services.store.write([], () => ({ answer: undefined, writes: [{ key, value: flipped(value) }] }));
    expect(await messages()).toEqual(['The record of a table does not match its checksum.']);
  });
});

test.each([
  ['writes', () => undefined],
  [
    'shards that are replaced, and records that are trimmed,',
    async () => {
      services.clock.advance(3 * 3_600_000);
      await tendStreams({ ...services, environment: { ...services.environment, tasks: services.tasks } });
    },
  ],
])('%s that come in between are not taken for damage', async (_what, further: () => void | Promise<void>) => {
  let written = 0;
  let pauses = 0;
  const pass = new ScrubPass(
    {
      ...services,
      environment: {
        ...services.environment,
        // Each pause has some writes: new items, changed items, and removed items.
        tasks: {
          ...services.environment.tasks,
          pause: async () => {
            pauses += 1;
            if (pauses % 3 === 0) await further();
            for (let count = 0; count < 5; count += 1) {
              const number = (written * 7919) % (2 * itemCount);
              written += 1;
              if (written % 3 === 0) await remove(number);
              else await put(number, 'y'.repeat(written % 50));
            }
          },
        },
      },
    },
    Infinity,
  );
  await pass.run();
  expect(pass.report.findings).toEqual([]);
  expect(written).toBeGreaterThan(100);
});
