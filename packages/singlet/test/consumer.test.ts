import { CreateTableCommand, ScanCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import type { _Record } from '@aws-sdk/client-dynamodb-streams';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ChangeRecord, DeadLetter, ItemImage } from '../src/consumer/index.ts';
import { ConsumerWorld, Received, TableName, sourceText } from './consumer-world.ts';

/** One worker, under simulated time. Several workers: consumer-workers.test.ts. */

let world: ConsumerWorld;

beforeEach(async () => {
  world = await ConsumerWorld.open();
});

afterEach(() => world.close());

const customers = ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay'];

/** Strings and numbers as JavaScript values. */
function plain(image: ItemImage): Record<string, unknown> {
  return Object.fromEntries(Object.entries(image).map(([name, { S, N }]) => [name, S ?? Number(N)]));
}

/** For tests of hours: fewer requests. */
const slow = { pollIntervalMs: 60_000, leaseMs: 300_000 };

/** The given number of orders of every customer, in turn. */
async function putOrders(count: number, from: number = 0): Promise<readonly string[]> {
  const texts: string[] = [];
  for (let order = from; order < from + count; order += 1) {
    for (const customer of customers) {
      await world.put(customer, order);
      texts.push(`INSERT ${customer} ${order}`);
    }
  }
  return texts;
}

function expectInOrder(received: Received): void {
  for (const customer of customers) {
    const orders = received.ofCustomer(customer).map((text) => Number(text.split(' ')[2]));
    expect(orders).toEqual(orders.toSorted((a, b) => a - b));
  }
}

