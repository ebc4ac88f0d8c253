import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openSink } from '../src/cli/sinks/open-sink.ts';
import type { Sink } from '../src/cli/sinks/sink.ts';
import { sinkLocationOf } from '../src/cli/sinks/sink-location.ts';
import { type BatchResponse, type ChangeRecord, createConsumer } from '../src/consumer/index.ts';
import { createDatabase, type Database, serve } from '../src/index.ts';
import { findPostgres, noPostgres, PostgresServer } from '../src/storage/postgres/testing/postgres-server.ts';
import { SingletProcess } from './singlet-process.ts';

/** Sinks of `singlet consume --to`, with records of a real stream: against real servers, or servers that implement the needed part of a protocol. */

let database: Database;
let folder: string;
let closing: (() => Promise<void>)[];

beforeEach(async () => {
  database = await createDatabase();
  folder = await mkdtemp(join(tmpdir(), 'singlet-sinks-'));
  closing = [];
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  await database.request('CreateTable', {
    TableName: 'Orders',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'N' },
    ],
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
});

afterEach(async () => {
  for (const close of closing.toReversed()) await close();
  vi.unstubAllEnvs();
  await database.close();
  await rm(folder, { recursive: true });
});

async function put(sk: number, attributes: object = {}): Promise<void> {
  await database.request('PutItem', {
    TableName: 'Orders',
    Item: { pk: { S: 'a' }, sk: { N: `${sk}` }, ...attributes },
  });
}

async function remove(sk: number): Promise<void> {
  await database.request('DeleteItem', { TableName: 'Orders', Key: { pk: { S: 'a' }, sk: { N: `${sk}` } } });
}

/** The given number of stream records, in order: all items have one partition key. */
async function changes(count: number): Promise<readonly ChangeRecord<unknown>[]> {
  const records: ChangeRecord<unknown>[] = [];
  const consumer = createConsumer<unknown>({
    dynamodb: new DynamoDBClient(database.clientConfig()),
    streams: new DynamoDBStreamsClient(database.clientConfig()),
    tableName: 'Orders',
    handler: (batch) => void records.push(...batch),
  });
  await consumer.start();
  await expect.poll(() => records).toHaveLength(count);
  await consumer.stop();
  return records;
}

async function open(to: string, secret?: string): Promise<Sink> {
  const sink = await openSink(sinkLocationOf(to), { secret, timeoutMs: 30_000, region: 'eu-west-1' });
  closing.push(() => sink.close());
  return sink;
}

const context = {
  streamArn: 'arn:aws:dynamodb:eu-west-1:000000000000:table/Orders/stream/x',
  shardId: 's1',
  failureCount: 0,
};

async function deliver(sink: Sink, records: readonly ChangeRecord<unknown>[]): Promise<BatchResponse | void> {
  return await sink.handler(records, context);
}

