import {
  CreateTableCommand,
  DynamoDBClient,
  PutItemCommand,
  type PutItemCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { connect, ksuid, tableDefinitions } from '@singlet/model';
import { check } from '@singlet/model/check';
import { measure } from '@singlet/model/cost';
import { expect, onTestFinished, test } from 'vitest';
import { observeRequests } from '../measurement/observe-requests.ts';
import { errorOf, openExample } from '../testing/example-database.ts';
import {
  capacityMode,
  chargeBack,
  type Consumption,
  events,
  gallery,
  isCollectionLarge,
  readings,
} from './capacity.ts';

interface Capacity {
  readonly CapacityUnits: number;
}

/** An hour of the traffic, in which a minute is simulated: units per second of each. */
const flat = Array.from({ length: 24 }, () => 1);
const spiky = flat.map((_, hour) => (hour === 12 ? 20 : 0.1));

/**
 * Sends a day of readings to a table that refuses what exceeds its throughput.
 * @param provisioned - write units per second; on demand without.
 * @returns the units per second that the answers of each hour report, and how many writes were refused.
 */
async function dayOf(hours: readonly number[], provisioned?: number) {
  let nowMs = Date.UTC(2026, 0);
  const { database } = await openExample(undefined, { throttle: true, clock: { nowMs: () => nowMs } });
  // One attempt: what is refused is counted, not repeated.
  const client = new DynamoDBClient({ ...database.clientConfig(), maxAttempts: 1 });
  onTestFinished(() => client.destroy());
  let consumed = 0;
  observeRequests(client, ({ output }) => {
    consumed += (output?.['ConsumedCapacity'] as Capacity | undefined)?.CapacityUnits ?? 0;
  });
  const [table] = tableDefinitions(readings);
  await client.send(
    new CreateTableCommand({
      ...table!,
      ...(provisioned === undefined
        ? { BillingMode: 'PAY_PER_REQUEST' }
        : {
            BillingMode: 'PROVISIONED',
            ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: provisioned },
          }),
    }),
  );
  const db = connect(readings, { client });
  const measured: number[] = [];
  let refused = 0;
  let sent = 0;
  const unitsOfWrite = 6;
  for (const units of hours) {
    consumed = 0;
    const writes = (units * 60) / unitsOfWrite;
    for (let n = 0; n < writes; n += 1) {
      nowMs += 60_000 / writes;
      const at = new Date(nowMs).toISOString();
      const answer = await errorOf(
        db.record({ meter: 'm1', readingId: `r${(sent += 1)}`, at, samples: 'x'.repeat(unitsOfWrite * 1024 - 100) }),
      );
      if (answer instanceof Error) {
        expect(answer.name).toBe('ProvisionedThroughputExceededException');
        refused += 1;
      }
    }
    measured.push(consumed / 60);
  }
  return { measured, refused };
}

test('S-70 a measured day decides: on demand for bursts, provisioned for an even load', async () => {
  const even = await dayOf(flat);
  const bursts = await dayOf(spiky);
  expect([even.refused, bursts.refused]).toEqual([0, 0]);
  expect(even.measured.every((units) => Math.abs(units - 1) < 0.05)).toBe(true);
  expect(Math.max(...bursts.measured)).toBeCloseTo(20, 0);
  expect([capacityMode(even.measured), capacityMode(bursts.measured)]).toEqual(['provisioned', 'on demand']);

  // What the even load needs at its busiest serves it. The average of the bursts does not serve them.
  const average = Math.ceil(bursts.measured.reduce((sum, units) => sum + units, 0) / 24);
  expect((await dayOf(flat, Math.ceil(Math.max(...even.measured)))).refused).toBe(0);
  expect((await dayOf(spiky, average)).refused).toBeGreaterThan(100);
  expect((await dayOf(spiky, Math.ceil(Math.max(...bursts.measured)))).refused).toBe(0);
});

test('S-77 the list takes one page of the index, and seven or more of the table', async () => {
  const { client, operations } = await openExample(gallery);
  const db = connect(gallery, { client });
  const image = new Uint8Array(350 * 1024);
  for (let n = 10; n < 30; n += 1) await db.upload({ album: 'a1', pictureId: `p${n}`, title: `No. ${n}`, image });
  operations();
  expect((await db.list({ album: 'a1' })).items[0]).toEqual({ pictureId: 'p10', title: 'No. 10' });
  expect(operations()).toEqual(['Query']);
  let pictures = 0;
  for await (const _ of db.whole.each({ album: 'a1' })) pictures += 1;
  expect(pictures).toBe(20);
  expect(operations().length).toBeGreaterThanOrEqual(7);
  expect((await db.picture({ album: 'a1', pictureId: 'p10' }))?.image.length).toBe(image.length);
});