describe('DB-251 a handler gets the changes in batches', () => {
  test('each change exactly once, in order per key, in batches of the size asked for', async () => {
    const expected = await putOrders(20);
    const received = new Received();
    await world.start(world.consumer({ handler: received.handler, batchSize: 7 }));
    await world.time.until(() => received.texts.length >= expected.length);
    const more = await putOrders(5, 20);
    await world.time.until(() => received.texts.length >= expected.length + more.length);
    await world.time.advance(120_000);
    expect(received.texts.toSorted()).toEqual([...expected, ...more].toSorted());
    expectInOrder(received);
    expect(Math.max(...received.batches.map((batch) => batch.length))).toBe(7);
  });

  test('the start hardly waits for a table of checkpoints that is there at once', async () => {
    const beginMs = world.time.nowMs();
    await world.start(world.consumer({ handler: () => undefined }));
    expect(world.time.nowMs() - beginMs).toBeLessThan(50);
  });

  test('a consumer that comes back continues where it stopped', async () => {
    const first = new Received();
    const consumer = world.consumer({ handler: first.handler });
    const before = await putOrders(3);
    await world.start(consumer);
    await world.time.until(() => first.texts.length === before.length);
    await world.stop(consumer);
    const after = await putOrders(3, 3);
    const second = new Received();
    await world.start(world.consumer({ handler: second.handler }));
    await world.time.until(() => second.texts.length >= after.length);
    await world.time.advance(60_000);
    expect(first.texts.toSorted()).toEqual(before.toSorted());
    expect(second.texts.toSorted()).toEqual(after.toSorted());
  });

  test('stopping waits for the running batch, and saves it', async () => {
    await world.put('ada', 1);
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    let calls = 0;
    const consumer = world.consumer({
      handler: () => {
        calls += 1;
        return finished;
      },
    });
    await world.start(consumer);
    await world.time.until(() => calls === 1);
    let isStopped = false;
    const stopped = consumer.stop().then(() => (isStopped = true));
    // Longer than a lease, which is renewed while the batch runs.
    await world.time.advance(30_000);
    expect(isStopped).toBe(false);
    finish();
    await world.time.during(stopped);
    const second = new Received();
    await world.start(world.consumer({ handler: second.handler }));
    await world.time.advance(60_000);
    expect(second.texts).toEqual([]);
    expect([...(await world.leases()).values()].every((lease) => Number(lease['leaseEpoch']) === 3)).toBe(true);
  });

  test('records are typed as they are read', async () => {
    interface Order {
      readonly customer: string;
      readonly order: number;
      readonly status?: string;
    }
    const seen: ChangeRecord<Order>[] = [];
    await world.put('ada', 1, { status: { S: 'new' } });
    await world.put('ada', 1, { status: { S: 'paid' } });
    await world.remove('ada', 1);
    await world.start(
      world.consumer<Order>({
        handler: (records) => void seen.push(...records),
        unmarshall: (image) => plain(image) as unknown as Order,
      }),
    );
    await world.time.until(() => seen.length === 3);
    expect(seen.map(({ eventName, oldImage, newImage }) => [eventName, oldImage?.status, newImage?.status])).toEqual([
      ['INSERT', undefined, 'new'],
      ['MODIFY', 'new', 'paid'],
      ['REMOVE', 'paid', undefined],
    ]);
    expect(seen[0]).toMatchObject({ keys: { customer: 'ada', order: 1 }, isExpiry: false });
    expect(seen[0]?.createdAtEpochSeconds).toBe(Date.parse('2026-01-01T00:00:00Z') / 1000);
  });

  test('a window gathers records until the batch is full or time is up', async () => {
    const received = new Received();
    await world.start(world.consumer({ handler: received.handler, batchSize: 4, batchingWindowMs: 30_000 }));
    const beganMs = world.time.nowMs();
    await world.put('ada', 1);
    await world.time.advance(5000);
    await world.put('ada', 2);
    await world.time.until(() => received.batches.length === 1);
    expect(received.batches[0]).toHaveLength(2);
    expect(world.time.nowMs() - beganMs).toBeGreaterThanOrEqual(30_000);
    for (const order of [3, 4, 5, 6]) await world.put('ada', order);
    const fullMs = world.time.nowMs();
    await world.time.until(() => received.batches.length === 2);
    expect(received.batches[1]).toHaveLength(4);
    expect(world.time.nowMs() - fullMs).toBeLessThan(5000);
  });

  test('filters let through what they describe, and the checkpoint passes over the rest', async () => {
    const received = new Received();
    const consumer = world.consumer({
      handler: received.handler,
      filters: [
        { eventName: ['INSERT'], dynamodb: { NewImage: { status: { S: [{ prefix: 'pa' }] } } } },
        { eventName: ['REMOVE'] },
      ],
    });
    await world.put('ada', 1, { status: { S: 'paid' } });
    await world.put('ada', 2, { status: { S: 'new' } });
    await world.put('ada', 1, { status: { S: 'parcel' } });
    await world.remove('ada', 2);
    await world.put('ada', 3, { status: { S: 'new' } });
    await world.start(consumer);
    await world.time.until(() => received.texts.length === 2);
    expect(received.texts).toEqual(['INSERT ada 1', 'REMOVE ada 2']);
    await world.stop(consumer);
    const rest = new Received();
    await world.start(world.consumer({ handler: rest.handler }));
    await world.time.advance(60_000);
    expect(rest.texts).toEqual([]);
  });
});

describe('DB-250 consumers with checkpoints of their own', () => {
  test('each see every record, the late one and the early one', async () => {
    const [early, late] = [new Received(), new Received()];
    await world.start(world.consumer({ handler: early.handler, checkpointTable: 'early' }));
    const expected = await putOrders(4);
    await world.time.until(() => early.texts.length === expected.length);
    await world.start(world.consumer({ handler: late.handler, checkpointTable: 'late' }));
    await world.time.until(() => late.texts.length === expected.length);
    expect(early.texts.toSorted()).toEqual(late.texts.toSorted());
  });
});

