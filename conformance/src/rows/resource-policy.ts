import { anyString, matching, messageContaining, partial } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { ACK_2026, docs, MOTO } from '../sources.ts';
import { call, check, describeTable } from '../steps.ts';
import type { Call } from '../steps.ts';
import { hashTable, table } from '../tables.ts';

const CONSIDERATIONS = docs('Resource-based policy considerations');
const NOT_FOUND = 'Resource-based policy not found for the provided ResourceArn: ';
const INVALID = 'One or more parameter values were invalid: ';
const DOCUMENT = `${INVALID}Invalid policy document: `;

const learnArn = describeTable({ saves: { arn: 'Table.TableArn' } }).givesPartly({ Table: partial({}) });
const learnStream = describeTable({
  saves: { arn: 'Table.TableArn', stream: 'Table.LatestStreamArn', label: 'Table.LatestStreamLabel' },
}).givesPartly({ Table: partial({}) });

/** Denies something that no row does, so it needs no principal that exists. */
function policy(statement: JsonObject = {}): string {
  const usual = { Effect: 'Deny', Principal: '*', Action: 'dynamodb:GetItem', Resource: '*' };
  return JSON.stringify({ Version: '2012-10-17', Statement: [{ ...usual, ...statement }] });
}

const put = (text: string, more: JsonObject = {}): Call =>
  call('PutResourcePolicy', { ResourceArn: '$arn', Policy: text, ...more });
const putAs = (name: string, text: string, more: JsonObject = {}): Call =>
  call('PutResourcePolicy', { ResourceArn: '$arn', Policy: text, ...more }, { saves: { [name]: 'RevisionId' } });
const get = (ResourceArn = '$arn'): Call => call('GetResourcePolicy', { ResourceArn }, { eventually: true });
const remove = (more: JsonObject = {}): Call => call('DeleteResourcePolicy', { ResourceArn: '$arn', ...more });
const wait = check('after the cool-down', ({ advanceClock }) => Promise.resolve(advanceClock(16_000)));