test('S-78 ten shards are written evenly, and read like one', async () => {
  const { client, operations, stored } = await openExample(events);
  const db = connect(events, { client });
  const made = Array.from({ length: 1000 }, (_, n) => ({
    eventId: `e${n}`,
    day: '2020-10-19',
    at: new Date(Date.UTC(2020, 9, 19) + ((n * 7919) % 86_400) * 1000).toISOString(),
  }));
  await Promise.all(made.map(async (event) => await db.record(event)));
  const shards = new Map<unknown, number>();
  for (const { GSI1PK } of await stored('Events', 'GSI1')) shards.set(GSI1PK, (shards.get(GSI1PK) ?? 0) + 1);
  expect(shards.size).toBe(10);
  expect([...shards.values()].filter((count) => count < 70 || count > 130)).toEqual([]);

  const read = async (pattern: 'ofDay' | 'ofDayUnsharded') => {
    const ids: string[] = [];
    for await (const { eventId } of db[pattern].each({ day: '2020-10-19' })) ids.push(eventId);
    return ids;
  };
  const unsharded = await read('ofDayUnsharded');
  expect(unsharded).toHaveLength(1000);
  expect(await read('ofDay')).toEqual(unsharded);
  operations();
  await db.ofDay({ day: '2020-10-19' });
  expect(operations()).toHaveLength(10);

  // In one partition, five thousand a second are too many.
  const { GSI1: _, ...rest } = events.keys.Event;
  const hot = { ...events, keys: { Event: { ...rest, GSI1: ['EVENTS', '{at:utc}#{eventId}'] } } } as never;
  expect(check(hot).findings.map(({ code }) => code)).toContain('hot-partition');
  expect(check(events).findings.map(({ code, path }) => [code, path])).not.toContainEqual([
    'hot-partition',
    'keys.Event.GSI1',
  ]);
});

test('S-79 the units of each pattern and of each tenant are measured', async () => {
  const { client, requests } = await openExample(gallery);
  const db = connect(gallery, { client });
  const image = new Uint8Array(6 * 1024);
  for (const album of ['anna', 'berta', 'anna']) {
    await db.upload({ album, pictureId: ksuid().toLowerCase(), title: 'Sea', image });
  }
  for (const album of ['anna', 'berta']) await db.list({ album });
  const consumed = requests().map(({ input, output }): Consumption => {
    const text = JSON.stringify(input);
    const { CapacityUnits } = output!['ConsumedCapacity'] as Capacity;
    return { tenant: text.includes('ALBUM#anna') ? 'anna' : 'berta', units: CapacityUnits };
  });
  const totals = chargeBack(consumed);
  const total = consumed.reduce((sum, { units }) => sum + units, 0);
  expect([...totals.values()].reduce((sum, units) => sum + units, 0)).toBe(total);
  expect(totals.get('anna')).toBeGreaterThan(totals.get('berta')!);

  // One call of each pattern, on average: ten times the traffic is ten times the units.
  const picture = await measure(gallery, 'picture', { album: 'anna', pictureId: 'none' }, { client });
  const list = await measure(gallery, 'list', { album: 'anna' }, { client });
  const report = [picture, list].map(({ readUnits }) => [readUnits, 10 * readUnits, 100 * readUnits]);
  expect(report).toEqual([
    [0.5, 5, 50],
    [0.5, 5, 50],
  ]);
});

test('S-80 the alarm is raised before the first write is refused', async () => {
  const itemCollectionBytesMax = 20_000;
  const { client } = await openExample(undefined, { limits: { itemCollectionBytesMax } });
  const attribute = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' as const });
  const sortedBy = (sort: string) => [
    { AttributeName: 'pk', KeyType: 'HASH' as const },
    { AttributeName: sort, KeyType: 'RANGE' as const },
  ];
  await client.send(
    new CreateTableCommand({
      TableName: 'Orders',
      AttributeDefinitions: ['pk', 'sk', 'at'].map(attribute),
      KeySchema: sortedBy('sk'),
      LocalSecondaryIndexes: [
        { IndexName: 'ByTime', KeySchema: sortedBy('at'), Projection: { ProjectionType: 'ALL' } },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  // DynamoDB estimates in gigabytes. Below one gigabyte the writer keeps count.
  const gigabyte = 1024 ** 3;
  const text = 'x'.repeat(900);
  let bytes = 0;
  let alarmAt: number | undefined;
  const put = async (n: number) => {
    const Item = { pk: { S: 'customer' }, sk: { S: `order${n}` }, at: { S: `2020#${n}` }, text: { S: text } };
    return await client.send(new PutItemCommand({ TableName: 'Orders', Item, ReturnItemCollectionMetrics: 'SIZE' }));
  };
  let written = 0;
  for (; ; written += 1) {
    const answer = await errorOf(put(written));
    if (answer instanceof Error) {
      expect(answer.name).toBe('ItemCollectionSizeLimitExceededException');
      break;
    }
    const { ItemCollectionMetrics } = (answer as { readonly resolved: PutItemCommandOutput }).resolved;
    expect(ItemCollectionMetrics?.ItemCollectionKey).toEqual({ pk: { S: 'customer' } });
    const [atLeast = 0] = ItemCollectionMetrics?.SizeEstimateRangeGB ?? [];
    bytes += 2 * (text.length + 30); // the item, and its entry in the index
    const size = Math.max(bytes, atLeast * gigabyte);
    if (alarmAt === undefined && isCollectionLarge(size, itemCollectionBytesMax)) alarmAt = written;
  }
  expect(alarmAt).toBeLessThan(written);
});