describe('DB-251 a batch that fails', () => {
  /** Six changes of one customer: one shard, one batch. */
  async function putSix(): Promise<readonly string[]> {
    const orders = [0, 1, 2, 3, 4, 5];
    for (const order of orders) await world.put('ada', order);
    return orders.map((order) => `INSERT ada ${order}`);
  }

  const poison = 'INSERT ada 3';

  /** Fails for every batch that contains the poison. */
  function poisoned(received: Received, tried: string[][]): (records: readonly { source: _Record }[]) => void {
    return (records) => {
      const texts = records.map(sourceText);
      tried.push(texts);
      if (texts.includes(poison)) throw new RangeError('poison');
      received.handler(records);
    };
  }

  test('comes again, whole, after longer and longer pauses, and holds up its shard', async () => {
    const expected = await putSix();
    const received = new Received();
    const triedAtMs: number[] = [];
    await world.start(
      world.consumer({
        handler: (records, { failureCount }) => {
          expect(failureCount).toBe(triedAtMs.length);
          triedAtMs.push(world.time.nowMs());
          if (triedAtMs.length < 6) throw new Error('not yet');
          received.handler(records);
        },
      }),
    );
    await world.time.until(() => received.texts.length === expected.length);
    expect(received.batches).toEqual([expected]);
    const pauses = triedAtMs.slice(1).map((at, index) => at - (triedAtMs[index] ?? 0));
    expect(pauses[4]).toBeGreaterThan((pauses[0] ?? 0) * 4);
  });

  test('is split until the poison record is alone, which the dead letter gets', async () => {
    const expected = await putSix();
    const received = new Received();
    const tried: string[][] = [];
    const letters: DeadLetter[] = [];
    await world.start(
      world.consumer({
        handler: poisoned(received, tried),
        bisectBatchOnFunctionError: true,
        maximumRetryAttempts: 2,
        onDeadLetter: (letter) => void letters.push(letter),
      }),
    );
    await world.time.until(() => received.texts.length === expected.length - 1);
    expect(received.texts).toEqual(expected.filter((text) => text !== poison));
    expect(letters).toHaveLength(1);
    expect(letters[0]).toMatchObject({ reason: 'RetryAttemptsExhausted', failureCount: 3 });
    expect(letters[0]?.error).toBeInstanceOf(RangeError);
    expect(letters[0]?.records.map((source) => sourceText({ source }))).toEqual([poison]);
    // Splitting is not a retry. Alone, the poison was tried once and then twice more.
    expect(tried.filter((texts) => texts.length === 1 && texts[0] === poison)).toHaveLength(3);
    expect(tried.filter((texts) => texts.length === 6)).toHaveLength(1);
  });

  test('is given up whole without splitting, and what comes after it continues', async () => {
    const given: string[] = [];
    const received = new Received();
    const expected = await putSix();
    await world.start(
      world.consumer({
        handler: poisoned(received, []),
        maximumRetryAttempts: 0,
        onDeadLetter: ({ records }) => void given.push(...records.map((source) => sourceText({ source }))),
      }),
    );
    await world.time.until(() => given.length > 0);
    expect(given).toEqual(expected);
    await world.put('ada', 6);
    await world.time.until(() => received.texts.length === 1);
    expect(received.texts).toEqual(['INSERT ada 6']);
  });

  test('continues from the first record that is reported', async () => {
    const expected = await putSix();
    const tried: string[][] = [];
    let sicknessCount = 2;
    await world.start(
      world.consumer({
        reportBatchItemFailures: true,
        handler: (records) => {
          tried.push(records.map(sourceText));
          const bad = records
            .filter((record) => sourceText(record) === poison || sourceText(record).endsWith('5'))
            .toReversed();
          if (bad.length === 0 || sicknessCount === 0) return;
          sicknessCount -= 1;
          return { batchItemFailures: bad.map(({ sequenceNumber }) => ({ itemIdentifier: sequenceNumber })) };
        },
      }),
    );
    await world.time.until(() => tried.length === 3);
    expect(tried).toEqual([expected, expected.slice(3), expected.slice(3)]);
  });

  test('has failed whole when what is reported is none of its records', async () => {
    const expected = await putSix();
    const tried: string[][] = [];
    await world.start(
      world.consumer({
        reportBatchItemFailures: true,
        handler: (records) => {
          tried.push(records.map(sourceText));
          return tried.length === 1 ? { batchItemFailures: [{ itemIdentifier: '' }] } : undefined;
        },
      }),
    );
    await world.time.until(() => tried.length === 2);
    expect(tried).toEqual([expected, expected]);
  });

  test('is given up when its records are too old', async () => {
    const expected = await putSix();
    const letters: DeadLetter[] = [];
    await world.start(
      world.consumer({
        handler: () => {
          throw new Error('always');
        },
        maximumRecordAgeMs: 120_000,
        onDeadLetter: (letter) => void letters.push(letter),
      }),
    );
    await world.time.until(() => letters.length > 0);
    expect(letters.map(({ reason }) => reason)).toEqual(['RecordAgeExceeded']);
    expect(letters[0]?.records.map((source) => sourceText({ source }))).toEqual(expected);
    expect(world.time.nowMs() - Date.parse('2026-01-01T00:00:00Z')).toBeGreaterThan(120_000);
  });

  test('waits for a dead letter that does not go out', async () => {
    await putSix();
    let attempts = 0;
    await world.start(
      world.consumer({
        handler: () => {
          throw new Error('always');
        },
        maximumRetryAttempts: 0,
        onDeadLetter: () => {
          attempts += 1;
          if (attempts < 4) throw new Error('full');
        },
      }),
    );
    await world.time.until(() => attempts === 4);
    await world.time.advance(120_000);
    expect(attempts).toBe(4);
  });

  test('of which the images cannot be read is one that fails', async () => {
    await world.put('ada', 1, { broken: { S: 'yes' } });
    const given: string[] = [];
    await world.start(
      world.consumer<Record<string, unknown>>({
        handler: () => undefined,
        unmarshall: (image) => {
          if ('broken' in image) throw new SyntaxError('cannot be read');
          return plain(image);
        },
        maximumRetryAttempts: 1,
        onDeadLetter: ({ records }) => void given.push(...records.map((source) => sourceText({ source }))),
      }),
    );
    await world.time.until(() => given.length === 1);
    expect(given).toEqual(['INSERT ada 1']);
  });
});

