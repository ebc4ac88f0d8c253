import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FaultStore } from '../../storage/testing/fault-store.ts';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import { isStoreFailure } from '../testing/store-failure.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { batchWriteItem } from '../operations/batch-write-item.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { putItem } from '../operations/put-item.ts';
import { transactWriteItems } from '../operations/transact-write-items.ts';
import { updateItem } from '../operations/update-item.ts';
import { keys, onDemandTable, strings } from '../testing/table-requests.ts';
import { createdTable, inconsistencies, mapOf } from '../testing/test-engine.ts';
import { describedStream, newestStreamArn, replayed, shardRecords, streamRecords } from '../testing/stream-reader.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import { tendStreams } from './stream-upkeep.ts';

/*
 * Random histories of writes, during which shards are replaced, against a plain map: replaying the stream must give the map, with
 * one record for each change, in order, and each item's records in one line of shards.
 */

const tableName = 'Table';
const hourMs = 3_600_000;

type Step =
  | { readonly kind: 'put' | 'update' | 'batch' | 'transact'; readonly pk: string; readonly value: number }
  | { readonly kind: 'delete'; readonly pk: string }
  | { readonly kind: 'wait'; readonly hours: number };

const pk = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('put' as const, 'update' as const, 'batch' as const, 'transact' as const),
      pk,
      value: fc.integer({ min: 0, max: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), pk }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 3 }) }) },
);

async function newTable(services: TestServices): Promise<string> {
  await createdTable(
    services,
    onDemandTable({
      attributeDefinitions: strings('pk'),
      keySchema: keys('pk'),
      streamSpecification: { streamEnabled: true, streamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  );
  return newestStreamArn(services, tableName);
}

/** @returns how many records the step must produce. */
async function carryOut(services: TestServices, model: Map<string, AttributeMap>, of: Step): Promise<number> {
  if (of.kind === 'wait') {
    services.clock.advance(of.hours * hourMs);
    await tendStreams(services);
    return 0;
  }
  const key = { pk: { S: of.pk } };
  const name = JSON.stringify(key);
  const before = model.get(name);
  if (of.kind === 'delete') {
    await deleteItem(services, { tableName, key }, testContext);
    model.delete(name);
    return before === undefined ? 0 : 1;
  }
  const value = { N: String(of.value) };
  const item = { ...key, v: value };
  switch (of.kind) {
    case 'put':
      await putItem(services, { tableName, item }, testContext);
      break;
    case 'update':
      await updateItem(
        services,
        { tableName, key, updateExpression: 'SET v = :v', expressionAttributeValues: { ':v': value } },
        testContext,
      );
      break;
    case 'batch':
      await batchWriteItem(services, { requestItems: { [tableName]: [{ putRequest: { item } }] } }, testContext);
      break;
    case 'transact':
      await transactWriteItems(services, { transactItems: [{ put: { tableName, item } }] }, testContext);
      break;
  }
  model.set(name, item);
  return JSON.stringify(before) === JSON.stringify(item) ? 0 : 1;
}

describe('random histories', () => {
  test('DB-249, DB-254, DB-255 replay into the table, a record for each change, in any pages', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 9 }), async (steps, limit) => {
        const services = testServices({ limits: { streamShardCountMax: 12, streamShardSplitInterval: 2 } });
        const streamArn = await newTable(services);
        const model = new Map<string, AttributeMap>();
        let expectedCount = 0;
        let hours = 0;
        for (const of of steps) {
          if (of.kind === 'wait' && (hours += of.hours) >= 24) break;
          expectedCount += await carryOut(services, model, of);
        }
        const records = await streamRecords(services, streamArn, limit);
        expect(records).toHaveLength(expectedCount);
        expect(replayed(records)).toEqual(model);
        const numbersOf = new Map<string, bigint>();
        for (const { dynamodb } of records) {
          const name = JSON.stringify(mapOf(dynamodb.keys));
          expect(BigInt(dynamodb.sequenceNumber)).toBeGreaterThan(numbersOf.get(name) ?? 0n);
          numbersOf.set(name, BigInt(dynamodb.sequenceNumber));
        }
        expect(await inconsistencies(services, tableName)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test('DB-255 the records of an item are in one line of shards, through splits and closings', async () => {
    const services = testServices({ limits: { streamShardSplitInterval: 1, streamShardCountMax: 16 } });
    const streamArn = await newTable(services);
    for (let round = 0; round < 5; round += 1) {
      for (const name of 'abcdefghijklmnop') {
        await putItem(services, { tableName, item: { pk: { S: name }, v: { N: String(round) } } }, testContext);
      }
      services.clock.advance(4 * hourMs);
      await tendStreams(services);
    }
    const { shards } = await describedStream(services, streamArn);
    expect(shards.filter(({ sequenceNumberRange }) => !sequenceNumberRange.endingSequenceNumber)).toHaveLength(16);
    const parents = new Map(shards.map(({ shardId, parentShardId }) => [shardId, parentShardId]));
    const lines = new Map<string, string[]>();
    for (const { shardId } of shards) {
      for (const { dynamodb } of await shardRecords(services, streamArn, shardId)) {
        const name = JSON.stringify(mapOf(dynamodb.keys));
        lines.set(name, [...(lines.get(name) ?? []), shardId]);
      }
    }
    expect(lines.size).toBe(16);
    for (const line of lines.values()) {
      expect(line).toHaveLength(5);
      line.slice(1).forEach((shardId, at) => expect(parents.get(shardId)).toBe(line[at]));
    }
  });

  test('DB-254 exactly once, on a store that decides again and answers late, with several writers and shards replaced', async () => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const store = new FaultStore(openMemoryStore(), { seed, rates: {} });
      const limits = { streamShardSplitInterval: 1 };
      const services = testServices({ store, limits });
      const others = [testServices({ store, limits }), testServices({ store, limits })];
      const streamArn = await newTable(services);
      store.setRates({ decisionRepeated: 0.5, answerDelayed: 0.5 });
      const writers = [services, ...others].map(async (writer, number) => {
        for (let n = 0; n < 25; n += 1) {
          const item = { pk: { S: 'abc'[n % 3] ?? '' }, writer: { N: String(number) }, n: { N: String(n) } };
          await putItem(writer, { tableName, item }, testContext);
        }
      });
      for (let turn = 0; turn < 3; turn += 1) {
        for (const { clock } of [services, ...others]) clock.advance(4 * hourMs);
        await Promise.all([tendStreams(services), tendStreams(others[0]!)]);
      }
      await Promise.all(writers);
      store.setRates({});
      const records = await streamRecords(services, streamArn);
      expect(records).toHaveLength(75);
      expect(replayed(records).size).toBe(3);
      expect(await inconsistencies(services, tableName)).toEqual([]);
    }
  });

  test('DB-254 stream and table agree when the store fails, whether or not the writer knows', async () => {
    let failures = 0;
    for (let seed = 1; seed <= 12; seed += 1) {
      const store = new FaultStore(openMemoryStore(), { seed, rates: {} });
      const services = testServices({ store });
      await newTable(services);
      store.setRates({ writeRefused: 0.2, outcomeUnknown: 0.2, readFailed: 0.1, decisionRepeated: 0.3 });
      const model = new Map<string, AttributeMap>();
      for (const of of fc.sample(step, { seed, numRuns: 60 })) {
        await carryOut(services, model, of).catch((error: unknown) => {
          if (!isStoreFailure(error)) throw error;
          failures += 1;
        });
      }
      store.setRates({});
      expect(await inconsistencies(services, tableName)).toEqual([]);
    }
    expect(failures).toBeGreaterThan(100);
  });
});
