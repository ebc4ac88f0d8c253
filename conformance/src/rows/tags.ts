import { messageContaining, oneOf, partial, unordered } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { docs, DYNALITE, OUTSIDE_2026 } from '../sources.ts';
import { call, check, describeTable } from '../steps.ts';
import type { Call } from '../steps.ts';
import { hashTable, table } from '../tables.ts';

const TAGGING = docs('Adding tags and labels to resources');
/** The ARN of a table that does not exist, in the same account as the one that does. */
const MISSING_ARN = '$arn-missing';

const tag = (Key: string, Value: string): JsonObject => ({ Key, Value });
const tagResource = (...tags: readonly JsonObject[]): Call => call('TagResource', { ResourceArn: '$arn', Tags: tags });
const untagResource = (...keys: readonly string[]): Call =>
  call('UntagResource', { ResourceArn: '$arn', TagKeys: keys });
const listTags = call('ListTagsOfResource', { ResourceArn: '$arn' }, { eventually: true });
const thirtyTags = Array.from({ length: 30 }, (_, at) => tag(`key-${at}`, String(at)));
const learnArn = describeTable({ saves: { arn: 'Table.TableArn' } }).givesPartly({ Table: partial({}) });

export const tagRows: readonly Row[] = [
  row('tags/none-at-first', 'DB-139', TAGGING, { table: hashTable, steps: [learnArn, listTags.gives({ Tags: [] })] }),
  row('tags/round-trip', 'DB-139', TAGGING, {
    table: hashTable,
    steps: [
      learnArn,
      tagResource(tag('team', 'blue'), tag('stage', 'test')).succeeds(),
      listTags.gives({ Tags: unordered([tag('team', 'blue'), tag('stage', 'test')]) }),
      tagResource(tag('team', 'green')).succeeds(),
      listTags.gives({ Tags: unordered([tag('team', 'green'), tag('stage', 'test')]) }),
      untagResource('stage', 'never-set').succeeds(),
      listTags.gives({ Tags: [tag('team', 'green')] }),
    ],
  }),
  row('tags/given-at-creation', 'DB-139 DB-135', docs('API_CreateTable'), {
    table: table('pk:S', { more: { Tags: [tag('a', '1')] } }),
    steps: [learnArn, listTags.gives({ Tags: [tag('a', '1')] })],
  }),
  row('tags/answers-have-no-body', 'DB-139', DYNALITE, {
    table: hashTable,
    steps: [
      check('empty bodies', async ({ succeed, send, expect }) => {
        const described = (await succeed('DescribeTable', { TableName: '$T' })) as { Table: { TableArn: string } };
        const arn = described.Table.TableArn;
        for (const [action, input] of [
          ['TagResource', { ResourceArn: arn, Tags: [tag('a', '1')] }],
          ['UntagResource', { ResourceArn: arn, TagKeys: ['a'] }],
        ] as const) {
          const answer = await send(action, input);
          expect(`${action} status`, answer.status, 200);
          expect(`${action} body`, answer.body === undefined || answer.body === '', true);
        }
      }),
    ],
  }),
  row('tags/missing-table', 'DB-139 DB-275', DYNALITE, {
    table: hashTable,
    steps: [
      learnArn,
      call('ListTagsOfResource', { ResourceArn: MISSING_ARN }).fails(
        'ResourceNotFoundException',
        messageContaining('Requested resource not found'),
      ),
      call('TagResource', { ResourceArn: MISSING_ARN, Tags: [tag('a', '1')] }).fails(
        'ResourceNotFoundException',
        messageContaining('Requested resource not found'),
      ),
    ],
  }),
  row('tags/no-tags-given', 'DB-139', DYNALITE, {
    table: hashTable,
    steps: [
      learnArn,
      tagResource().invalid('Atleast one Tag needs to be provided as Input.'),
      untagResource().invalid('Atleast one Tag Key needs to be provided as Input.'),
    ],
  }),
  row('tags/no-resource-given', 'DB-139', DYNALITE, {
    steps: [call('ListTagsOfResource', {}).invalid('Invalid TableArn')],
  }),
  row('tags/no-arn', 'DB-139', DYNALITE, {
    steps: [
      call('ListTagsOfResource', { ResourceArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/ab/c' }).invalid(
        oneOf(
          'Invalid TableArn: Invalid ResourceArn provided as input arn:aws:dynamodb:us-east-1:000000000000:table/ab/c',
          messageContaining('arn:aws:dynamodb:us-east-1:000000000000:table/ab/c'),
        ),
      ),
    ],
  }),
  row('tags/are-not-divided-into-pages', 'DB-139', OUTSIDE_2026, {
    table: hashTable,
    steps: [learnArn, tagResource(...thirtyTags).succeeds(), listTags.gives({ Tags: unordered(thirtyTags) })],
  }),
  row("tags/of-another-account's-table", 'DB-139 DB-275', OUTSIDE_2026, {
    table: hashTable,
    steps: [
      check('whether or not there is such a table', async ({ succeed, send, tableName, expect }) => {
        const { Table } = (await succeed('DescribeTable', { TableName: '$T' })) as { Table: { TableArn: string } };
        for (const name of [tableName('T'), 'no-such-table']) {
          const ResourceArn = Table.TableArn.replace(/:\d{12}:table\/.*/, `:111122223333:table/${name}`);
          for (const [action, more] of [
            ['ListTagsOfResource', {}],
            ['TagResource', { Tags: [tag('a', '1')] }],
            ['UntagResource', { TagKeys: ['a'] }],
          ] as const) {
            const answer = await send(action, { ResourceArn, ...more });
            expect(`${action} status`, answer.status, 400);
            expect(
              `${action} error`,
              String((answer.body as JsonObject)['__type']).split('#')[1],
              'AccessDeniedException',
            );
          }
        }
      }),
    ],
  }),
];