describe('DB-251 batches of one shard at the same time', () => {
  test('keep the order of each key, and the checkpoint does not pass over what is not done', async () => {
    const expected = await putOrders(40);
    const received = new Received();
    let running = 0;
    let runningMax = 0;
    let isStuck = true;
    const consumer = world.consumer({
      parallelizationFactor: 10,
      batchSize: 5,
      handler: async (records) => {
        running += 1;
        runningMax = Math.max(runningMax, running);
        await world.time.pause(50 + Math.floor(world.random() * 200));
        running -= 1;
        if (isStuck && records.some((record) => sourceText(record) === 'INSERT ada 7')) throw new Error('stuck');
        received.handler(records);
      },
    });
    await world.start(consumer);
    await world.time.until(() => received.texts.length >= expected.length - 40);
    // One key is stuck. Its shard's other keys are not, and the checkpoint is before it.
    expect(received.ofCustomer('ada').length).toBeLessThanOrEqual(7);
    expect(runningMax).toBeGreaterThan(4);
    await world.stop(consumer);
    isStuck = false;
    const again = new Received();
    await world.start(world.consumer({ handler: again.handler, parallelizationFactor: 3 }));
    await world.time.until(() => again.ofCustomer('ada').length + received.ofCustomer('ada').length >= 40);
    await world.time.advance(60_000);
    expectInOrder(received);
    expectInOrder(again);
    expect(new Set([...received.texts, ...again.texts])).toEqual(new Set(expected));
  });
});

