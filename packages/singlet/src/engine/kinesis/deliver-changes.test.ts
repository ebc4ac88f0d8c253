import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import { FaultStore } from '../../storage/testing/fault-store.ts';
import { isStoreFailure } from '../testing/store-failure.ts';
import { spaceStart } from '../layout/spaces.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { describeKinesisStreamingDestination } from '../operations/describe-kinesis-streaming-destination.ts';
import { disableKinesisStreamingDestination } from '../operations/disable-kinesis-streaming-destination.ts';
import { enableKinesisStreamingDestination } from '../operations/enable-kinesis-streaming-destination.ts';
import { listStreams } from '../operations/list-streams.ts';
import { putItem } from '../operations/put-item.ts';
import { transactWriteItems } from '../operations/transact-write-items.ts';
import { updateItem } from '../operations/update-item.ts';
import { updateKinesisStreamingDestination } from '../operations/update-kinesis-streaming-destination.ts';
import { updateTable } from '../operations/update-table.ts';
import { updateTimeToLive } from '../operations/update-time-to-live.ts';
import { RecordingSink } from '../testing/recording-sink.ts';
import { refusal, validation } from '../testing/refusal.ts';
import { onDemandTable } from '../testing/table-requests.ts';
import { createdTable, inconsistencies, presentTable } from '../testing/test-engine.ts';
import {
  testContext,
  type TestServices,
  testServices,
  type TestServicesOptions,
  testStartMs,
} from '../testing/test-services.ts';
import { sweepExpiredItems } from '../ttl/sweep-expired-items.ts';
import { listDeliveries } from './delivery-list.ts';
import { deliverChanges } from './deliver-changes.ts';

const tableName = 'Table';
const streamArn = 'arn:aws:kinesis:us-east-1:000000000000:stream/changes';
const other = 'arn:aws:kinesis:us-east-1:000000000000:stream/other';

interface Opened {
  readonly services: TestServices;
  readonly sink: RecordingSink;
}

async function openTable(options: TestServicesOptions = {}): Promise<Opened> {
  const sink = new RecordingSink();
  const services = testServices({ changeSink: sink, ...options });
  await createdTable(services, onDemandTable());
  services.clock.advance(services.lifecycleDelayMs);
  return { services, sink };
}

async function openActive(options: TestServicesOptions = {}): Promise<Opened> {
  const opened = await openTable(options);
  await enable(opened.services);
  await deliverChanges(opened.services);
  return opened;
}

const enable = (services: TestServices, arn = streamArn) =>
  enableKinesisStreamingDestination(services, { tableName, streamArn: arn }, testContext);
const disable = (services: TestServices, arn = streamArn) =>
  disableKinesisStreamingDestination(services, { tableName, streamArn: arn }, testContext);
const update = (services: TestServices, precision?: 'MILLISECOND' | 'MICROSECOND', arn = streamArn) =>
  updateKinesisStreamingDestination(
    services,
    {
      tableName,
      streamArn: arn,
      updateKinesisStreamingConfiguration: { approximateCreationDateTimePrecision: precision },
    },
    testContext,
  );
const put = async (services: TestServices, key: string, more: object = {}) =>
  putItem(services, { tableName, item: { PK: { S: key }, ...more } }, testContext);
const remove = async (services: TestServices, key: string) =>
  deleteItem(services, { tableName, key: { PK: { S: key } } }, testContext);

async function statuses(services: TestServices): Promise<readonly string[]> {
  const described = await describeKinesisStreamingDestination(services, { tableName }, testContext);
  return described.kinesisDataStreamDestinations.map(
    ({ streamArn: arn, destinationStatus }) => `${arn.replace(/.*\//, '')} ${destinationStatus}`,
  );
}

/** The number of entries in a space. */
async function entries(services: TestServices, spaceId: number): Promise<number> {
  let count = 0;
  await services.store.range({ from: spaceStart(spaceId), to: spaceStart(spaceId + 1) }, () => {
    count += 1;
    return true;
  });
  return count;
}

const logSpaceOf = async (services: TestServices): Promise<number> =>
  (await presentTable(services, tableName)).record.kinesisDestinations?.[0]?.log?.space ?? 0;

