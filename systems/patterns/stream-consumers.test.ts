import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { connect, type RuleError, transact } from '@singlet/model';
import { expect, test } from 'vitest';
import { ManualClock } from '../clock.ts';
import { type Change, consume, eventually } from '../testing/consume.ts';
import { errorOf, openExample } from '../testing/example-database.ts';
import { deltasOf, MinuteWindows, orders, TextIndex } from './stream-consumers.ts';

const statuses = ['open', 'paid', 'shipped', 'closed'] as const;

const openOrders = async () => {
  const example = await openExample(orders);
  const db = connect(orders, { client: example.client, pause: async () => undefined });
  const save = async (order: string, amount = 1, status: (typeof statuses)[number] = 'open') =>
    await db.save({ order, status, amount });
  return { example, db, save };
};

/** P-36 One side of a change, counted once: an event that was counted before is ignored. */
const counter =
  (db: Awaited<ReturnType<typeof openOrders>>['db']) =>
  async ({ eventId, newImage, oldImage }: Change) => {
    const sides = [
      { image: oldImage, count: -1, side: 'old' },
      { image: newImage, count: 1, side: 'new' },
    ];
    for (const { image, count, side } of sides) {
      if (image === undefined) continue;
      const once = {
        eventId: `${eventId}${side}`.toLowerCase(),
        expiresAt: Math.floor(Date.now() / 1000) + 2 * 86_400,
      };
      const by = count * Number(image['amount']);
      const counted = db.move({ once, from: { status: String(image['status']), count, by } });
      const error = await errorOf(counted);
      if (error instanceof Error && (error as RuleError).code !== 'already-exists') throw error;
    }
  };

const saved = (image: Change['newImage']) =>
  image === undefined ? undefined : { status: String(image['status']), amount: Number(image['amount']) };

test('P-30 totals are those of a recount, after 10,000 writes, updates and deletes, some handed over twice', async () => {
  const { example, db } = await openOrders();
  const seen = new Set<string>();
  let batches = 0;
  await consume(example, 'Orders', async (records, { shardId }) => {
    const reached = (await db.position({ shard: shardId }))?.sequence ?? '';
    const fresh = records.filter(({ sequenceNumber }) => sequenceNumber.padStart(40, '0') > reached);
    const sequence = fresh.at(-1)?.sequenceNumber.padStart(40, '0');
    if (sequence !== undefined) {
      const deltas = deltasOf(
        fresh.map(({ oldImage, newImage }) => ({ before: saved(oldImage), after: saved(newImage) })),
      );
      await transact(db, [db.advance.op({ shard: shardId, sequence }), ...deltas.map((delta) => db.addTo.op(delta))]);
    }
    for (const { eventId } of records) seen.add(eventId);
    batches += 1;
    if (batches % 10 === 0) throw new Error('lost before the checkpoint');
  });
  const documents = DynamoDBDocumentClient.from(example.client);
  let seed = 1;
  const next = (below: number) => (seed = (seed * 48_271) % 0x7fff_ffff) % below;
  const there = new Map<string, { readonly status: string; readonly amount: number }>();
  let changes = 0;
  for (let batch = 0; batch < 400; batch += 1) {
    const requests = Array.from({ length: 25 }, (_, n) => {
      const order = `o${25 * next(40) + n}`;
      const key = { PK: `ORDER#${order}`, SK: `ORDER#${order}` };
      if (there.has(order) && next(4) === 0) {
        there.delete(order);
        return { DeleteRequest: { Key: key } };
      }
      const saving = { order, status: statuses[next(4)] ?? 'open', amount: 25 * batch + n };
      there.set(order, saving);
      return { PutRequest: { Item: { ...key, ...saving, Type: 'Order' } } };
    });
    changes += requests.length;
    await documents.send(new BatchWriteCommand({ RequestItems: { Orders: requests } }));
  }
  await eventually(() => expect(seen.size).toBe(changes));
  const items = await example.stored('Orders');
  expect(items).toHaveLength(there.size);
  for (const status of statuses) {
    const counted = items.filter((item) => item['status'] === status);
    const sum = counted.reduce((total, item) => total + Number(item['amount']), 0);
    expect(await db.total({ status })).toEqual({ status, orders: counted.length, sum });
  }
});

test('P-31 counts of a minute by a scripted clock', async () => {
  const clock = new ManualClock('2020-10-19T09:00:30Z');
  const example = await openExample(orders, { clock });
  const db = connect(orders, { client: example.client });
  const windows = new MinuteWindows();
  let seen = 0;
  await consume(example, 'Orders', (records) => {
    for (const { createdAtEpochSeconds } of records) windows.record(createdAtEpochSeconds);
    seen += records.length;
  });
  const minute = Date.parse('2020-10-19T09:00:00Z') / 1000;
  for (const [index, count] of [3, 0, 5].entries()) {
    clock.setToEpochSeconds(minute + 60 * index + 30);
    for (let n = 0; n < count; n += 1) await db.save({ order: `o${index}x${n}`, status: 'open', amount: 1 });
  }
  await eventually(() => expect(seen).toBe(8));
  expect([0, 1, 2].map((index) => windows.tumbling(minute + 60 * index))).toEqual([3, 0, 5]);
  expect(windows.sliding(minute + 120, 2)).toBe(5);
  expect(windows.sliding(minute + 120, 3)).toBe(8);
});