describe('DB-255 shards that end and begin', () => {
  test('children are read after their parents, and finished leases go when their shards are trimmed', async () => {
    await world.close();
    world = await ConsumerWorld.open({
      streamShardMinutes: 10,
      streamRetentionHours: 1,
      streamShardCountInitial: 2,
      streamShardCountMax: 4,
      streamShardSplitInterval: 2,
    });
    const received = new Received();
    const consumer = world.consumer({ handler: received.handler, ...slow });
    await world.start(consumer);
    const expected: string[] = [];
    const firstLeases = await world.leases();
    const shardCounts = new Set<number>();
    for (let time = 0; time < 14; time += 1) {
      expected.push(...(await putOrders(1, time)));
      await world.time.advance(8 * 60_000);
      shardCounts.add((await world.leases()).size);
    }
    await world.time.until(() => received.texts.length >= expected.length);
    expect(received.texts.toSorted()).toEqual(expected.toSorted());
    expectInOrder(received);
    const leases = [...(await world.leases()).values()];
    expect(leases.filter(({ checkpoint }) => checkpoint === 'SHARD_END').length).toBeGreaterThan(4);
    const shardIds = [...firstLeases.keys()];
    expect(leases.some(({ shardId }) => shardIds.includes(String(shardId)))).toBe(false);
    expect(leases.some(({ parentShardId }) => parentShardId !== undefined)).toBe(true);
    // Some forty shards have been created, and most have ended.
    expect(Math.max(...shardCounts)).toBeLessThan(32);
  });

  test('a consumer that was away for several generations of shards reads them in order', async () => {
    await world.close();
    world = await ConsumerWorld.open({ streamShardMinutes: 10 });
    const expected: string[] = [];
    for (let time = 0; time < 6; time += 1) {
      expected.push(...(await putOrders(4, time * 4)));
      world.time.jump(11 * 60_000);
      await world.turnShards();
    }
    const received = new Received();
    await world.start(world.consumer({ handler: received.handler, parallelizationFactor: 4 }));
    await world.time.until(() => received.texts.length >= expected.length);
    expect(received.texts.toSorted()).toEqual(expected.toSorted());
    expectInOrder(received);
  });

  test('it ends by itself when the stream is disabled and read', async () => {
    const expected = await putOrders(5);
    const received = new Received();
    const consumer = world.consumer({ handler: received.handler });
    await world.start(consumer);
    await world.disableStream();
    await world.time.during(consumer.ended);
    expect(received.texts.toSorted()).toEqual(expected.toSorted());
  });
});

describe('DB-255 where reading begins', () => {
  test('LATEST: with what is written once it has started', async () => {
    await putOrders(3);
    const received = new Received();
    await world.start(world.consumer({ handler: received.handler, startingPosition: 'LATEST' }));
    const expected = await putOrders(3, 3);
    await world.time.until(() => received.texts.length >= expected.length);
    expect(received.texts.toSorted()).toEqual(expected.toSorted());
  });

  test('LATEST: a worker that dies before its first checkpoint leaves no gap', async () => {
    await putOrders(3);
    await world.time.advance(120_000);
    const machine = world.machine();
    await world.start(world.consumer({ handler: () => undefined, startingPosition: 'LATEST' }, machine));
    machine.kill();
    const expected = await putOrders(3, 3);
    const received = new Received();
    await world.start(world.consumer({ handler: received.handler, startingPosition: 'LATEST' }));
    await world.time.until(() => received.texts.length >= expected.length);
    expect(received.texts.toSorted()).toEqual(expected.toSorted());
  });

  test('LATEST: closed shards are not read, children of the open ones are from their beginning', async () => {
    await world.close();
    world = await ConsumerWorld.open({ streamShardMinutes: 10 });
    await putOrders(2);
    world.time.jump(11 * 60_000);
    const received = new Received();
    await world.start(world.consumer({ handler: received.handler, startingPosition: 'LATEST', ...slow }));
    const expected: string[] = [];
    for (let time = 0; time < 5; time += 1) {
      expected.push(...(await putOrders(2, 2 + time * 2)));
      await world.time.advance(7 * 60_000);
    }
    await world.time.until(() => received.texts.length >= expected.length);
    expect(received.texts.toSorted()).toEqual(expected.toSorted());
  });

  test('a time: with the records of its second and later ones', async () => {
    await putOrders(2);
    await world.time.advance(60_000);
    const from = new Date(world.time.nowMs() + 500);
    const expected = await putOrders(2, 2);
    const received = new Received();
    await world.start(world.consumer({ handler: received.handler, startingPosition: from }));
    await world.time.until(() => received.texts.length >= expected.length);
    await world.time.advance(60_000);
    expect(received.texts.toSorted()).toEqual(expected.toSorted());
  });
});