const inState = 'Table is not in a valid state to enable Kinesis Streaming Destination: ';
const notDisabled = validation(
  `${inState}EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform ENABLE operation.`,
);
const notActive = validation(`${inState}KinesisStreamingDestination must be ACTIVE to perform DISABLE operation.`);

describe('a Kinesis streaming destination', () => {
  test('goes from ENABLING to ACTIVE, and from DISABLING to DISABLED', async () => {
    const { services } = await openTable({ lifecycleDelayMs: 5000 });
    expect(await statuses(services)).toEqual([]);
    expect(await enable(services)).toEqual({
      tableName,
      streamArn,
      destinationStatus: 'ENABLING',
      enableKinesisStreamingConfiguration: {},
    });
    await deliverChanges(services);
    expect(await statuses(services)).toEqual(['changes ENABLING']);
    expect(await refusal(enable(services))).toBe(notDisabled);
    expect(await refusal(disable(services))).toBe(notActive);
    services.clock.advance(5000);
    await deliverChanges(services);
    expect(await statuses(services)).toEqual(['changes ACTIVE']);
    expect(await refusal(enable(services, other))).toBe(notDisabled);
    expect(await refusal(disable(services, other))).toBe(notActive);
    expect(await disable(services)).toEqual({ tableName, streamArn, destinationStatus: 'DISABLING' });
    expect(await statuses(services)).toEqual(['changes DISABLING']);
    expect((await disable(services)).destinationStatus).toBe('DISABLING');
    expect(await refusal(enable(services, other))).toBe(notDisabled);
    services.clock.advance(5000);
    expect(await statuses(services)).toEqual(['changes DISABLED']);
    expect(await refusal(disable(services))).toBe(notActive);
    await enable(services, other);
    expect(await statuses(services)).toEqual(['other ENABLING', 'changes DISABLED']);
  });

  test('that is disabled is described for a day, and is not doubled when it is enabled again', async () => {
    const { services } = await openActive();
    await disable(services);
    await enable(services);
    await deliverChanges(services);
    expect(await statuses(services)).toEqual(['changes ACTIVE']);
    await disable(services);
    services.clock.advance(24 * 3_600_000);
    await enable(services, other);
    expect(await statuses(services)).toEqual(['other ENABLING']);
  });

  test('fails when the stream does not take records, and keeps nothing', async () => {
    const { services, sink } = await openTable();
    sink.problemOf = () => 'User does not have a permission to use kinesis stream';
    await enable(services);
    const logSpace = await logSpaceOf(services);
    await put(services, 'a');
    await deliverChanges(services);
    const { kinesisDataStreamDestinations } = await describeKinesisStreamingDestination(
      services,
      { tableName },
      testContext,
    );
    expect(kinesisDataStreamDestinations).toEqual([
      {
        streamArn,
        destinationStatus: 'ENABLE_FAILED',
        destinationStatusDescription: 'User does not have a permission to use kinesis stream',
      },
    ]);
    await put(services, 'b');
    await deliverChanges(services);
    expect(sink.arrived).toEqual([]);
    expect(await entries(services, logSpace)).toBe(0);
    expect(await listDeliveries(services.store)).toEqual([]);
    expect(await refusal(disable(services))).toBe(notActive);
    await enable(services, other.replace('us-east-1', 'eu-west-1'));
    await deliverChanges(services);
    expect(await statuses(services)).toEqual(['other ENABLE_FAILED', 'changes ENABLE_FAILED']);
  });

  test('needs somewhere to deliver to', async () => {
    const services = testServices();
    await createdTable(services, onDemandTable());
    expect(await refusal(enable(services))).toMatch(
      /^ValidationException: This database delivers to no Kinesis endpoint/,
    );
    expect(await statuses(services)).toEqual([]);
  });

  test('of a table that is not there, or not yet', async () => {
    const notFound = 'ResourceNotFoundException: Requested resource not found: Table: Table not found';
    const services = testServices({ changeSink: new RecordingSink(), lifecycleDelayMs: 1000 });
    for (const attempt of [enable(services), disable(services), update(services, 'MICROSECOND'), statuses(services)]) {
      expect(await refusal(attempt)).toBe(notFound);
    }
    await createdTable(services, onDemandTable());
    expect(await refusal(enable(services))).toBe(notFound);
    services.clock.advance(1000);
    expect(await refusal(enable(services))).toBe('done');
  });

  test('has a precision', async () => {
    const { services, sink } = await openActive({ lifecycleDelayMs: 10 });
    services.clock.advance(10);
    await deliverChanges(services);
    expect(await refusal(update(services))).toBe(
      validation(
        'Streaming destination cannot be updated with given parameters: UpdateKinesisStreamingConfiguration cannot be null or contain only null values',
      ),
    );
    const { tableId } = (await presentTable(services, tableName)).record;
    const already = (value: string): string =>
      validation(
        `Invalid Request: Precision is already set to the desired value of ${value} for tableId: ${tableId}, kdsArn: ${streamArn}`,
      );
    expect(await refusal(update(services, 'MILLISECOND'))).toBe(already('MILLISECOND'));
    expect(await update(services, 'MICROSECOND')).toEqual({
      tableName,
      streamArn,
      destinationStatus: 'UPDATING',
      updateKinesisStreamingConfiguration: { approximateCreationDateTimePrecision: 'MICROSECOND' },
    });
    expect(await statuses(services)).toEqual(['changes UPDATING']);
    const notNow = validation(
      `${inState}Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state. TableName: Table, kdsArn: ${streamArn}`,
    );
    expect(await refusal(update(services, 'MILLISECOND'))).toBe(notNow);
    services.clock.advance(10);
    expect(await refusal(update(services, 'MICROSECOND'))).toBe(already('MICROSECOND'));
    await put(services, 'a');
    await deliverChanges(services);
    expect(sink.arrived[0]?.body.dynamodb).toMatchObject({
      ApproximateCreationDateTime: (testStartMs + 30) * 1000,
      ApproximateCreationDateTimePrecision: 'MICROSECOND',
    });
    await disable(services);
    expect(
      await refusal(
        disableKinesisStreamingDestination(
          services,
          { tableName, streamArn, enableKinesisStreamingConfiguration: {} },
          testContext,
        ),
      ),
    ).toBe(validation('Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters'));
  });
});

