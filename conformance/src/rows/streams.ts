import { absent, anyNumber, anyString, atLeast, matching, partial, someValidationErrors } from '../matchers.ts';
import type { CheckContext, CheckStep, JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { docs } from '../sources.ts';
import {
  batchWrite,
  call,
  check,
  deleteRequest,
  describeTable,
  put,
  putAction,
  putRequest,
  remove,
  transactWrite,
  update,
} from '../steps.ts';
import { table } from '../tables.ts';
import type { WireItem } from '../values.ts';
import { N, S } from '../values.ts';

const GUIDE = docs('Change data capture for DynamoDB Streams');
const SCYLLA = 'recorded: the Alternator suite of ScyllaDB, which is run against the service (test_streams.py)';
const hourMs = 3_600_000;

type ViewType = 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES';

function streamTable(viewType: ViewType): JsonObject {
  return table('pk:S', { more: { StreamSpecification: { StreamEnabled: true, StreamViewType: viewType } } });
}

interface WireRecord extends JsonObject {
  readonly dynamodb: JsonObject;
}

interface WireShard {
  readonly ShardId: string;
  readonly ParentShardId?: string;
  readonly SequenceNumberRange: { readonly StartingSequenceNumber: string; readonly EndingSequenceNumber?: string };
}

async function streamArn({ succeed }: CheckContext): Promise<string> {
  const { Table } = await succeed('DescribeTable', { TableName: '$T' });
  return String((Table as JsonObject)['LatestStreamArn']);
}

async function describeStream({ succeed }: CheckContext, arn: string): Promise<readonly WireShard[]> {
  const { StreamDescription } = await succeed('DescribeStream', { StreamArn: arn });
  return (StreamDescription as JsonObject)['Shards'] as readonly WireShard[];
}

async function firstShard(context: CheckContext): Promise<JsonObject> {
  const arn = await streamArn(context);
  const [shard] = await describeStream(context, arn);
  return { StreamArn: arn, ShardId: shard?.ShardId };
}

/** All records of the stream that can be read now, those of parent shards before those of their children. */
async function readStream(context: CheckContext, arn: string): Promise<readonly WireRecord[]> {
  const records: WireRecord[] = [];
  for (const { ShardId } of await describeStream(context, arn)) {
    const start = { StreamArn: arn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
    let { ShardIterator: next } = await context.succeed('GetShardIterator', start);
    let emptyPages = 0;
    // DynamoDB returns empty pages on the way through a shard.
    while (next !== undefined && emptyPages < 3) {
      const page = await context.succeed('GetRecords', { ShardIterator: next });
      const found = page['Records'] as readonly WireRecord[];
      records.push(...found);
      emptyPages = found.length === 0 ? emptyPages + 1 : 0;
      next = page['NextShardIterator'];
    }
  }
  return records;
}

/** Reads the stream until it has this many records, because DynamoDB takes a moment. */
async function readRecords(context: CheckContext, count: number): Promise<readonly WireRecord[]> {
  const arn = await streamArn(context);
  for (let attempt = 0; ; attempt += 1) {
    const records = await readStream(context, arn);
    if (records.length >= count || attempt === 20) return records;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function recordsAre(expected: readonly JsonObject[]): CheckStep {
  return check('the records of the stream', async (context) => {
    context.expect('records', await readRecords(context, expected.length), expected.map(partial));
  });
}

const change = (eventName: string, dynamodb: JsonObject): JsonObject => ({ eventName, dynamodb: partial(dynamodb) });
const item = (pk: string, n: number): WireItem => ({ pk: S(pk), n: N(n) });

/** A put, another put and a delete of one item. */
const threeChanges = [put(item('a', 1)).succeeds(), put(item('a', 2)).succeeds(), remove({ pk: S('a') }).succeeds()];

export const streamRows: readonly Row[] = [
  row('streams/listed-and-described', 'DB-250 DB-255', docs('API_streams_DescribeStream'), {
    table: streamTable('NEW_IMAGE'),
    steps: [
      describeTable({ saves: { arn: 'Table.LatestStreamArn', label: 'Table.LatestStreamLabel' } }).succeeds(),
      call('ListStreams', { TableName: '$T' }).gives({
        Streams: [{ StreamArn: '$arn', StreamLabel: '$label', TableName: '$T' }],
      }),
      call('DescribeStream', { StreamArn: '$arn' }, { eventually: true }).givesPartly({
        StreamDescription: partial({
          StreamArn: '$arn',
          StreamLabel: '$label',
          StreamStatus: 'ENABLED',
          StreamViewType: 'NEW_IMAGE',
          CreationRequestDateTime: anyNumber,
          TableName: '$T',
          KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        }),
      }),
      check('every shard is open and can be read from its start', async (context) => {
        const arn = await streamArn(context);
        const shards = await describeStream(context, arn);
        context.expect('number of shards', shards.length, atLeast(1));
        for (const shard of shards) {
          context.expect('shard', shard, {
            ShardId: matching(/^shardId-\d{20}-[0-9a-f]{8}$/),
            SequenceNumberRange: { StartingSequenceNumber: matching(/^\d{21,40}$/) },
          });
          const start = {
            StreamArn: arn,
            ShardId: shard.ShardId,
            ShardIteratorType: 'AT_SEQUENCE_NUMBER',
            SequenceNumber: shard.SequenceNumberRange.StartingSequenceNumber,
          };
          const { ShardIterator } = await context.succeed('GetShardIterator', start);
          const page = await context.succeed('GetRecords', { ShardIterator });
          context.expect('page', page, { Records: [], NextShardIterator: anyString });
        }
      }),
    ],
  }),
  row('streams/no-stream-no-list', 'DB-255', SCYLLA, {
    table: table('pk:S'),
    steps: [call('ListStreams', { TableName: '$T' }).gives({ Streams: [] })],
  }),
  row('streams/keys-only', 'DB-249 DB-253', GUIDE, {
    table: streamTable('KEYS_ONLY'),
    steps: [
      ...threeChanges,
      recordsAre(
        ['INSERT', 'MODIFY', 'REMOVE'].map((name) =>
          change(name, {
            Keys: { pk: S('a') },
            NewImage: absent,
            OldImage: absent,
            StreamViewType: 'KEYS_ONLY',
            SizeBytes: 3,
          }),
        ),
      ),
    ],
  }),
  row('streams/new-image', 'DB-249 DB-253', GUIDE, {
    table: streamTable('NEW_IMAGE'),
    steps: [
      ...threeChanges,
      recordsAre([
        change('INSERT', { NewImage: item('a', 1), OldImage: absent, SizeBytes: 9 }),
        change('MODIFY', { NewImage: item('a', 2), OldImage: absent, SizeBytes: 9 }),
        change('REMOVE', { NewImage: absent, OldImage: absent, SizeBytes: 3 }),
      ]),
    ],
  }),
  row('streams/old-image', 'DB-249 DB-253', GUIDE, {
    table: streamTable('OLD_IMAGE'),
    steps: [
      ...threeChanges,
      recordsAre([
        change('INSERT', { NewImage: absent, OldImage: absent }),
        change('MODIFY', { NewImage: absent, OldImage: item('a', 1) }),
        change('REMOVE', { NewImage: absent, OldImage: item('a', 2) }),
      ]),
    ],
  }),
  row('streams/new-and-old-images', 'DB-008 DB-249 DB-253', docs('API_streams_Record'), {
    table: streamTable('NEW_AND_OLD_IMAGES'),
    steps: [
      ...threeChanges,
      check('every member of the records', async (context) => {
        const common = {
          eventID: matching(/^[0-9a-f]{32}$/),
          eventVersion: '1.1',
          eventSource: 'aws:dynamodb',
          awsRegion: anyString,
        };
        const dynamodb = {
          ApproximateCreationDateTime: anyNumber,
          Keys: { pk: S('a') },
          SequenceNumber: matching(/^\d{21,40}$/),
          StreamViewType: 'NEW_AND_OLD_IMAGES',
        };
        const records = await readRecords(context, 3);
        context.expect('records', records, [
          { ...common, eventName: 'INSERT', dynamodb: { ...dynamodb, NewImage: item('a', 1), SizeBytes: 9 } },
          {
            ...common,
            eventName: 'MODIFY',
            dynamodb: { ...dynamodb, NewImage: item('a', 2), OldImage: item('a', 1), SizeBytes: 15 },
          },
          { ...common, eventName: 'REMOVE', dynamodb: { ...dynamodb, OldImage: item('a', 2), SizeBytes: 9 } },
        ]);
        const numbers = records.map((record) => BigInt(String(record.dynamodb['SequenceNumber'])));
        context.expect(
          'ascending',
          (numbers[0] ?? 0n) < (numbers[1] ?? 0n) && (numbers[1] ?? 0n) < (numbers[2] ?? 0n),
          true,
        );
        const seconds = Number(records[0]?.dynamodb['ApproximateCreationDateTime']);
        context.expect('whole seconds', Number.isInteger(seconds), true);
      }),
    ],
  }),
  row('streams/writes-that-change-nothing', 'DB-254', SCYLLA, {
    table: streamTable('NEW_IMAGE'),
    steps: [
      put(item('a', 1)).succeeds(),
      put(item('a', 1)).succeeds(),
      put({ n: { N: '1.0' }, pk: S('a') }).succeeds(),
      update({ pk: S('a') }, 'SET n = :n', { ExpressionAttributeValues: { ':n': N(1) } }).succeeds(),
      batchWrite([putRequest(item('a', 1)), deleteRequest({ pk: S('absent') })]).succeeds(),
      transactWrite([putAction(item('a', 1))]).succeeds(),
      remove({ pk: S('absent') }).succeeds(),
      put(item('a', 2)).succeeds(),
      recordsAre([change('INSERT', { NewImage: item('a', 1) }), change('MODIFY', { NewImage: item('a', 2) })]),
    ],
  }),
  row('streams/update-makes-an-item', 'DB-249 DB-254', SCYLLA, {
    table: streamTable('NEW_AND_OLD_IMAGES'),
    steps: [
      update({ pk: S('a') }, undefined).succeeds(),
      update({ pk: S('a') }, 'SET n = :n', { ExpressionAttributeValues: { ':n': N(1) } }).succeeds(),
      update({ pk: S('a') }, 'REMOVE n').succeeds(),
      recordsAre([
        change('INSERT', { NewImage: { pk: S('a') }, OldImage: absent }),
        change('MODIFY', { NewImage: item('a', 1), OldImage: { pk: S('a') } }),
        change('MODIFY', { NewImage: { pk: S('a') }, OldImage: item('a', 1) }),
      ]),
    ],
  }),
  row('streams/many-updates-in-order', 'DB-254', GUIDE, {
    table: streamTable('NEW_IMAGE'),
    steps: [
      check('sixty updates of one item', async ({ succeed }) => {
        for (let n = 0; n < 60; n += 1) await succeed('PutItem', { TableName: '$T', Item: item('a', n) });
      }),
      recordsAre(
        Array.from({ length: 60 }, (_, n) => change(n === 0 ? 'INSERT' : 'MODIFY', { NewImage: item('a', n) })),
      ),
    ],
  }),
  row('streams/two-readers', 'DB-250', GUIDE, {
    table: streamTable('KEYS_ONLY'),
    steps: [
      ...threeChanges,
      check('both read all', async (context) => {
        const first = await readRecords(context, 3);
        context.expect('second reader', await readRecords(context, 3), first);
      }),
    ],
  }),
  row('streams/no-capacity', 'DB-257', GUIDE, {
    table: streamTable('NEW_AND_OLD_IMAGES'),
    steps: [
      put({ pk: S('a'), x: S('x'.repeat(1500)) }, { ReturnConsumedCapacity: 'TOTAL' }).gives({
        ConsumedCapacity: { TableName: '$T', CapacityUnits: 2 },
      }),
    ],
  }),
  row('streams/iterators', 'DB-255', docs('API_streams_GetShardIterator'), {
    table: streamTable('KEYS_ONLY'),
    steps: [
      put(item('a', 1)).succeeds(),
      put(item('a', 2)).succeeds(),
      check('after and at a sequence number', async (context) => {
        const [first, second] = await readRecords(context, 2);
        const arn = await streamArn(context);
        for (const { ShardId } of await describeStream(context, arn)) {
          const from = async (type: string, record: WireRecord | undefined): Promise<unknown> => {
            const request = { StreamArn: arn, ShardId, ShardIteratorType: type };
            const number = record && { SequenceNumber: record.dynamodb['SequenceNumber'] };
            const { body } = await context.send('GetShardIterator', { ...request, ...number });
            const { ShardIterator } = body as JsonObject;
            if (ShardIterator === undefined) return undefined; // not in this shard
            return (await context.succeed('GetRecords', { ShardIterator }))['Records'];
          };
          const at = await from('AT_SEQUENCE_NUMBER', second);
          if (at === undefined || (at as readonly unknown[]).length === 0) continue;
          context.expect('at the second', at, [second]);
          context.expect('after the first', await from('AFTER_SEQUENCE_NUMBER', first), [second]);
          context.expect('after the second', await from('AFTER_SEQUENCE_NUMBER', second), []);
          context.expect('latest', await from('LATEST', undefined), []);
        }
      }),
    ],
  }),
  row('streams/sequence-number-where-needed', 'DB-255', SCYLLA, {
    table: streamTable('KEYS_ONLY'),
    steps: ['AT_SEQUENCE_NUMBER', 'AFTER_SEQUENCE_NUMBER', 'TRIM_HORIZON', 'LATEST'].map((type) =>
      check(type, async (context) => {
        const shard = await firstShard(context);
        const wanted = type.endsWith('_NUMBER');
        const { status, body } = await context.send('GetShardIterator', {
          ...shard,
          ShardIteratorType: type,
          ...(!wanted && { SequenceNumber: '100000000000000000000000' }),
        });
        const name = String((body as JsonObject)['__type']).split('#')[1];
        context.expect('answer', [status, name], [400, 'ValidationException']);
      }),
    ),
  }),
  row('streams/unknown-shard', 'DB-255', 'recorded: quoted in GitHub issues (ironSource/node-dynamodb-stream 16)', {
    table: streamTable('KEYS_ONLY'),
    steps: [
      check('a shard that is not there', async (context) => {
        const { status, body } = await context.send('GetShardIterator', {
          StreamArn: await streamArn(context),
          ShardId: 'shardId-00000001414576573621-f55eea83',
          ShardIteratorType: 'LATEST',
        });
        const { __type: type, message } = body as JsonObject;
        context.expect(
          'answer',
          [status, String(type).split('#')[1], message],
          [400, 'ResourceNotFoundException', 'Requested resource not found: Shard does not exist'],
        );
      }),
    ],
  }),
  row('streams/unknown-stream', 'DB-255', 'recorded: a test of dynamodb-stream-elasticsearch against the service', {
    table: streamTable('KEYS_ONLY'),
    steps: [
      describeTable({ saves: { arn: 'Table.TableArn' } }).succeeds(),
      call('DescribeStream', { StreamArn: '$arn/stream/2017-10-05T14:36:01.514' }).fails(
        'ResourceNotFoundException',
        'Requested resource not found: Stream: $arn/stream/2017-10-05T14:36:01.514 not found',
      ),
    ],
  }),
  row('streams/malformed-arn', 'DB-255', `${SCYLLA}; the text: tests of the AWS SDK for JavaScript`, {
    steps: [
      call('DescribeStream', { StreamArn: 'sdfadfsdfnlfkajakfgjalksfgklasjklasdjfklasdfasdfgasf' }).invalid(
        'Invalid StreamArn',
      ),
    ],
  }),
  row('streams/malformed-iterator', 'DB-255', `${SCYLLA}, which does not look at the text`, {
    steps: [
      call('GetRecords', { ShardIterator: 'sdfsdfsgagaddafgagasgasgasdfasdfasdfasdfasdgasdasdgasdg' }).fails(
        'ValidationException',
        matching(/./),
      ),
    ],
  }),
  row('streams/limits', 'DB-122 DB-255', docs('API_streams_GetRecords'), {
    steps: [
      call('GetRecords', { ShardIterator: 'x', Limit: 1001 }).invalid(
        someValidationErrors(
          "Value '1001' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 1000",
        ),
      ),
      call('ListStreams', { Limit: 0 }).invalid(
        someValidationErrors(
          "Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
        ),
      ),
      call('ListStreams', { Limit: 101 }).invalid(
        someValidationErrors(
          "Value '101' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 100",
        ),
      ),
    ],
  }),
  row('streams/switched-off-and-on', 'DB-137 DB-255', SCYLLA, {
    table: streamTable('KEYS_ONLY'),
    steps: [
      describeTable({ saves: { first: 'Table.LatestStreamArn' } }).succeeds(),
      put(item('a', 1)).succeeds(),
      recordsAre([change('INSERT', {})]),
      call('UpdateTable', {
        TableName: '$T',
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
      }).invalid('Table already has an enabled stream: TableName: $T'),
      call('UpdateTable', { TableName: '$T', StreamSpecification: { StreamEnabled: false } }).succeeds(),
      call('DescribeStream', { StreamArn: '$first' }, { eventually: true }).givesPartly({
        StreamDescription: partial({ StreamStatus: 'DISABLED', StreamViewType: 'KEYS_ONLY', TableName: '$T' }),
      }),
      call('UpdateTable', { TableName: '$T', StreamSpecification: { StreamEnabled: false } }).invalid(
        'Table has no stream to disable: TableName: $T',
      ),
      check('its shards are closed, can be read, and say where they end', async (context) => {
        const arn = await streamArn(context);
        let count = 0;
        for (const { ShardId, SequenceNumberRange } of await describeStream(context, arn)) {
          context.expect('ending number', SequenceNumberRange.EndingSequenceNumber, matching(/^\d{21,40}$/));
          const start = { StreamArn: arn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
          const { ShardIterator } = await context.succeed('GetShardIterator', start);
          const page = await context.succeed('GetRecords', { ShardIterator });
          context.expect('next iterator', page['NextShardIterator'], undefined);
          count += (page['Records'] as readonly unknown[]).length;
        }
        context.expect('records', count, 1);
      }),
      call('UpdateTable', {
        TableName: '$T',
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
      }).succeeds(),
      describeTable({ saves: { second: 'Table.LatestStreamArn' } }).succeeds(),
      check('both streams are listed', async ({ succeed, expect }) => {
        const { Streams } = await succeed('ListStreams', { TableName: '$T' });
        const arns = (Streams as readonly JsonObject[]).map((stream) => stream['StreamArn']);
        expect('number of streams', new Set(arns).size, 2);
      }),
    ],
  }),
  row('streams/retention', 'DB-256 DB-122', GUIDE, {
    needs: ['clock'],
    table: streamTable('KEYS_ONLY'),
    steps: [
      put(item('a', 1)).succeeds(),
      check('a day later it is trimmed', async (context) => {
        const arn = await streamArn(context);
        const [record] = await readRecords(context, 1);
        const shards = await describeStream(context, arn);
        context.advanceClock(24 * hourMs);
        context.expect('records', await readStream(context, arn), []);
        for (const { ShardId } of shards) {
          const { body } = await context.send('GetShardIterator', {
            StreamArn: arn,
            ShardId,
            ShardIteratorType: 'AFTER_SEQUENCE_NUMBER',
            SequenceNumber: record?.dynamodb['SequenceNumber'],
          });
          const { __type: type, message } = body as JsonObject;
          const name = String(type).split('#')[1];
          if (name !== 'TrimmedDataAccessException') continue;
          context.expect('text', message, 'The data you are trying to access has been trimmed');
          return;
        }
        context.expect('TrimmedDataAccessException from one of the shards', false, true);
      }),
    ],
  }),
  row('streams/shards-are-replaced', 'DB-255', GUIDE, {
    needs: ['clock'],
    table: streamTable('NEW_IMAGE'),
    steps: [
      put(item('a', 1)).succeeds(),
      check('after four hours the shards have children, and readers miss nothing', async (context) => {
        const arn = await streamArn(context);
        const before = await describeStream(context, arn);
        context.advanceClock(4 * hourMs);
        const shards = await describeStream(context, arn);
        for (const { ShardId } of before) {
          const parent = shards.find((shard) => shard.ShardId === ShardId);
          context.expect('end of the parent', parent?.SequenceNumberRange.EndingSequenceNumber, anyString);
          context.expect('children', shards.filter((shard) => shard.ParentShardId === ShardId).length, atLeast(1));
        }
        await context.succeed('PutItem', { TableName: '$T', Item: item('a', 2) });
        const records = await readStream(context, arn);
        context.expect('records', records, [
          partial(change('INSERT', { NewImage: item('a', 1) })),
          partial(change('MODIFY', { NewImage: item('a', 2) })),
        ]);
      }),
    ],
  }),
];