describe('DB-256 what happens on the way', () => {
  test('records trimmed before they were read are reported, and reading continues with the oldest there are', async () => {
    await world.close();
    world = await ConsumerWorld.open({ streamShardMinutes: 100_000 });
    const first = new Received();
    const consumer = world.consumer({ handler: first.handler });
    await putOrders(2);
    await world.start(consumer);
    await world.time.until(() => first.texts.length === 12);
    await world.stop(consumer);
    await putOrders(2, 2);
    world.time.jump(25 * 3_600_000);
    const expected = await putOrders(2, 4);
    const second = new Received();
    await world.start(world.consumer({ handler: second.handler }));
    await world.time.until(() => second.texts.length >= expected.length);
    expect(second.texts.toSorted()).toEqual(expected.toSorted());
    expect(world.events.map(({ event }) => event)).toContain('records-trimmed-unread');
  });

  test('leases of shards that were trimmed with their records do not hold up their children', async () => {
    const consumer = world.consumer({ handler: () => undefined });
    await world.start(consumer);
    await world.stop(consumer);
    await putOrders(2);
    world.time.jump(60 * 3_600_000);
    await world.start(world.consumer({ handler: () => undefined, checkpointTable: 'other' }));
    const expected = await putOrders(2, 2);
    const received = new Received();
    await world.start(world.consumer({ handler: received.handler }));
    await world.time.until(() => received.texts.length >= expected.length);
    expect(received.texts.toSorted()).toEqual(expected.toSorted());
  });

  test('iterators that have expired are replaced', async () => {
    await world.close();
    world = await ConsumerWorld.open({ shardIteratorMinutes: 0.5 });
    const received = new Received();
    await world.start(world.consumer({ handler: received.handler, pollIntervalMs: 50_000 }));
    const expected: string[] = [];
    for (let time = 0; time < 5; time += 1) {
      expected.push(...(await putOrders(1, time)));
      await world.time.advance(120_000);
    }
    expect(received.texts.toSorted()).toEqual(expected.toSorted());
  });

  test('more waiting records than fit are read when there is room', async () => {
    for (let order = 0; order < 1300; order += 1) await world.put('ada', order);
    const received = new Received();
    await world.start(
      world.consumer({
        batchSize: 100,
        handler: async (records) => {
          await world.time.pause(10);
          received.handler(records);
        },
      }),
    );
    await world.time.until(() => received.texts.length >= 1300);
    expect(received.texts).toHaveLength(1300);
    expectInOrder(received);
  });
});

describe('transactions on the items of the checkpoint table', () => {
  const stormy = (conflictRate: number) => ({ seed: 5, tables: { 'Orders-checkpoints': { conflictRate } } });

  test('are waited for, at the start and later', async () => {
    await world.close();
    world = await ConsumerWorld.open({}, stormy(0.5));
    const expected = await putOrders(5);
    const received = new Received();
    await world.start(world.consumer({ handler: received.handler }));
    await world.time.until(() => received.texts.length >= expected.length);
    await world.time.advance(120_000);
    expect(received.texts.toSorted()).toEqual([...expected].toSorted());
    const { acted } = await world.database.weatherReport();
    expect(acted['Orders-checkpoints']?.conflict).toBeGreaterThan(5);
  });

  test('that never end are reported by the start', async () => {
    await world.close();
    world = await ConsumerWorld.open({}, stormy(1));
    const start = world.time.during(world.consumer({ handler: () => undefined }).start());
    await expect(start).rejects.toMatchObject({ name: 'TransactionConflictException' });
  });
});