interface Asked {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server that answers as configured, and records its requests. */
async function protocolServer(
  answer: (asked: Asked) => { readonly status?: number; readonly body: string },
): Promise<{ readonly url: string; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const call = { url: request.url ?? '', headers: request.headers, body };
      asked.push(call);
      const { status = 200, body: text } = answer(call);
      response.writeHead(status, { 'content-type': text.startsWith('<') ? 'text/xml' : 'application/json' }).end(text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

describe('a table of PostgreSQL', () => {
  const programs = findPostgres();

  const without = programs === undefined ? ` (${noPostgres})` : '';

  test.skipIf(programs === undefined)(`has the items as they are, whatever comes again${without}`, async () => {
    const server = await PostgresServer.start(programs!);
    closing.push(() => server.dispose());
    const client = await server.client();
    closing.push(() => client.end());
    await put(1, { total: { N: '12345678901234567890.5' }, tags: { SS: ['x', 'y'] } });
    await put(1, { total: { N: '7' } });
    await put(2, { note: { S: 'gone soon' } });
    await remove(2);
    await put(3, { note: { S: 'a\u0000b' } });
    await put(4);
    const records = await changes(6);
    const url = `${server.url('public').replace('?schema=public', '')}?table=orders`;
    const sink = await open(url);
    const rows = async (): Promise<unknown> =>
      (await client.query("select keys, item from orders order by keys->'sk'")).rows;
    await deliver(sink, records.slice(0, 1));
    const [total] = (await client.query<{ total: string }>("select item->>'total' as total from orders")).rows;
    expect(total).toEqual({ total: '12345678901234567890.5' });
    // PostgreSQL has no U+0000 in texts: the text before it is written, and a message names it.
    const poison = records[4]!;
    expect(await deliver(sink, records)).toEqual({ batchItemFailures: [{ itemIdentifier: poison.sequenceNumber }] });
    await expect(deliver(sink, [poison])).rejects.toThrow('unsupported Unicode escape sequence');
    await deliver(sink, records.slice(5));
    const expected = [
      { keys: { pk: 'a', sk: 1 }, item: { pk: 'a', sk: 1, total: 7 } },
      { keys: { pk: 'a', sk: 2 }, item: null },
      { keys: { pk: 'a', sk: 4 }, item: { pk: 'a', sk: 4 } },
    ];
    expect(await rows()).toEqual(expected);
    // A worker that is late, or starts again, restores nothing.
    for (const record of records.slice(0, 4).toReversed()) await deliver(sink, [record]);
    expect(await rows()).toEqual(expected);
  });

  test('that cannot be reached is said at once', async () => {
    await expect(open('postgres://x@127.0.0.1:1/shop?table=orders')).rejects.toThrow(
      'Changes cannot be written to PostgreSQL: connect ECONNREFUSED',
    );
  });
});

describe('a search index', () => {
  /** Documents by id. Refuses those that match `refused`. */
  function searchServer(refused: (document: object) => number | undefined) {
    const documents = new Map<string, object>();
    const answer = ({ body }: Asked): { body: string } => {
      const lines = body.trim().split('\n');
      const items: object[] = [];
      let errors = false;
      for (let at = 0; at < lines.length; at += 1) {
        const action = JSON.parse(lines[at]!) as Record<string, { _id: string }>;
        if (action['delete'] !== undefined) {
          items.push({ delete: { status: documents.delete(action['delete']._id) ? 200 : 404 } });
          continue;
        }
        const document = JSON.parse(lines[(at += 1)]!) as object;
        const status = refused(document);
        errors ||= status !== undefined;
        if (status === undefined) documents.set(action['index']!._id, document);
        items.push({ index: { status: status ?? 201, ...(status !== undefined && { error: { type: 'refused' } }) } });
      }
      return { body: JSON.stringify({ took: 1, errors, items }) };
    };
    return { documents, answer };
  }

  test('has a document for each item, and none for those that were deleted', async () => {
    let status: number | undefined = 429;
    const { documents, answer } = searchServer((document) => ('bad' in document ? status : undefined));
    const server = await protocolServer(answer);
    await put(1, { title: { S: 'first' } });
    await put(1, { title: { S: 'second' } });
    await put(2);
    await remove(2);
    await put(3, { bad: { BOOL: true } });
    const records = await changes(5);
    const sink = await open(`opensearch+${server.url}/orders`, 'user:a-long-password');
    // No capacity, so the whole batch is retried.
    await expect(deliver(sink, records)).rejects.toThrow('The search index refused a document (429)');
    status = 400;
    const failed = { batchItemFailures: [{ itemIdentifier: records[4]?.sequenceNumber }] };
    expect(await deliver(sink, records)).toEqual(failed);
    expect(await deliver(sink, records)).toEqual(failed);
    expect([...documents.values()]).toEqual([{ pk: 'a', sk: 1, title: 'second' }]);
    expect(server.asked[0]).toMatchObject({
      url: '/orders/_bulk',
      headers: { authorization: `Basic ${Buffer.from('user:a-long-password').toString('base64')}` },
    });
  });

  test('that answers with an error has taken nothing', async () => {
    const server = await protocolServer(() => ({ status: 401, body: '{}' }));
    await put(1);
    await expect(deliver(await open(`opensearch+${server.url}/orders`), await changes(1))).rejects.toThrow(
      'The search index answered 401.',
    );
  });
});

describe('files of Parquet', () => {
  async function rowsOf(sql: string): Promise<readonly unknown[]> {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const reader = await connection.runAndReadAll(sql);
    const rows = reader.getRowObjectsJson();
    connection.closeSync();
    return rows;
  }

  test('have a row for each change, and the same file for a batch that comes again', async () => {
    await put(1, { total: { N: '12345678901234567890.5' } });
    await remove(1);
    await put(2);
    const records = await changes(3);
    const sink = await open(`parquet:${join(folder, 'lake')}`);
    for (let times = 0; times < 2; times += 1) {
      await deliver(sink, records.slice(0, 2));
      await deliver(sink, records.slice(2));
    }
    const [day = ''] = await readdir(join(folder, 'lake'));
    expect(day).toMatch(/^dt=\d{4}-\d{2}-\d{2}$/);
    expect(await readdir(join(folder, 'lake', day))).toHaveLength(2);
    const files = join(folder, 'lake', '*', '*.parquet');
    expect(
      await rowsOf(
        `select event_name, event_id, keys->>'sk' as sk, new_image, old_image is null as is_new, epoch_ms(changed_at) as ms
           from '${files}' order by sequence_number::hugeint`,
      ),
    ).toEqual(
      records.map(({ eventName, eventId, createdAtEpochSeconds }, at) => ({
        event_name: eventName,
        event_id: eventId,
        sk: ['1', '1', '2'][at],
        new_image: ['{"pk":"a","sk":1,"total":12345678901234567890.5}', null, '{"pk":"a","sk":2}'][at],
        is_new: eventName === 'INSERT',
        ms: String(createdAtEpochSeconds * 1000),
      })),
    );
  });

  test('are written by the command, continuously', async () => {
    const server = await serve(database);
    closing.push(() => server.close());
    await put(1);
    const consumer = new SingletProcess(['consume', 'Orders', '--endpoint', server.url, '--to', 'parquet:lake'], {
      cwd: folder,
    });
    closing.push(async () => void (await consumer.end('SIGKILL')));
    const count = async (): Promise<unknown> => {
      const [day] = await readdir(join(folder, 'lake')).catch(() => []);
      const files = day === undefined ? [] : await readdir(join(folder, 'lake', day));
      if (!files.some((name) => name.endsWith('.parquet'))) return 0;
      const [row] = await rowsOf(`select count(*)::int as n from '${join(folder, 'lake', '*', '*.parquet')}'`);
      return (row as { readonly n: unknown }).n;
    };
    await expect.poll(count).toBe(1);
    await put(2);
    await expect.poll(count).toBe(2);
    expect((await consumer.end('SIGTERM')).code).toBe(0);
  });
});

describe('queues and topics', () => {
  interface Entry {
    readonly Id: string;
    readonly MessageBody: string;
    readonly MessageGroupId?: string;
    readonly MessageDeduplicationId?: string;
  }
  const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

  test('a queue gets each change, in batches of ten, and what it refuses is named', async () => {
    const refused = new Set<string>();
    const server = await protocolServer(({ body }) => {
      const { Entries } = JSON.parse(body) as { readonly Entries: readonly Entry[] };
      const isRefused = ({ MessageBody }: Entry): boolean => [...refused].some((text) => MessageBody.includes(text));
      return {
        body: JSON.stringify({
          Successful: Entries.filter((each) => !isRefused(each)).map(({ Id, MessageBody }) => ({
            Id,
            MessageId: Id,
            MD5OfMessageBody: md5(MessageBody),
          })),
          Failed: Entries.filter(isRefused).map(({ Id }) => ({
            Id,
            SenderFault: true,
            Code: 'InvalidMessageContents',
          })),
        }),
      };
    });
    for (let sk = 1; sk <= 12; sk += 1) await put(sk, { note: { S: `note-${sk}.` } });
    const records = await changes(12);
    const sink = await open(`sqs+${server.url}/000000000000/orders.fifo`);
    expect(await deliver(sink, records)).toBeUndefined();
    const batches = server.asked.map(
      ({ body }) => (JSON.parse(body) as { Entries: Entry[]; QueueUrl: string }).Entries,
    );
    expect(batches.map((batch) => batch.length)).toEqual([10, 2]);
    const entries = batches.flat();
    expect(entries.map(({ MessageDeduplicationId }) => MessageDeduplicationId)).toEqual(
      records.map(({ eventId }) => eventId),
    );
    expect(new Set(entries.map(({ MessageGroupId }) => MessageGroupId)).size).toBe(12);
    expect(JSON.parse(entries[0]!.MessageBody)).toMatchObject({
      eventName: 'INSERT',
      eventSourceARN: context.streamArn,
    });
    refused.add('note-5.');
    expect(await deliver(sink, records)).toEqual({
      batchItemFailures: [{ itemIdentifier: records[4]?.sequenceNumber }],
    });
    await expect(deliver(sink, records.slice(4))).rejects.toThrow('A message was not accepted: InvalidMessageContents');
  });

  test('a topic gets each change', async () => {
    const server = await protocolServer(({ body }) => {
      const ids = [...new URLSearchParams(body)].flatMap(([name, value]) => (name.endsWith('.Id') ? [value] : []));
      const members = ids.map((id) => `<member><Id>${id}</Id><MessageId>${id}</MessageId></member>`).join('');
      return {
        body: `<PublishBatchResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishBatchResult><Failed/><Successful>${members}</Successful></PublishBatchResult></PublishBatchResponse>`,
      };
    });
    await put(1);
    await remove(1);
    const records = await changes(2);
    const topic = 'arn:aws:sns:eu-west-1:000000000000:orders';
    expect(await deliver(await open(`sns+${server.url}/${topic}`), records)).toBeUndefined();
    const form = new URLSearchParams(server.asked[0]?.body);
    expect(form.get('TopicArn')).toBe(topic);
    const messages = [...form].flatMap(([name, value]) => (name.endsWith('.Message') ? [value] : []));
    expect(messages.map((text) => (JSON.parse(text) as { eventName: string }).eventName)).toEqual(['INSERT', 'REMOVE']);
    expect([...form.keys()].some((name) => name.endsWith('MessageGroupId'))).toBe(false);
  });
});

test('a stream without new images is refused by sinks that keep items', async () => {
  await put(1);
  const [record] = await changes(1);
  const source = { ...record!.source, dynamodb: { ...record!.source.dynamodb, NewImage: undefined } };
  const sink = await open('opensearch+http://127.0.0.1:1/orders');
  await expect(deliver(sink, [{ ...record!, source }])).rejects.toThrow('its view type must be NEW_IMAGE');
});

describe('what --to names', () => {
  test.each([
    ['https://example.com/x', { kind: 'webhook', url: 'https://example.com/x' }],
    [
      'postgres://u@h/d?table=t_1&sslmode=require',
      { kind: 'postgres', url: 'postgres://u@h/d?sslmode=require', table: 't_1' },
    ],
    ['opensearch+https://h:9200/orders-1/', { kind: 'search index', url: 'https://h:9200', index: 'orders-1' }],
    ['parquet:./lake', { kind: 'parquet', directory: './lake' }],
    ['sqs+https://h/1/q', { kind: 'queue', url: 'https://h/1/q' }],
    ['sns+https://h/arn:aws:sns:x:1:t', { kind: 'topic', url: 'https://h', topicArn: 'arn:aws:sns:x:1:t' }],
  ])('%s', (text, location) => {
    expect(sinkLocationOf(text)).toEqual(location);
  });

  test.each([
    ['postgres://u:secret@h/d', 'takes the name of a table'],
    ['postgres://u:secret@h/d?table=a"b', 'takes the name of a table'],
    ['opensearch+http://h/', 'takes the name of an index'],
    ['opensearch+http://h/a/_doc', 'takes the name of an index'],
    ['parquet:', 'takes a directory'],
    ['sns+http://h/topic', 'takes the ARN of a topic'],
    ['ftp://h', 'takes a URL'],
  ])('%s is refused', (text, message) => {
    expect(() => sinkLocationOf(text)).toThrow(message);
    expect(() => sinkLocationOf(text)).not.toThrow('secret');
  });
});