describe('changes', () => {
  test('arrive as the records that the service writes', async () => {
    const { services, sink } = await openActive();
    await put(services, 'a', { n: { N: '1' } });
    await updateItem(
      services,
      {
        tableName,
        key: { PK: { S: 'a' } },
        updateExpression: 'SET n = :n',
        expressionAttributeValues: { ':n': { N: '2' } },
      },
      testContext,
    );
    // Nothing changes.
    await put(services, 'a', { n: { N: '2' } });
    await remove(services, 'a');
    await remove(services, 'a');
    await deliverChanges(services);
    const common = {
      awsRegion: 'us-east-1',
      eventID: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
      userIdentity: null,
      recordFormat: 'application/json',
      tableName: 'Table',
      eventSource: 'aws:dynamodb',
    };
    const times = {
      ApproximateCreationDateTime: testStartMs,
      ApproximateCreationDateTimePrecision: 'MILLISECOND',
      Keys: { PK: { S: 'a' } },
    };
    const first = { PK: { S: 'a' }, n: { N: '1' } };
    const second = { PK: { S: 'a' }, n: { N: '2' } };
    expect(sink.arrived.map(({ body }) => body)).toEqual([
      { ...common, eventName: 'INSERT', dynamodb: { ...times, NewImage: first, SizeBytes: 9 } },
      { ...common, eventName: 'MODIFY', dynamodb: { ...times, NewImage: second, OldImage: first, SizeBytes: 15 } },
      { ...common, eventName: 'REMOVE', dynamodb: { ...times, OldImage: second, SizeBytes: 9 } },
    ]);
    expect(new Set(sink.arrived.map(({ partitionKey }) => partitionKey)).size).toBe(1);
    expect(sink.arrived[0]?.partitionKey).toMatch(/^[0-9A-F]{32}$/);
    expect(new Set(sink.arrived.map(({ body }) => body.eventID)).size).toBe(3);
  });

  test('by the service say so', async () => {
    const { services, sink } = await openActive();
    await updateTimeToLive(
      services,
      { tableName, timeToLiveSpecification: { enabled: true, attributeName: 'ttl' } },
      testContext,
    );
    await put(services, 'a', { ttl: { N: String(testStartMs / 1000) } });
    services.clock.advance(5000);
    await sweepExpiredItems(services);
    await deliverChanges(services);
    expect(sink.arrived.map(({ body }) => [body.eventName, body.userIdentity])).toEqual([
      ['INSERT', null],
      ['REMOVE', { type: 'Service', principalId: 'dynamodb.amazonaws.com' }],
    ]);
  });

  test('go to the destination whether or not the table has a stream, which shows nothing of it', async () => {
    const { services, sink } = await openActive();
    await put(services, 'a');
    expect((await listStreams(services, {}, testContext)).streams).toEqual([]);
    const streamSpecification = { streamEnabled: true, streamViewType: 'KEYS_ONLY' } as const;
    await updateTable(services, { tableName, streamSpecification }, testContext);
    await put(services, 'b', { n: { N: '1' } });
    expect((await listStreams(services, {}, testContext)).streams).toHaveLength(1);
    await updateTable(services, { tableName, streamSpecification: { streamEnabled: false } }, testContext);
    await transactWriteItems(
      services,
      {
        transactItems: [
          { put: { tableName, item: { PK: { S: 'c' } } } },
          { put: { tableName, item: { PK: { S: 'd' } } } },
        ],
      },
      testContext,
    );
    await deliverChanges(services);
    expect(sink.arrived.map(({ body }) => (body.dynamodb.NewImage as { PK: { S: string } }).PK.S).toSorted()).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });

  test('made while a destination is being enabled arrive, those before and after do not', async () => {
    const { services, sink } = await openTable();
    await put(services, 'before');
    await enable(services);
    await put(services, 'between');
    await deliverChanges(services);
    await put(services, 'active');
    const logSpace = await logSpaceOf(services);
    await disable(services);
    await put(services, 'after');
    await deliverChanges(services);
    const keys = sink.arrived.map(({ body }) => (body.dynamodb.Keys as { PK: { S: string } }).PK.S);
    expect(keys).toEqual(['between', 'active']);
    expect(await entries(services, logSpace)).toBe(0);
    expect(await listDeliveries(services.store)).toEqual([]);
  });

  test('of a table that was deleted arrive to the last', async () => {
    const { services, sink } = await openActive();
    const logSpace = await logSpaceOf(services);
    await put(services, 'a');
    await deleteTable(services, { tableName }, testContext);
    await deliverChanges(services);
    expect(sink.arrived).toHaveLength(1);
    expect(await entries(services, logSpace)).toBe(0);
    expect(await listDeliveries(services.store)).toEqual([]);
  });

  test('that the stream does not take now are sent again after a rest, and those that it never takes are passed over', async () => {
    const { services, sink } = await openActive();
    const isOf = (record: { readonly data: Buffer }, key: string): boolean =>
      record.data.toString('utf8').includes(`"Keys":{"PK":{"S":"${key}"}}`);
    let isBusy = true;
    sink.outcomeOf = (record) => (isOf(record, 'huge') ? 'never' : isBusy && isOf(record, 'b') ? 'later' : 'taken');
    for (const key of ['a', 'b', 'huge', 'c']) await put(services, key);
    const arrived = (): readonly string[] =>
      sink.arrived.map(({ body }) => (body.dynamodb.Keys as { PK: { S: string } }).PK.S).toSorted();
    for (let round = 0; round < 4; round += 1) {
      await deliverChanges(services);
      services.clock.advance(2000);
    }
    expect(arrived()).toEqual(['a', 'c']);
    expect(services.logged.filter(({ event }) => event === 'changes-refused-by-stream')).toHaveLength(1);
    isBusy = false;
    await deliverChanges(services);
    expect(arrived()).toEqual(['a', 'b', 'c']);
    await deliverChanges(services);
    expect(arrived()).toEqual(['a', 'b', 'c']);
  });

  test('are given up after a day, with or without somewhere to deliver to', async () => {
    const store = openMemoryStore();
    const { services, sink } = await openActive({ store });
    sink.outcomeOf = () => 'later';
    await put(services, 'a');
    await deliverChanges(services);
    services.clock.advance(24 * 3_600_000);
    await put(services, 'b');
    sink.outcomeOf = () => 'taken';
    await deliverChanges(services);
    expect(sink.arrived).toHaveLength(1);
    expect(services.logged.filter(({ event }) => event === 'changes-not-delivered-in-time')).toMatchObject([
      { count: 1 },
    ]);
    await put(services, 'c');
    await disable(services);
    const logSpace = (await listDeliveries(store))[0]?.log.space ?? 0;
    const without = testServices({ store, nowMs: services.clock.nowMs() });
    await deliverChanges(without);
    expect(await entries(services, logSpace)).toBeGreaterThan(4);
    without.clock.advance(24 * 3_600_000);
    await deliverChanges(without);
    expect(await entries(services, logSpace)).toBe(0);
    expect(await listDeliveries(store)).toEqual([]);
  });

  test('are delivered by one process at a time, and by another when that one dies', async () => {
    const store = openMemoryStore();
    const { services, sink } = await openActive({ store });
    const second = new RecordingSink();
    const others = testServices({ store, changeSink: second, seed: 2 });
    await put(services, 'a');
    let proceed: () => void = () => undefined;
    sink.beforeDelivery = () => new Promise<void>((resolve) => (proceed = resolve));
    const running = deliverChanges(services);
    await new Promise((resolve) => setImmediate(resolve));
    await deliverChanges(others);
    expect(second.arrived).toEqual([]);
    others.clock.advance(30_000);
    await deliverChanges(others);
    expect(second.arrived).toHaveLength(1);
    proceed();
    await running;
    // The process that came back late has delivered it once more, as the same record.
    expect(sink.arrived.map(({ body }) => body)).toEqual(second.arrived.map(({ body }) => body));
    sink.beforeDelivery = () => undefined;
    await deliverChanges(services);
    await deliverChanges(others);
    expect([sink.arrived.length, second.arrived.length]).toEqual([1, 1]);
  });

  const step = fc.record({ key: fc.constantFrom('a', 'b', 'c'), value: fc.option(fc.nat(3), { nil: undefined }) });

  test('are removed by the process that has the lease, and not by one that wakes after it has passed on', async () => {
    const { services, sink } = await openActive();
    const late = testServices({ store: services.store, changeSink: sink, nowMs: services.clock.nowMs(), seed: 2 });
    await put(services, 'a');
    let isHeldUp = true;
    sink.beforeDelivery = async () => {
      if (!isHeldUp) return;
      isHeldUp = false;
      // It sleeps while its records are in flight. Meanwhile its lease expires, and another process finds a sink that backs off.
      sink.outcomeOf = () => 'later';
      services.clock.advance(60_000);
      await deliverChanges(services);
      sink.outcomeOf = () => 'taken';
    };
    await deliverChanges(late);
    expect(sink.arrived).toHaveLength(1);
    // The change is still there for the process that had started to deliver it.
    services.clock.advance(60_000);
    await deliverChanges(services);
    expect(sink.arrived).toHaveLength(2);
    expect(sink.distinct).toHaveLength(1);
    expect(await inconsistencies(services, tableName)).toEqual([]);
  });

  test('replay into the table: each arrives, those of an item in their order, on a store that fails', async () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const store = new FaultStore(openMemoryStore(), { seed, rates: {} });
      const { services, sink } = await openActive({ store });
      store.setRates({ writeRefused: 0.2, outcomeUnknown: 0.2, readFailed: 0.1, decisionRepeated: 0.3 });
      const tolerate = async (work: Promise<unknown>): Promise<void> => {
        await work.catch((error: unknown) => {
          if (!isStoreFailure(error)) throw error;
        });
      };
      for (const { key, value } of fc.sample(step, { seed, numRuns: 60 })) {
        await tolerate(value === undefined ? remove(services, key) : put(services, key, { v: { N: String(value) } }));
        if (value === 0) await tolerate(deliverChanges(services));
        services.clock.advance(1000);
      }
      store.setRates({});
      services.clock.advance(30_000);
      await deliverChanges(services);
      expect(await inconsistencies(services, tableName)).toEqual([]);
      const images = new Map<unknown, unknown>();
      for (const { partitionKey, body } of sink.distinct) {
        expect(images.get(partitionKey)).toEqual(body.dynamodb.OldImage);
        images.set(partitionKey, body.dynamodb.NewImage);
      }
      const present = [...images.values()].filter((image) => image !== undefined);
      const table = await presentTable(services, tableName);
      expect(present).toHaveLength(await entries(services, table.record.itemSpace));
    }
  });
});