export const resourcePolicyRows: readonly Row[] = [
  row('resource-policy/none', 'DB-132', `${MOTO}; ${ACK_2026}`, {
    table: hashTable,
    steps: [learnArn, get().fails('PolicyNotFoundException', `${NOT_FOUND}$arn`), remove().gives({})],
  }),
  row('resource-policy/put-and-get', 'DB-131 DB-132', docs('API_PutResourcePolicy'), {
    table: hashTable,
    steps: [
      learnArn,
      putAs('revision', policy()).gives({ RevisionId: matching(/^\d{13}$/) }),
      get().gives({ Policy: policy(), RevisionId: '$revision' }),
    ],
  }),
  row('resource-policy/canonical-form', 'DB-131', ACK_2026, {
    table: hashTable,
    steps: [
      learnArn,
      check('the same policy in other words is the same policy', async ({ succeed, expect }) => {
        const { Table } = (await succeed('DescribeTable', { TableName: '$T' })) as { Table: { TableArn: string } };
        const account = Table.TableArn.split(':')[4] ?? '';
        const statement = { Sid: 'one', Effect: 'allow', Action: ['dynamodb:GetItem'], Resource: [Table.TableArn] };
        const written = [
          { Version: '2012-10-17', Statement: [{ Principal: { AWS: account }, ...statement }] },
          { Statement: { ...statement, Principal: { AWS: [`arn:aws:iam::${account}:root`] } }, Version: '2012-10-17' },
        ].map((document) => JSON.stringify(document, undefined, 2));
        const revisions = new Set<unknown>();
        for (const Policy of written) {
          const { RevisionId } = await succeed('PutResourcePolicy', { ResourceArn: Table.TableArn, Policy });
          revisions.add(RevisionId);
        }
        expect('revisions', revisions.size, 1);
      }),
      get().givesPartly({
        Policy: matching(
          /^\{"Version":"2012-10-17","Statement":\[\{"Sid":"one","Effect":"Allow","Principal":\{"AWS":"arn:aws:iam::\d{12}:root"\},"Action":"dynamodb:GetItem","Resource":"arn:[^"]+"\}\]\}$/,
        ),
      }),
    ],
  }),
  row('resource-policy/without-version', 'DB-131', ACK_2026, {
    table: hashTable,
    steps: [
      learnArn,
      put(JSON.stringify({ Statement: [JSON.parse(policy()).Statement[0]] })).succeeds(),
      get().givesPartly({ Policy: matching(/^\{"Version":"2008-10-17"/) }),
    ],
  }),
  row('resource-policy/given-at-creation', 'DB-132 DB-135', `${docs('API_CreateTable')}; ${ACK_2026}`, {
    table: table('pk:S', { more: { ResourcePolicy: policy() } }),
    steps: [learnArn, get().gives({ Policy: policy(), RevisionId: matching(/^\d{13}$/) })],
  }),
  row('resource-policy/expected-revision', 'DB-132', MOTO, {
    needs: ['clock'],
    table: hashTable,
    steps: [
      learnArn,
      put(policy(), { ExpectedRevisionId: 'unknown' }).fails(
        'PolicyNotFoundException',
        messageContaining('Requested update for policy with revision id unknown, but table $T has no associated'),
      ),
      putAs('first', policy(), { ExpectedRevisionId: 'NO_POLICY' }).succeeds(),
      put(policy({ Sid: 'two' }), { ExpectedRevisionId: 'NO_POLICY' }).fails(
        'PolicyNotFoundException',
        `${NOT_FOUND}Requested policy update expecting none to be present for table $T, but a policy exists with revision id $first.`,
      ),
      remove({ ExpectedRevisionId: 'unknown' }).fails(
        'PolicyNotFoundException',
        `${NOT_FOUND}Requested update for policy with revision id unknown, but the policy associated to target table $T has revision id $first.`,
      ),
      wait,
      putAs('second', policy({ Sid: 'two' }), { ExpectedRevisionId: '$first' }).succeeds(),
      wait,
      remove({ ExpectedRevisionId: '$second' }).gives({ RevisionId: '$second' }),
      get().fails('PolicyNotFoundException', `${NOT_FOUND}$arn`),
      remove().gives({ RevisionId: matching(/^\d{13}$/) }),
    ],
  }),
  row('resource-policy/cool-down', 'DB-132', `${CONSIDERATIONS}; ${ACK_2026}`, {
    needs: ['clock'],
    table: hashTable,
    steps: [
      learnArn,
      put(policy()).succeeds(),
      put(policy({ Sid: 'two' })).fails(
        'ThrottlingException',
        matching(
          /^Resource-based policy for table \S+ modified within the previous 15000 milliseconds\. Please try again after \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\.$/,
        ),
      ),
      // An equivalent policy is no change.
      put(policy()).succeeds(),
      wait,
      put(policy({ Sid: 'two' })).succeeds(),
    ],
  }),
  row('resource-policy/of-a-stream', 'DB-132', ACK_2026, {
    table: table('pk:S', { more: { StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' } } }),
    steps: [
      learnStream,
      call('PutResourcePolicy', {
        ResourceArn: '$stream',
        Policy: policy({ Action: ['dynamodb:DescribeStream', 'dynamodb:GetRecords'], Resource: '$stream' }),
      }).succeeds(),
      get('$stream').gives({ Policy: matching(/GetRecords/), RevisionId: anyString }),
      get().fails('PolicyNotFoundException', `${NOT_FOUND}$arn`),
      put(policy()).succeeds(),
    ],
  }),
  row('resource-policy/no-such-stream', 'DB-132 DB-275', ACK_2026, {
    table: hashTable,
    steps: [
      learnArn,
      get('$arn/stream/2000-01-01T00:00:00.000').fails(
        'ResourceNotFoundException',
        'Requested resource not found: Stream: 2000-01-01T00:00:00.000 not found for Table: $T',
      ),
    ],
  }),
  row('resource-policy/no-such-table', 'DB-132 DB-275', MOTO, {
    table: hashTable,
    steps: [
      learnArn,
      ...['PutResourcePolicy', 'GetResourcePolicy', 'DeleteResourcePolicy'].map((action) =>
        call(action, {
          ResourceArn: '$arn_',
          ...(action === 'PutResourcePolicy' && { Policy: policy() }),
        }).fails('ResourceNotFoundException', 'Requested resource not found: Table: $T_ not found'),
      ),
    ],
  }),
  row('resource-policy/arns', 'DB-132', ACK_2026, {
    table: hashTable,
    steps: [
      learnArn,
      get('$T').invalid(`${INVALID}ARNs must start with 'arn:': $T`),
      get('$arn/index/one').invalid(
        `${INVALID}Invalid resource arn provided, only table or stream is accepted. Provided resource arn: $arn/index/one`,
      ),
      get('$arn/backup/0170').invalid(`${INVALID}Provided Arn is not a DynamoDB resource arn: $arn/backup/0170`),
      get('arn:aws:dynamodb:us-east-1:123456789012:table/$T').invalid(
        'This action is only supported by accounts that match the resource owner’s account.',
      ),
    ],
  }),
  row('resource-policy/documents', 'DB-131', ACK_2026, {
    table: hashTable,
    steps: [
      learnArn,
      put('').invalid(`${DOCUMENT}This policy contains invalid Json`),
      put('{not json').invalid(`${DOCUMENT}This policy contains invalid Json`),
      put(JSON.stringify({ Version: '2012-10-17', Statement: [] })).invalid(
        `${DOCUMENT}Could not parse the policy: Statement is empty!`,
      ),
      put(policy({ Resource: undefined })).invalid(`${DOCUMENT}Missing required field Resource`),
      put(
        JSON.stringify({
          Version: '2012-10-17',
          Statement: [1, 2].map(() => JSON.parse(policy({ Sid: 'same' })).Statement[0]),
        }),
      ).invalid(`${DOCUMENT}The Statement Ids in the policy are not unique`),
      put(policy({ Action: 'dynamodb:GetRecords' })).invalid(
        `${DOCUMENT}The following action names are invalid: "dynamodb:GetRecords"`,
      ),
      put(policy({ Resource: '$arn/stream/2026-10-09T00:29:04.041' })).invalid(
        messageContaining('The relative-id "table/$T/stream/2026-10-09T00:29:04.041" is invalid for ARN "$arn/'),
      ),
      put(policy({ Effect: 'Allow' })).invalid(
        'Resource-based policy grants unbounded access in one or more elements. Please revise the policy to ensure least-privilege form of access',
      ),
      put(policy().padEnd(20_481)).invalid(`${INVALID}Maximum policy size of 20480 bytes exceeded`),
      get().fails('PolicyNotFoundException', `${NOT_FOUND}$arn`),
      // The table that a statement names is not compared, and blanks count.
      put(policy({ Resource: ['$arn-other', '$arn/index/any'] })).succeeds(),
    ],
  }),
  row('resource-policy/lockout', 'DB-131', ACK_2026, {
    table: hashTable,
    steps: [
      learnArn,
      put(policy({ Action: 'dynamodb:PutResourcePolicy' })).fails(
        'AccessDeniedException',
        'The new resource policy will not allow you to update the resource policy in the future.',
      ),
      put(policy({ Action: 'dynamodb:DeleteResourcePolicy' })).succeeds(),
    ],
  }),
];
