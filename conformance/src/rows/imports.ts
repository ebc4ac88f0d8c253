import { messageContaining, partial } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { ACK_2026, ALTERNATOR, assumed, docs } from '../sources.ts';
import { call, check, describeTable } from '../steps.ts';
import { hashTable } from '../tables.ts';

/**
 * What can be tested of imports and bulk operations without objects in a bucket. Tests beside the engine, where buckets are
 * available, check that they load the right items.
 */

const importing = (changes: JsonObject): JsonObject => ({
  ClientToken: 'conformance',
  S3BucketSource: { S3Bucket: 'singlet-conformance-nowhere', S3KeyPrefix: 'none/' },
  InputFormat: 'DYNAMODB_JSON',
  TableCreationParameters: tableCreation({}),
  ...changes,
});

const tableCreation = (changes: JsonObject): JsonObject => ({
  TableName: '$U',
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
  ...changes,
});

const { ClientToken: _token, ...withoutToken } = importing({});

const source = (changes: JsonObject): JsonObject => ({ S3BucketSource: { S3Bucket: 'bucket', ...changes } });

/** Requests that are refused before any work begins, and the member that the refusal names. */
const refused: readonly (readonly [string, JsonObject, string])[] = [
  ['no client token', withoutToken, 'clientToken'],
  ['a token with a dollar sign', importing({ ClientToken: 'has$dollar' }), 'clientToken'],
  ['an empty token', importing({ ClientToken: '' }), 'clientToken'],
  ['an unknown format', importing({ InputFormat: 'NOT_A_FORMAT' }), 'nputFormat'],
  ['an unknown compression', importing({ InputCompressionType: 'BZIP2' }), 'nputCompressionType'],
  ['a long bucket name', importing(source({ S3Bucket: 'x'.repeat(256) })), '3Bucket'],
  ['a bucket name of wrong characters', importing(source({ S3Bucket: '-nope!' })), '3Bucket'],
  ['a long prefix', importing(source({ S3KeyPrefix: 'p'.repeat(1025) })), '3KeyPrefix'],
  [
    'a long table name',
    importing({ TableCreationParameters: tableCreation({ TableName: 'n'.repeat(256) }) }),
    'ableName',
  ],
  ['a bad table name', importing({ TableCreationParameters: tableCreation({ TableName: 'not a name!' }) }), 'ableName'],
];

const learnArn = describeTable({ saves: { arn: 'Table.TableArn' } }).givesPartly({ Table: partial({}) });

export const importRows: readonly Row[] = [
  ...refused.map(([name, request, member]) =>
    row(`imports/refused: ${name}`, 'DB-139', ALTERNATOR, {
      table: hashTable,
      steps: [call('ImportTable', request).invalid(messageContaining(member))],
    }),
  ),
  row('imports/refused in the words of the service', 'DB-139', ACK_2026, {
    steps: [
      call('ImportTable', importing({ InputFormatOptions: { Csv: { Delimiter: ',' } } })).invalid(
        'Invalid Request: Unsupported InputFormatOptions for the given input format: DYNAMODB_JSON.',
      ),
      call('ImportTable', importing({ InputCompressionType: 'BZIP2' })).invalid(
        "1 validation error detected: Value 'BZIP2' at 'inputCompressionType' failed to satisfy constraint: Member must satisfy enum value set: [ZSTD, NONE, GZIP]",
      ),
      call('ImportTable', importing({ InputFormat: 'CSV', InputFormatOptions: { Csv: { Delimiter: ';;' } } })).invalid(
        messageContaining(
          "2 validation errors detected: Value ';;' at 'inputFormatOptions.csv.delimiter' failed to satisfy constraint: Member must satisfy regular expression pattern: [,;",
        ),
      ),
    ],
  }),
  row('imports/unknown', 'DB-139', ALTERNATOR, {
    table: hashTable,
    steps: [
      learnArn,
      check('an ARN of no import', async ({ succeed, send, expect }) => {
        const described = (await succeed('DescribeTable', { TableName: '$T' })) as { Table: { TableArn: string } };
        const tableArn = described.Table.TableArn;
        const unknown = await send('DescribeImport', { ImportArn: `${tableArn}/import/01658528578619-0badf00d` });
        expect('error of an unknown import', errorName(unknown.body), 'ImportNotFoundException');
        const malformed = `${tableArn.replace(/\/.*/, '/x')}/import/01658528578619-0badf00d`;
        const answer = await send('DescribeImport', { ImportArn: malformed });
        expect('error of a malformed ARN', errorName(answer.body), 'ValidationException');
      }),
      call('ListImports', { TableArn: '$arn' }).gives({ ImportSummaryList: [] }),
    ],
  }),
  row('imports/list-bounds', 'DB-139', ALTERNATOR, {
    table: hashTable,
    steps: [
      call('ListImports', { PageSize: 26 }).invalid(messageContaining('25')),
      call('ListImports', { NextToken: '0'.repeat(112) }).invalid(messageContaining('')),
    ],
  }),
  row('bulk-operations/refused', 'DB-139', docs('API_StartBulkPutItems'), {
    table: hashTable,
    steps: [
      call('StartBulkPutItems', bulk({ MaxWriteRequestUnits: 1023 })).invalid(messageContaining('axWriteRequestUnits')),
      call('StartBulkPutItems', bulk({ PerformanceTier: 'FAST' })).invalid(messageContaining('erformanceTier')),
      call('StartBulkPutItems', bulk({ InputS3Configuration: { S3Bucket: 'bucket', InputFormat: 'CSV' } })).invalid(
        messageContaining('nputFormat'),
      ),
    ],
  }),
  row('bulk-operations/malformed-arn', 'DB-139', assumed('that a bad ARN is a ValidationException, as of imports'), {
    table: hashTable,
    steps: [
      call('DescribeBulkOperation', { BulkOperationArn: `arn:aws:dynamodb:${'x'.repeat(30)}` }).invalid(
        messageContaining(''),
      ),
      call('CancelBulkOperation', { BulkOperationArn: `arn:aws:dynamodb:${'x'.repeat(30)}` }).invalid(
        messageContaining(''),
      ),
    ],
  }),
];

function bulk(changes: JsonObject): JsonObject {
  return {
    ClientToken: 'conformance',
    TableName: '$T',
    InputS3Configuration: { S3Bucket: 'bucket', InputFormat: 'ION' },
    OutputS3Configuration: { S3Bucket: 'bucket', OutputType: ['ERROR'] },
    ...changes,
  };
}

function errorName(body: unknown): string {
  const { __type: type } = body as { readonly __type?: string };
  return type?.replace(/.*#/, '') ?? 'none';
}