test('P-32 a text index sees inserts, updates and deletes, and a replay gives the same', async () => {
  const { example, db, save } = await openOrders();
  const index = async (checkpointTable: string) => {
    const texts = new TextIndex();
    let seen = 0;
    await consume(
      example,
      'Orders',
      (records) => {
        for (const { keys, newImage } of records) {
          texts.set(
            String(keys['PK']),
            newImage === undefined ? undefined : `Order ${String(newImage['order'])}: ${String(newImage['status'])}`,
          );
        }
        seen += records.length;
      },
      { checkpointTable },
    );
    return { texts, seen: () => seen };
  };
  const live = await index('live');
  await save('a');
  await save('b');
  await save('b', 1, 'paid');
  await db.remove({ order: 'a' });
  await eventually(() => expect(live.seen()).toBe(4));
  expect([live.texts.search('open'), live.texts.search('PAID')]).toEqual([[], ['ORDER#b']]);
  const replay = await index('replay');
  await eventually(() => expect(replay.seen()).toBe(4));
  expect([replay.texts.search('open'), replay.texts.search('paid')]).toEqual([[], ['ORDER#b']]);
});

test('P-33 shards are read side by side, and each item in order', async () => {
  const { example, save } = await openOrders();
  const seen = new Map<string, number[]>();
  const atOnce = new Set<string>();
  let most = 0;
  const release: (() => void)[] = [];
  await consume(example, 'Orders', async (records, { shardId }) => {
    atOnce.add(shardId);
    most = Math.max(most, atOnce.size);
    // The first batches wait for those of the other shards: a single worker would deadlock.
    if (most < 4) await new Promise<void>((resolve) => release.push(resolve));
    else release.splice(0).forEach((each) => each());
    for (const { newImage } of records) {
      const order = String(newImage?.['order']);
      seen.set(order, [...(seen.get(order) ?? []), Number(newImage?.['amount'])]);
    }
    atOnce.delete(shardId);
  });
  for (let amount = 1; amount <= 5; amount += 1) {
    for (let n = 0; n < 30; n += 1) await save(`o${n}`, amount);
  }
  await eventually(() => expect([...seen.values()].flat()).toHaveLength(150));
  expect(most).toBe(4);
  expect([...seen.values()].every((amounts) => amounts.join() === '1,2,3,4,5')).toBe(true);
});

test('P-34 only what matches is notified, with retries, once for each event', async () => {
  const { example, save } = await openOrders();
  const notified = new Map<string, string>();
  let attempts = 0;
  const notify = (eventId: string, text: string): void => {
    attempts += 1;
    if (attempts === 1) throw new Error('the webhook does not answer');
    if (!notified.has(eventId)) notified.set(eventId, text);
  };
  await consume(
    example,
    'Orders',
    (records) => {
      for (const { eventId, newImage } of records) notify(eventId, `${String(newImage?.['order'])} is paid`);
    },
    {
      filters: [
        {
          eventName: ['MODIFY'],
          dynamodb: { NewImage: { status: { S: ['paid'] } }, OldImage: { status: { S: ['open'] } } },
        },
      ],
    },
  );
  for (const order of ['a', 'b', 'c']) await save(order);
  await save('a', 1, 'paid');
  await save('b', 2);
  await save('c', 1, 'paid');
  await save('c', 1, 'shipped');
  await eventually(() => expect(notified.size).toBe(2));
  expect([...notified.values()].sort()).toEqual(['a is paid', 'c is paid']);
  expect(attempts).toBe(3);
});

test('P-35 a slow subscriber does not delay another', async () => {
  const { example, save } = await openOrders();
  let fast = 0;
  let slow = 0;
  let release = (): void => undefined;
  const blocked = new Promise<void>((resolve) => (release = resolve));
  await consume(
    example,
    'Orders',
    async (records) => {
      await blocked;
      slow += records.length;
    },
    { checkpointTable: 'slow' },
  );
  await consume(example, 'Orders', (records) => void (fast += records.length), { checkpointTable: 'fast' });
  for (let n = 0; n < 20; n += 1) await save(`o${n}`);
  await eventually(() => expect(fast).toBe(20));
  expect(slow).toBe(0);
  release();
  await eventually(() => expect(slow).toBe(20));
});

test('P-36 a batch that is delivered three times has its effect once', async () => {
  const { example, db, save } = await openOrders();
  const count = counter(db);
  let deliveries = 0;
  await consume(example, 'Orders', async (records, { failureCount }) => {
    for (const record of records) await count(record);
    deliveries += 1;
    if (failureCount < 2) throw new Error('lost after the work was done');
  });
  await save('a', 7);
  await eventually(() => expect(deliveries).toBe(3));
  expect(await db.total({ status: 'open' })).toEqual({ status: 'open', orders: 1, sum: 7 });
  // The marker outlives the stream, which keeps a record for a day.
  const [marker] = (await example.stored('Totals')).filter(({ Type }) => Type === 'Done');
  expect(Number(marker?.['expiresAt']) - Date.now() / 1000).toBeGreaterThan(86_400);
});
