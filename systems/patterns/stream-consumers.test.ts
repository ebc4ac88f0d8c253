import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { connect } from '@singlet/model';
import { expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../clock.ts';
import { consume, eventually } from '../testing/consume.ts';
import { openExample } from '../testing/example-database.ts';
import { HybridStores, orderChangeOf } from './hybrid-database.ts';
import { notifying, paidOrders } from './notifications.ts';
import { addOnce, addToTotals, addToWindows, orderRates, orders } from './stream-consumers.ts';

const statuses = ['open', 'paid', 'shipped', 'closed'] as const;

const openOrders = async () => {
  const example = await openExample(orders);
  const db = connect(orders, { client: example.client, pause: async () => undefined });
  const save = async (order: string, amount = 1, status: (typeof statuses)[number] = 'open') =>
    await db.save({ order, status, amount });
  return { example, db, save };
};

test('P-30 totals equal a recount after 10,000 writes, updates and deletes, some of them delivered twice', async () => {
  const { example, db } = await openOrders();
  const seen = new Set<string>();
  let batches = 0;
  await consume(example, 'Orders', async (records, { shardId }) => {
    await addToTotals(db, shardId, records);
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

test('P-31 counts per minute are right by a scripted clock, although some batches are delivered twice', async () => {
  const clock = new ManualClock('2020-10-19T09:00:30Z');
  const example = await openExample(orders, { clock });
  const rates = await openExample(orderRates, { clock });
  const db = connect(orders, { client: example.client });
  const windows = connect(orderRates, { client: rates.client, now: () => clock.nowMs() });
  const seen = new Set<string>();
  let batches = 0;
  await consume(example, 'Orders', async (records, { shardId }) => {
    await addToWindows(windows, shardId, records);
    for (const { eventId } of records) seen.add(eventId);
    batches += 1;
    if (batches % 2 === 0) throw new Error('lost before the checkpoint');
  });
  const minute = Date.parse('2020-10-19T09:00:00Z') / 1000;
  for (const [index, count] of [3, 0, 5].entries()) {
    clock.setToEpochSeconds(minute + 60 * index + 30);
    for (let n = 0; n < count; n += 1) await db.save({ order: `o${index}x${n}`, status: 'open', amount: 1 });
  }
  await eventually(() => expect(seen.size).toBe(8));
  const tumbling = async (startsAt: number) => (await windows.tumbling({ feed: 'orders', startsAt }))?.orders ?? 0;
  const sliding = async (from: number) => {
    const { items } = await windows.sliding({ feed: 'orders', startsAt: { from, to: minute + 120 } });
    return items.reduce((sum, { orders: count }) => sum + count, 0);
  };
  expect([await tumbling(minute), await tumbling(minute + 60), await tumbling(minute + 120)]).toEqual([3, 0, 5]);
  rates.operations();
  expect([await sliding(minute + 60), await sliding(minute)]).toEqual([5, 8]);
  // One Query each; what else there is are reads of positions, by batches that are handed over again.
  expect(rates.operations().filter((operation) => operation !== 'GetItem')).toEqual(['Query', 'Query']);
});

test('P-32 a SQL table and a text index follow inserts, updates and deletes, and a replay gives the same result', async () => {
  const { example, db, save } = await openOrders();
  const follow = async (checkpointTable: string) => {
    const stores = await HybridStores.open();
    onTestFinished(() => stores.close());
    let seen = 0;
    await consume(
      example,
      'Orders',
      async (records) => {
        for (const record of records) {
          // Twice: a record that is delivered again has the same effect.
          await stores.apply(orderChangeOf(record));
          await stores.apply(orderChangeOf(record));
        }
        seen += records.length;
      },
      { checkpointTable },
    );
    return { stores, seen: () => seen };
  };
  const byStatus = 'select status, count(*)::int, sum(amount)::int from orders group by all order by all';
  const live = await follow('live');
  await save('a');
  await save('b', 3);
  await save('b', 5, 'paid');
  await save('c', 7, 'paid');
  await db.remove({ order: 'a' });
  await eventually(() => expect(live.seen()).toBe(5));
  expect([live.stores.search('open'), live.stores.search('PAI')]).toEqual([[], ['ORDER#b', 'ORDER#c']]);
  expect(await live.stores.query(byStatus)).toEqual([['paid', 2, 12]]);
  const replay = await follow('replay');
  await eventually(() => expect(replay.seen()).toBe(5));
  expect([replay.stores.search('open'), replay.stores.search('paid')]).toEqual([[], ['ORDER#b', 'ORDER#c']]);
  expect(await replay.stores.query(byStatus)).toEqual([['paid', 2, 12]]);
});

test('P-33 shards are read in parallel, and the changes of each item in order', async () => {
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

test('P-34 only matching changes are sent, with retries, once for each event', async () => {
  const { example, save } = await openOrders();
  const notified = new Map<string, string>();
  let attempts = 0;
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      attempts += 1;
      response.statusCode = attempts === 1 ? 503 : 204;
      const { text } = JSON.parse(Buffer.concat(chunks).toString()) as { text: string };
      const id = String(request.headers['webhook-id']);
      if (attempts > 1 && !notified.has(id)) notified.set(id, text);
      // The answer to the second call is lost: the sender has to repeat it.
      if (attempts === 2) response.destroy();
      else response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
  });
  const webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/paid`;
  await consume(example, 'Orders', notifying(webhook), { filters: [paidOrders] });
  for (const order of ['a', 'b', 'c']) await save(order);
  await save('a', 1, 'paid');
  await save('b', 2);
  await save('c', 1, 'paid');
  await save('c', 1, 'shipped');
  await eventually(() => expect([...notified.values()].sort()).toEqual(['a is paid', 'c is paid']));
  await eventually(() => expect(attempts).toBeGreaterThanOrEqual(4));
  expect(notified.size).toBe(2);
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
  // The stream keeps a record for a day.
  const expiresAt = Math.floor(Date.now() / 1000) + 2 * 86_400;
  let deliveries = 0;
  await consume(example, 'Orders', async (records, { failureCount }) => {
    for (const record of records) await addOnce(db, record, expiresAt);
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
