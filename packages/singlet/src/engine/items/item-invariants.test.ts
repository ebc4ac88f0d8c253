import { describe, expect, test } from 'vitest';
import { InvariantError } from '../../values/assert.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { switchInvariants } from '../../values/invariants.ts';
import { itemKeyOfItem } from '../catalog/item-key.ts';
import type { Table } from '../catalog/table.ts';
import { recordKey, shardPrefix } from '../followers/streams/shard-keys.ts';
import { encodeItem } from '../layout/item-codec.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { putItem } from '../operations/put-item.ts';
import { scan } from '../operations/scan.ts';
import { findStream } from '../streams/find-stream.ts';
import { readShardPage } from '../streams/read-shard.ts';
import { streamWrite } from '../streams/stream-record.ts';
import { newestStreamArn } from '../testing/stream-reader.ts';
import { compositeKey, createdTable } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import { OrderCheck } from './item-invariants.ts';

const tableName = 'items';
const itemAt = (sk: string): AttributeMap => ({ pk: { S: 'p' }, sk: { S: sk } });

async function planted(item: AttributeMap, under: AttributeMap, sizeBytes?: number): Promise<TestServices> {
  const services = testServices();
  const table: Table = await createdTable(services, { tableName, ...compositeKey });
  const { storeKey } = itemKeyOfItem(table, under);
  const value = encodeItem(item, sizeBytes).storedUnder(storeKey);
  await services.store.write([], () => ({ answer: undefined, writes: [{ key: storeKey, value }] }));
  return services;
}

describe('invariants of items', () => {
  test.each([
    ['under the key of another', itemAt('a'), undefined],
    ['with another size', itemAt('b'), 1],
  ])('an item that is stored %s is noticed by reads and writes', async (_, item, sizeBytes) => {
    const services = await planted(item, itemAt('b'), sizeBytes);
    await expect(async () => scan(services, { tableName }, testContext)).rejects.toThrow(InvariantError);
    const remove = async () => deleteItem(services, { tableName, key: itemAt('b') }, testContext);
    await expect(remove).rejects.toThrow(InvariantError);
    const before = switchInvariants(undefined);
    try {
      expect((await scan(services, { tableName }, testContext)).count).toBe(1);
    } finally {
      switchInvariants(before);
    }
  });

  test('entries that are out of order are noticed, in both directions', () => {
    const forwards = new OrderCheck(false);
    forwards.check(Buffer.of(1));
    forwards.check(Buffer.of(1, 0));
    expect(() => forwards.check(Buffer.of(1, 0))).toThrow(InvariantError);
    const backwards = new OrderCheck(true);
    backwards.check(Buffer.of(2));
    expect(() => backwards.check(Buffer.of(3))).toThrow(InvariantError);
  });
});

describe('invariants of streams', () => {
  async function withRecords() {
    const services = testServices();
    await createdTable(services, {
      tableName,
      ...compositeKey,
      streamSpecification: { streamEnabled: true, streamViewType: 'NEW_AND_OLD_IMAGES' },
    });
    for (const sk of ['a', 'b', 'c']) await putItem(services, { tableName, item: itemAt(sk) }, testContext);
    const stream = await findStream(services, await newestStreamArn(services, tableName), testContext);
    return { services, stream };
  }

  test('a gap between the records of a shard is noticed', async () => {
    const { services, stream } = await withRecords();
    let gaps = 0;
    for (const shard of stream.shards) {
      const position = shard.startPosition + 1;
      const request = { position, countMax: 10, bytesMax: 1e6, trimmedUntilMs: 0, sizeBytesOf: () => 1 };
      const { records } = await readShardPage(services.store, stream, shard, request);
      if (records.length < 3) continue;
      const key = recordKey(shardPrefix(stream.space, shard), position + 1);
      await services.store.write([], () => ({ answer: undefined, writes: [{ key, value: undefined }] }));
      await expect(readShardPage(services.store, stream, shard, request)).rejects.toThrow(InvariantError);
      gaps += 1;
    }
    expect(gaps).toBe(1); // items of one partition key are in one shard
  });

  test('shards that leave hashes out, or have an open parent, are noticed when they are written', async () => {
    const { stream } = await withRecords();
    expect(() => streamWrite(stream)).not.toThrow();
    expect(() => streamWrite({ ...stream, shards: stream.shards.slice(1) })).toThrow(InvariantError);
    const [first, ...others] = stream.shards;
    const child = { ...first!, number: 99, parentShardId: first!.shardId, openedAtMs: first!.openedAtMs + 1 };
    expect(() => streamWrite({ ...stream, shards: [first!, ...others, child] })).toThrow(InvariantError);
  });
});