describe('DB-252 derived data', () => {
  test('a consumer keeps a count per customer equal to a recount, although records come more than once', async () => {
    const Counts = 'Counts';
    await world.client.send(
      new CreateTableCommand({
        TableName: Counts,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      }),
    );
    const change = { INSERT: 1, MODIFY: 0, REMOVE: -1 };
    let delivered = 0;
    const count = async ({ eventId, eventName, keys }: ChangeRecord): Promise<void> => {
      delivered += 1;
      const marker = { id: { S: `event ${eventId}` } };
      const update = {
        TableName: Counts,
        Key: { id: { S: `count ${keys['customer']?.S}` } },
        UpdateExpression: 'ADD orders :n',
        ExpressionAttributeValues: { ':n': { N: String(change[eventName]) } },
      };
      const put = { TableName: Counts, Item: marker, ConditionExpression: 'attribute_not_exists(id)' };
      await world.client
        .send(new TransactWriteItemsCommand({ TransactItems: [{ Put: put }, { Update: update }] }))
        .catch((error: unknown) => {
          // Counted before, so the record is delivered a second time.
          if ((error as Error).name !== 'TransactionCanceledException') throw error;
        });
    };
    await world.start(
      world.consumer({
        batchSize: 5,
        handler: async (records) => {
          for (const record of records) await count(record);
          if (world.random() < 0.3) throw new Error('after all the work');
        },
      }),
    );
    let writes = 0;
    for (let time = 0; time < 200; time += 1) {
      const customer = customers[Math.floor(world.random() * customers.length)] ?? '';
      const order = Math.floor(world.random() * 8);
      if (world.random() < 0.6) await world.put(customer, order, { at: { S: String((writes += 1)) } });
      else await world.remove(customer, order);
    }
    await world.time.advance(120_000);
    const { Items: orders = [] } = await world.client.send(new ScanCommand({ TableName }));
    const recount = Object.fromEntries(
      customers.map((customer) => [customer, orders.filter((item) => item['customer']?.S === customer).length]),
    );
    const { Items: counts = [] } = await world.client.send(new ScanCommand({ TableName: Counts }));
    const kept = counts.filter(({ id }) => id?.S?.startsWith('count '));
    expect(Object.fromEntries(kept.map(({ id, orders }) => [id?.S?.slice(6), Number(orders?.N)]))).toEqual(recount);
    expect(delivered).toBeGreaterThan(counts.length - kept.length);
  });
});

describe('what cannot begin says why', () => {
  test('no table', async () => {
    await expect(world.consumer({ handler: () => undefined, tableName: 'Nowhere' }).start()).rejects.toMatchObject({
      code: 'no-table',
      message: 'There is no table Nowhere.',
    });
  });

  test('no stream', async () => {
    await world.disableStream();
    await expect(world.consumer({ handler: () => undefined }).start()).rejects.toMatchObject({
      code: 'no-stream',
      message:
        'The table Orders has no stream. To switch one on: aws dynamodb update-table --table-name Orders ' +
        '--stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES',
    });
  });

  test('a table of checkpoints that is something else', async () => {
    await expect(
      world.consumer({ handler: () => undefined, checkpointTable: TableName }).start(),
    ).rejects.toMatchObject({ code: 'checkpoint-table' });
  });

  test.each([
    ['batchSize', { batchSize: 0 }],
    ['batchSize', { batchSize: 10_001 }],
    ['parallelizationFactor', { parallelizationFactor: 11 }],
    ['maximumRetryAttempts', { maximumRetryAttempts: -1 }],
    ['batchingWindowMs', { batchingWindowMs: 1.5 }],
    ['starting position', { startingPosition: new Date('never') }],
    ['filter', { filters: [{ eventName: 'INSERT' }] }],
  ])('%s out of its range', (name, options) => {
    expect(() => world.consumer({ handler: () => undefined, ...options })).toThrow(name);
  });

  test('a second start', async () => {
    const consumer = world.consumer({ handler: () => undefined });
    await world.start(consumer);
    await expect(consumer.start()).rejects.toMatchObject({ code: 'state' });
  });
});
