import { crc32, gunzipSync } from 'node:zlib';
import { matching } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { assumed, docs, DYNALITE, OUTSIDE_2026 } from '../sources.ts';
import { call, check, error, put } from '../steps.ts';
import { hashTable } from '../tables.ts';
import type { WireOptions } from '../transport.ts';
import { S } from '../values.ts';

const sixteenMegabytes = 16 * 1024 * 1024;
const exposedHeaders = 'x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date';
const LOW_LEVEL = docs('DynamoDB low-level API');

/** The body of an error without a message. */
const bare = (name: string): JsonObject => ({ __type: `com.amazon.coral.service#${name}` });

/** A request that the front end refuses. */
function refused(id: string, covers: string, body: string, wire: WireOptions, status: number, answer: unknown): Row {
  return row(`wire/${id}`, covers, DYNALITE, {
    steps: [
      check(id, async ({ send, expect }) => {
        const reply = await send('ListTables', body, wire);
        expect('status', reply.status, status);
        expect('body', reply.body, answer);
        expect('request id', reply.headers['x-amzn-requestid'], matching(/^[0-9A-Z]{52}$|^[0-9a-f-]{36}$/i));
      }),
    ],
  });
}

export const wireProtocolRows: readonly Row[] = [
  row('wire/checksum-and-request-id', 'DB-126', LOW_LEVEL, {
    table: hashTable,
    steps: [
      check('of successes and errors', async ({ send, expect }) => {
        const ids = new Set<string>();
        for (const [action, input, status] of [
          ['PutItem', { TableName: '$T', Item: { pk: S('é😃') } }, 200],
          ['GetItem', { TableName: '$T', Key: { pk: S('é😃') } }, 200],
          ['GetItem', { TableName: '$T', Key: {} }, 400],
          ['NoSuchAction', {}, 400],
        ] as const) {
          const reply = await send(action, input);
          expect(`${action} status`, reply.status, status);
          expect(`${action} checksum`, reply.headers['x-amz-crc32'], String(crc32(reply.rawBody)));
          expect(
            `${action} request id`,
            reply.headers['x-amzn-requestid'],
            matching(/^[0-9A-Z]{52}$|^[0-9a-f-]{36}$/i),
          );
          ids.add(reply.headers['x-amzn-requestid'] ?? '');
        }
        expect('different ids', ids.size, 4);
      }),
    ],
  }),
  row('wire/content-type-is-answered-in-kind', 'DB-126', DYNALITE, {
    table: hashTable,
    steps: [
      check('both kinds', async ({ send, expect }) => {
        for (const contentType of ['application/x-amz-json-1.0', 'application/json']) {
          const reply = await send('GetItem', { TableName: '$T', Key: { pk: S('x') } }, { contentType });
          expect(`${contentType} status`, reply.status, 200);
          expect(`${contentType} answered`, reply.headers['content-type'], contentType);
          expect(
            `${contentType} length`,
            reply.headers['content-length'] ?? String(reply.rawBody.length),
            String(reply.rawBody.length),
          );
        }
        const reply = await send(
          'GetItem',
          { TableName: '$T', Key: { pk: S('x') } },
          { contentType: 'application/x-amz-json-1.0; charset=utf-8' },
        );
        expect('with a parameter', reply.status, 200);
      }),
    ],
  }),
  row('wire/error-envelope', 'DB-127', DYNALITE, {
    steps: [
      check('types', async ({ send, expect }) => {
        const validation = await send('GetItem', { TableName: '$T', Key: {}, ExpressionAttributeNames: { '#a': 'a' } });
        expect('validation', validation.body, {
          __type: 'com.amazon.coral.validate#ValidationException',
          message: 'ExpressionAttributeNames can only be specified when using expressions',
        });
        const missing = await send('GetItem', { TableName: '$T', Key: { pk: S('x') } });
        expect('missing table', missing.body, {
          __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException',
          message: 'Requested resource not found',
        });
        const malformed = await send('GetItem', { TableName: 5 });
        expect('malformed', malformed.body, {
          __type: 'com.amazon.coral.service#SerializationException',
          Message: 'NUMBER_VALUE cannot be converted to String',
        });
      }),
    ],
  }),
  refused(
    'unknown-action',
    'DB-280 DB-126',
    '{}',
    { target: 'DynamoDB_20120810.ListTable' },
    400,
    bare('UnknownOperationException'),
  ),
  refused(
    'unknown-api',
    'DB-280 DB-126',
    '{}',
    { target: 'DynamoDB_20990101.ListTables' },
    400,
    bare('UnknownOperationException'),
  ),
  refused('no-target', 'DB-280 DB-126', '{}', { target: null }, 400, bare('UnknownOperationException')),
  refused(
    'target-without-a-dot',
    'DB-280 DB-126',
    '{}',
    { target: 'ListTables' },
    400,
    bare('UnknownOperationException'),
  ),
  refused('not-json', 'DB-280 DB-126', 'hi', {}, 400, bare('SerializationException')),
  refused('cut-off-json', 'DB-280 DB-126', '{"Limit": 1', {}, 400, bare('SerializationException')),
  refused('empty-body', 'DB-280 DB-126', '', {}, 400, bare('SerializationException')),
  refused('no-content-type', 'DB-126', '{}', { contentType: null }, 404, '<UnknownOperationException/>\n'),
  refused('unknown-content-type', 'DB-126', '{}', { contentType: 'text/plain' }, 404, '<UnknownOperationException/>\n'),
  refused('other-method', 'DB-126', '{}', { method: 'PUT' }, 404, '<UnknownOperationException/>\n'),
  row('wire/health', 'DB-126', DYNALITE, {
    steps: [
      check('GET', async ({ send, expect }) => {
        const reply = await send('', '', { method: 'GET', target: null, contentType: null, authorization: null });
        expect('status', reply.status, 200);
        expect('body', reply.body, matching(/^healthy: /));
      }),
    ],
  }),
  row('wire/every-request-is-independent', 'DB-125', LOW_LEVEL, {
    table: hashTable,
    steps: [
      check('two hundred requests at once', async ({ send, expect }) => {
        const replies = await Promise.all(
          Array.from({ length: 200 }, (_, n) => send('PutItem', { TableName: '$T', Item: { pk: S(`item-${n}`) } })),
        );
        expect('successes', replies.filter((reply) => reply.status === 200).length, 200);
      }),
    ],
  }),
  row('wire/gzip-when-asked-for', 'DB-126', docs('Optimizing the performance of DynamoDB, response compression'), {
    table: hashTable,
    items: [{ pk: S('x'), p: S('x'.repeat(50_000)) }],
    steps: [
      check('same body', async ({ send, expect }) => {
        const plain = await send('GetItem', { TableName: '$T', Key: { pk: S('x') }, ConsistentRead: true });
        const packed = await send(
          'GetItem',
          { TableName: '$T', Key: { pk: S('x') }, ConsistentRead: true },
          { headers: { 'accept-encoding': 'gzip' } },
        );
        // A server may decline to compress. The checksum is that of the bytes sent.
        const body = packed.headers['content-encoding'] === 'gzip' ? gunzipSync(packed.rawBody) : packed.rawBody;
        expect('body', JSON.parse(Buffer.from(body).toString('utf8')), plain.body);
        expect('checksum', packed.headers['x-amz-crc32'], String(crc32(packed.rawBody)));
      }),
    ],
  }),
  row('wire/compressed-requests', 'DB-126', OUTSIDE_2026, {
    steps: [
      check('as large as a plain one may be', async ({ send, expect }) => {
        for (const compress of ['gzip', 'deflate'] as const) {
          expect(`${compress} status`, (await send('ListTables', {}, { compress })).status, 200);
          const reply = await send('ListTables', '{}'.padEnd(sixteenMegabytes + 1), { compress });
          expect(`${compress} of too much`, [reply.status, reply.body], [413, undefined]);
        }
      }),
    ],
  }),
  row('wire/compresses-in-the-order-of-the-client', 'DB-126', OUTSIDE_2026, {
    table: hashTable,
    items: [{ pk: S('x'), p: S('x'.repeat(50_000)) }],
    steps: [
      check('gzip and deflate', async ({ send, expect }) => {
        for (const [accepted, used] of [
          ['deflate', 'deflate'],
          ['deflate, gzip', 'deflate'],
          ['gzip, deflate', 'gzip'],
        ] as const) {
          const input = { TableName: '$T', Key: { pk: S('x') }, ConsistentRead: true };
          const reply = await send('GetItem', input, { headers: { 'accept-encoding': accepted } });
          expect(accepted, reply.headers['content-encoding'], used);
        }
      }),
    ],
  }),
  row('wire/other-paths', 'DB-126', OUTSIDE_2026, {
    steps: [
      check('POST', async ({ send, expect }) => {
        const reply = await send('ListTables', {}, { path: '/tables' });
        expect('answer', [reply.status, reply.body], [404, '<UnknownOperationException/>\n']);
      }),
    ],
  }),
  row('wire/headers-that-pages-may-read', 'DB-126', OUTSIDE_2026, {
    steps: [
      check('of an answer to a page', async ({ send, expect }) => {
        const reply = await send('ListTables', {}, { headers: { origin: 'http://localhost:3000' } });
        expect('status', reply.status, 200);
        expect('exposed', reply.headers['access-control-expose-headers'], exposedHeaders);
      }),
    ],
  }),
  row('wire/unknown-members-are-ignored', 'DB-126', DYNALITE, {
    table: hashTable,
    steps: [put({ pk: S('x') }, { NoSuchParameter: { a: 1 }, tableName: 'other' }).gives({})],
  }),
  row('wire/member-types', 'DB-280', DYNALITE, {
    steps: [
      call('ListTables', { Limit: 'five' }).answers(
        error('SerializationException', 'STRING_VALUE cannot be converted to Integer'),
      ),
      call('ListTables', { Limit: true }).answers(
        error('SerializationException', 'TRUE_VALUE cannot be converted to Integer'),
      ),
      call('ListTables', { ExclusiveStartTableName: 5 }).answers(
        error('SerializationException', 'NUMBER_VALUE cannot be converted to String'),
      ),
      call('GetItem', { TableName: 'abc', Key: 'text' }).answers(
        error('SerializationException', 'Unexpected field type'),
      ),
      call('GetItem', { TableName: 'abc', Key: { a: 'text' } }).answers(
        error('SerializationException', 'Unexpected value type in payload'),
      ),
      call('GetItem', { TableName: 'abc', ConsistentRead: 7 }).answers(
        error('SerializationException', 'NUMBER_VALUE cannot be converted to Boolean'),
      ),
      call('CreateTable', { TableName: 'abc', KeySchema: 'text' }).answers(
        error('SerializationException', 'Unexpected field type'),
      ),
      call('CreateTable', { TableName: 'abc', KeySchema: ['text'] }).answers(
        error('SerializationException', 'Unexpected value type in payload'),
      ),
      call('CreateTable', { TableName: 'abc', ProvisionedThroughput: { ReadCapacityUnits: 'a' } }).answers(
        error('SerializationException', 'STRING_VALUE cannot be converted to Long'),
      ),
      call('GetItem', { TableName: [] }).answers(
        error('SerializationException', 'Unrecognized collection type class java.lang.String'),
      ),
      call('GetItem', { TableName: {} }).answers(
        error('SerializationException', 'Start of structure or map found where not expected'),
      ),
    ],
  }),
  row('wire/body-that-is-no-object', 'DB-280', assumed('refused as malformed; the text is not documented'), {
    steps: [
      check('lists, numbers, texts', async ({ send, expect }) => {
        for (const body of ['[]', '7', '"text"']) {
          const reply = await send('ListTables', body);
          expect(`${body} is refused`, reply.status, 400);
        }
      }),
    ],
  }),
];
