/** Events below `/_singlet/events`: each once, in order, over reconnections; and the reports on streams, expiry, replicas and weather. */
import { setTimeout as delay } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import * as fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { type Consumer, createConsumer } from '../src/consumer/index.ts';
import { createDatabase, type Database, type DatabaseOptions, type DatabaseServer, serve } from '../src/index.ts';
import { eventStreamsMax } from '../src/server/event-streams.ts';

interface Event {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly [member: string]: unknown };
}

let cleanUp: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of cleanUp.toReversed()) await end();
  cleanUp = [];
});

async function open(options: DatabaseOptions = {}): Promise<{ database: Database; server: DatabaseServer }> {
  const database = await createDatabase(options);
  const server = await serve(database);
  cleanUp.push(
    () => database.close(),
    () => server.close(),
  );
  return { database, server };
}

const table = (TableName: string): object => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
});

/** A client of server-sent events. */
class Listener {
  readonly events: Event[] = [];
  readonly #abort = new AbortController();
  #changed: () => void = () => undefined;
  #done: Promise<void> = Promise.resolve();

  static async open(server: DatabaseServer, query: string, lastEventId?: string): Promise<Listener> {
    const listener = new Listener();
    const response = await fetch(`${server.url}/_singlet/events${query}`, {
      signal: listener.#abort.signal,
      headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    listener.#done = listener.#read(response.body!);
    await listener.until((events) => events.some(({ event }) => event === 'open'));
    return listener;
  }

  async until(isDone: (events: readonly Event[]) => boolean): Promise<void> {
    while (!isDone(this.events)) await new Promise<void>((resolve) => (this.#changed = resolve));
  }

  of(event: string): readonly Event[] {
    return this.events.filter((one) => one.event === event);
  }

  get lastId(): string {
    return this.events.at(-1)!.id;
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.#done;
  }

  /** Resolves when the server has ended the stream. */
  ended(): Promise<void> {
    return this.#done;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const chunk of body) {
        text += decoder.decode(chunk, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) {
          const member = (name: string): string =>
            block
              .split('\n')
              .find((line) => line.startsWith(`${name}: `))
              ?.slice(name.length + 2) ?? '';
          if (member('event') === '') continue;
          this.events.push({
            id: member('id'),
            event: member('event'),
            data: JSON.parse(member('data')) as Event['data'],
          });
        }
        this.#changed();
      }
    } catch (error) {
      if (!this.#abort.signal.aborted) throw error;
    }
  }
}

const put = (pk: string, n: number): object => ({ TableName: 'Things', Item: { pk: { S: pk }, n: { N: String(n) } } });

async function request(server: DatabaseServer, action: string, input: object): Promise<void> {
  const { status } = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${action}` },
    body: JSON.stringify(input),
  });
  expect(status).toBe(200);
}

interface RecordData {
  readonly table: string;
  readonly shardId: string;
  readonly record: { readonly eventName: string; readonly dynamodb: { readonly NewImage?: { n: { N: string } } } };
}

describe('events', () => {
  test('are stream records as GetRecords has them, requests, and tables that come and go', async () => {
    const { database, server } = await open();
    await database.request('CreateTable', table('Things'));
    await database.request('PutItem', put('before', 0));
    const listener = await Listener.open(server, '?tables=Things');
    await request(server, 'PutItem', put('a', 1));
    await request(server, 'PutItem', put('a', 2));
    await request(server, 'DeleteItem', { TableName: 'Things', Key: { pk: { S: 'a' } } });
    await request(server, 'CreateTable', table('More'));
    await listener.until(() => listener.of('record').length >= 3 && listener.of('request').length >= 4);
    await listener.until(() => listener.of('table').length >= 1);
    const records = listener.of('record').map(({ data }) => (data as unknown as RecordData).record);
    expect(records.map(({ eventName }) => eventName)).toEqual(['INSERT', 'MODIFY', 'REMOVE']);
    expect(records[1]).toMatchObject({ dynamodb: { OldImage: { n: { N: '1' } }, NewImage: { n: { N: '2' } } } });
    expect(listener.of('request').map(({ data }) => data['action'])).toEqual([
      'PutItem',
      'PutItem',
      'DeleteItem',
      'CreateTable',
    ]);
    expect(listener.of('table').map(({ data }) => data)).toEqual([{ table: 'More', change: 'created' }]);
    await listener.close();
  });

  test('come each once, and those of an item in order, however often a client reconnects', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.nat({ max: 12 })), { minLength: 2, maxLength: 4 }),
        async (rounds) => {
          const { database, server } = await open();
          await database.request('CreateTable', table('Things'));
          await database.request('PutItem', put('before', 0));
          const seen: { readonly pk: string; readonly n: number }[] = [];
          let lastId: string | undefined;
          let n = 0;
          for (const [written, untilCut] of rounds) {
            const listener = await Listener.open(server, '?topics=record&tables=Things', lastId);
            for (let at = 0; at < written; at += 1) await database.request('PutItem', put(`k${(n += 1) % 5}`, n));
            const missing = n - seen.length;
            const cut = Math.min(untilCut, missing);
            await listener.until(() => listener.of('record').length >= cut);
            // Events during the reconnection are not lost, because the client reports the last one it saw.
            const taken = listener.of('record').slice(0, cut);
            await listener.close();
            lastId = taken.at(-1)?.id ?? lastId ?? listener.of('open')[0]?.id;
            seen.push(...taken.map(({ data }) => keyAndNumber(data)));
          }
          const listener = await Listener.open(server, '?topics=record&tables=Things', lastId);
          await listener.until(() => seen.length + listener.of('record').length >= n);
          await delay(250); // long enough for one more poll, which finds nothing
          seen.push(...listener.of('record').map(({ data }) => keyAndNumber(data)));
          await listener.close();
          expect(listener.of('gap')).toEqual([]);
          expect(seen.map((one) => one.n).toSorted((a, b) => a - b)).toEqual(
            Array.from({ length: n }, (_, at) => at + 1),
          );
          for (const pk of new Set(seen.map((one) => one.pk))) {
            const ofItem = seen.filter((one) => one.pk === pk).map((one) => one.n);
            expect(ofItem).toEqual(ofItem.toSorted((a, b) => a - b));
          }
        },
      ),
      { numRuns: 5 },
    );
  });

  test('of a stream that is switched on later begin with its first record', async () => {
    const { database, server } = await open();
    const listener = await Listener.open(server, '?topics=record&tables=Things');
    await database.request('CreateTable', table('Things'));
    await database.request('PutItem', put('a', 1));
    await listener.until(() => listener.of('record').length >= 1);
    await listener.close();
  });

  test('end with the server, which does not wait for them', async () => {
    const { server } = await open();
    const listener = await Listener.open(server, '');
    await server.close();
    await listener.ended();
  });

  test('are sent to so many clients, and refused to more', async () => {
    const { server } = await open();
    const listeners = [];
    for (let n = 0; n < eventStreamsMax; n += 1) listeners.push(await Listener.open(server, '?topics=request'));
    expect((await fetch(`${server.url}/_singlet/events`)).status).toBe(503);
    for (const listener of listeners) await listener.close();
    let status = 503;
    while (status === 503) {
      const end = new AbortController();
      ({ status } = await fetch(`${server.url}/_singlet/events`, { signal: end.signal }));
      end.abort();
    }
    expect(status).toBe(200);
  });

  test('tell that the weather has changed, and what to', async () => {
    const { database, server } = await open({ weather: {} });
    const listener = await Listener.open(server, '?topics=weather');
    await database.setWeather({ seed: 7, tables: { Things: { throttleRate: 0.5 } } });
    await listener.until((events) => events.some(({ event }) => event === 'weather'));
    const told = listener.events.filter(({ event }) => event === 'weather');
    expect(told).toHaveLength(1);
    expect(told[0]?.data).toMatchObject({ Forecast: { Seed: 7, Tables: { Things: { ThrottleRate: 0.5 } } } });
    await listener.close();
  });

  test.each(['?topics=none', `?tables=${Array.from({ length: 9 }, (_, n) => `T${n}`).join(',')}`])(
    'are refused for %s',
    async (query) => {
      const { server } = await open();
      expect((await fetch(`${server.url}/_singlet/events${query}`)).status).toBe(400);
    },
  );

  test('are not for pages of other sites', async () => {
    const { server } = await open();
    const headers = { origin: 'http://evil.example' };
    expect((await fetch(`${server.url}/_singlet/events`, { headers })).status).toBe(403);
  });
});

function keyAndNumber(data: Event['data']): { readonly pk: string; readonly n: number } {
  const image = (data as unknown as RecordData).record.dynamodb.NewImage as unknown as {
    pk: { S: string };
    n: { N: string };
  };
  return { pk: image.pk.S, n: Number(image.n.N) };
}

describe('reports', () => {
  async function get(server: DatabaseServer, path: string): Promise<unknown> {
    return (await fetch(`${server.url}/_singlet/${path}`)).json();
  }

  test('on time to live count what has expired and is still there', async () => {
    const clock = { now: 1_767_225_600_000 };
    const { database, server } = await open({ clock: { nowMs: () => clock.now } });
    await database.request('CreateTable', table('Things'));
    expect(await get(server, 'ttl/Things')).toMatchObject({ attributeName: null, due: 0 });
    await database.request('UpdateTimeToLive', {
      TableName: 'Things',
      TimeToLiveSpecification: { AttributeName: 'until', Enabled: true },
    });
    const seconds = clock.now / 1000;
    for (const [pk, until] of Object.entries({ a: seconds - 20, b: seconds - 10, c: seconds + 30, d: seconds + 60 })) {
      await database.request('PutItem', { TableName: 'Things', Item: { pk: { S: pk }, until: { N: String(until) } } });
    }
    expect(await get(server, 'ttl/Things')).toEqual({
      attributeName: 'until',
      isComplete: true,
      due: 2,
      isCountedToTheEnd: true,
      oldestDueEpochMs: (seconds - 20) * 1000,
      nextEpochMs: (seconds + 30) * 1000,
    });
    await database.sweepExpiredItems();
    expect(await get(server, 'ttl/Things')).toMatchObject({ isComplete: true, due: 0, oldestDueEpochMs: null });
  });

  test('on a stream tell how far its shards reach', async () => {
    const { database, server } = await open();
    await database.request('CreateTable', table('Things'));
    for (let n = 0; n < 7; n += 1) await database.request('PutItem', put(`k${n}`, n));
    const report = (await get(server, 'streams/Things')) as { shards: { records: number; hashTo: string | null }[] };
    expect(report.shards.reduce((sum, { records }) => sum + records, 0)).toBe(7);
    expect(report.shards.at(-1)?.hashTo).toBeNull();
    expect(await get(server, 'streams/None')).toMatchObject({ error: 'ResourceNotFoundException' });
  });

  test('on a stream name its readers, and what they have not read yet', async () => {
    const clock = { now: 1_767_225_600_000 };
    const { database, server } = await open({ clock: { nowMs: () => clock.now } });
    await database.request('CreateTable', table('Things'));
    const readers = async (): Promise<unknown> => {
      const report = (await get(server, 'streams/Things')) as { readonly readers: unknown };
      return report.readers;
    };
    for (let n = 0; n < 5; n += 1) await database.request('PutItem', put(`k${n}`, n));
    expect(await readers()).toEqual([]);

    let handled = 0;
    let doHandle = true;
    const started: Consumer[] = [];
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const connection = { endpoint: server.url, region: 'us-east-1', credentials };
    const consume = async (checkpointTable: string, startingPosition: 'TRIM_HORIZON' | 'LATEST'): Promise<Consumer> => {
      const consumer = createConsumer({
        dynamodb: new DynamoDBClient(connection),
        streams: new DynamoDBStreamsClient(connection),
        tableName: 'Things',
        checkpointTable,
        startingPosition,
        workerId: 'one',
        handler: async (records) => {
          if (!doHandle) throw new TypeError('not now');
          handled += records.length;
        },
      });
      started.push(consumer);
      cleanUp.push(() => consumer.stop());
      await consumer.start();
      return consumer;
    };
    await consume('everything', 'TRIM_HORIZON');
    await expect.poll(readers).toEqual([{ name: 'everything', unread: 0, behindMs: null, workers: ['one'] }]);
    expect(handled).toBe(5);

    // What is written while it cannot handle anything stays unread, and grows older.
    doHandle = false;
    await database.request('PutItem', put('late', 1));
    clock.now += 90_000;
    await database.request('PutItem', put('later', 2));
    await expect.poll(readers).toEqual([{ name: 'everything', unread: 2, behindMs: 90_000, workers: ['one'] }]);
    // A reader that begins now has nothing before it to read.
    await consume('the-new-ones', 'LATEST');
    await expect.poll(readers).toMatchObject([
      { name: 'everything', unread: 2 },
      { name: 'the-new-ones', unread: 0, behindMs: null, workers: ['one'] },
    ]);
    doHandle = true;
    await expect.poll(readers).toMatchObject([{ unread: 0, behindMs: null }, { unread: 0 }]);
    expect(handled).toBe(7);
    for (const consumer of started) await consumer.stop();
  });

  test('on replicas tell what is pending', async () => {
    const { database, server } = await open({ replicationMs: 'on-demand' });
    await database.request('CreateTable', table('Things'));
    expect(await get(server, 'replicas')).toEqual({ replicas: [] });
    await database.request('UpdateTable', {
      TableName: 'Things',
      ReplicaUpdates: [{ Create: { RegionName: 'eu-west-1' } }],
    });
    while (!(await database.replicate()).isSettled);
    await database.request('PutItem', put('a', 1));
    const { replicas } = (await get(server, 'replicas')) as { replicas: object[] };
    expect(replicas).toContainEqual(
      expect.objectContaining({ tableName: 'Things', from: 'us-east-1', to: 'eu-west-1', pendingItemCount: 1 }),
    );
  });

  test('on the weather, which can be changed where there is any', async () => {
    const { server } = await open();
    expect(await get(server, 'weather')).toMatchObject({ isPossible: false });
    const change = (url: string): Promise<Response> =>
      fetch(`${url}/_singlet/weather`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ Seed: 7, Tables: { Things: { Name: 'storm' } } }),
      });
    expect((await change(server.url)).status).toBe(400);
    const given = await open({ weather: { everywhere: 'storm', tables: { Quiet: 'clear' } } });
    expect(await get(given.server, 'weather')).toMatchObject({
      Forecast: { Everywhere: { Name: 'storm' }, Tables: { Quiet: { Name: 'clear' } } },
    });
    const stormy = await open({ weather: {} });
    expect((await change(stormy.server.url)).status).toBe(200);
    expect(await get(stormy.server, 'weather')).toMatchObject({
      isPossible: true,
      Forecast: { Seed: 7, Tables: { Things: { Name: 'storm' } } },
    });
  });
});
