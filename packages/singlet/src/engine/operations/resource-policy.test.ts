import { describe, expect, test } from 'vitest';
import { refusal, validation } from '../testing/refusal.ts';
import { onDemandTable } from '../testing/table-requests.ts';
import { createdTable, presentTable } from '../testing/test-engine.ts';
import {
  testContext,
  type TestServices,
  testServices,
  type TestServicesOptions,
  testStartMs,
} from '../testing/test-services.ts';
import { tableRecordKey } from '../catalog/table.ts';
import { createTable } from './create-table.ts';
import { deleteResourcePolicy } from './delete-resource-policy.ts';
import { deleteTable } from './delete-table.ts';
import { getResourcePolicy } from './get-resource-policy.ts';
import { putResourcePolicy, type PutResourcePolicyRequest } from './put-resource-policy.ts';
import { updateTable } from './update-table.ts';

const arn = 'arn:aws:dynamodb:us-east-1:000000000000:table/Table';
const streamArn = `${arn}/stream/2024-01-01T00:00:00.000`;

function policy(statement: object = {}, rest: object = { Version: '2012-10-17' }): string {
  const usual = {
    Effect: 'Allow',
    Principal: { AWS: '111122223333' },
    Action: 'dynamodb:GetItem',
    Resource: '*',
  };
  return JSON.stringify({ ...rest, Statement: [{ ...usual, ...statement }] });
}

const streamPolicy = policy({ Action: 'dynamodb:GetRecords', Resource: streamArn });

async function openTable(options: TestServicesOptions = {}): Promise<TestServices> {
  const services = testServices(options);
  const streamSpecification = { streamEnabled: true, streamViewType: 'KEYS_ONLY' } as const;
  await createdTable(services, onDemandTable({ streamSpecification }));
  services.clock.advance(services.lifecycleDelayMs);
  return services;
}

const put = (services: TestServices, request: Partial<PutResourcePolicyRequest> = {}) =>
  putResourcePolicy(services, { resourceArn: arn, policy: policy(), ...request }, testContext);
const read = (services: TestServices, resourceArn = arn) => getResourcePolicy(services, { resourceArn }, testContext);
const remove = (services: TestServices, expectedRevisionId?: string, resourceArn = arn) =>
  deleteResourcePolicy(services, { resourceArn, expectedRevisionId }, testContext);

const none = 'PolicyNotFoundException: Resource-based policy not found for the provided ResourceArn: ';

describe('DB-132 resource policies', () => {
  test('are put, read in canonical form, and deleted', async () => {
    const services = await openTable();
    expect(await refusal(read(services))).toBe(none + arn);
    expect(await remove(services)).toEqual({});
    const { revisionId } = await put(services);
    expect(revisionId).toBe(String(testStartMs));
    expect(await read(services)).toEqual({
      revisionId,
      policy: policy({ Principal: { AWS: 'arn:aws:iam::111122223333:root' } }),
    });
    services.clock.advance(15_000);
    expect(await remove(services)).toEqual({ revisionId });
    expect(await refusal(read(services))).toBe(none + arn);
    // A second deletion answers the revision of the first.
    expect(await remove(services)).toEqual({ revisionId: String(testStartMs + 15_000) });
  });

  test('that say the same change nothing, whenever and however they are put', async () => {
    const services = await openTable();
    const { revisionId } = await put(services);
    const version = (await presentTable(services, 'Table')).record.version;
    const same = policy({ Principal: { AWS: ['arn:aws:iam::111122223333:root'] }, Action: ['dynamodb:GetItem'] });
    expect(await put(services, { policy: JSON.stringify(JSON.parse(same), undefined, 4) })).toEqual({ revisionId });
    expect((await presentTable(services, 'Table')).record.version).toBe(version);
  });

  test('without a version are shown with the old one, and are not the same as with it', async () => {
    const services = await openTable();
    const { revisionId } = await put(services, { policy: policy({}, {}) });
    const shown = await read(services);
    expect(JSON.parse(shown.policy)).toHaveProperty('Version', '2008-10-17');
    services.clock.advance(15_000);
    const again = await put(services, { policy: shown.policy });
    expect(again.revisionId).not.toBe(revisionId);
    expect(await put(services, { policy: shown.policy })).toEqual(again);
  });

  test('may be changed again after fifteen seconds', async () => {
    const services = await openTable();
    await put(services);
    services.clock.advance(14_999);
    const other = policy({ Action: 'dynamodb:*' });
    const tooSoon =
      'ThrottlingException: Resource-based policy for table Table modified within the previous 15000 milliseconds. Please try again after 2024-01-01T00:00:15.000Z.';
    expect(await refusal(put(services, { policy: other }))).toBe(tooSoon);
    expect(await refusal(remove(services))).toBe(tooSoon);
    services.clock.advance(1);
    expect(await put(services, { policy: other })).toEqual({ revisionId: String(testStartMs + 15_000) });
  });

  test('are pending as long as changes of tables take', async () => {
    const services = await openTable({ lifecycleDelayMs: 2000 });
    await put(services);
    services.clock.advance(1999);
    expect(await refusal(put(services, { policy: policy({ Action: 'dynamodb:*' }) }))).toBe(
      'ResourceInUseException: Attempt to change a resource which is still in use: Table is pending previous resource-based policy update: Table',
    );
    expect(await refusal(deleteTable(services, { tableName: 'Table' }, testContext))).toBe(
      'ResourceInUseException: Attempt to change a resource which is still in use: Table: Table has a pending resource-based policy update.',
    );
    services.clock.advance(1);
    await deleteTable(services, { tableName: 'Table' }, testContext);
    // While the table is being deleted its policy can be read, but not changed.
    expect(await read(services)).toHaveProperty('revisionId');
    expect(await refusal(put(services, { policy: policy({ Action: 'dynamodb:*' }) }))).toBe(
      'ResourceInUseException: Attempt to change a resource which is still in use: Table is being deleted: Table',
    );
  });

  test('two changes within one millisecond have two revisions', async () => {
    const services = await openTable({ limits: { resourcePolicyChangeSeconds: 0 } });
    const revisions: string[] = [];
    for (const action of ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query']) {
      revisions.push((await put(services, { policy: policy({ Action: action }) })).revisionId);
      await remove(services);
    }
    expect(new Set(revisions).size).toBe(3);
    expect(revisions.toSorted()).toEqual(revisions);
  });

  test('are changed only from the revision expected', async () => {
    const services = await openTable({ limits: { resourcePolicyChangeSeconds: 0 } });
    expect(await refusal(put(services, { expectedRevisionId: 'x' }))).toBe(
      `${none}Requested update for policy with revision id x, but table Table has no associated policy.`,
    );
    const { revisionId } = await put(services, { expectedRevisionId: 'NO_POLICY' });
    const other = policy({ Action: 'dynamodb:*' });
    expect(await refusal(put(services, { policy: other, expectedRevisionId: 'NO_POLICY' }))).toBe(
      `${none}Requested policy update expecting none to be present for table Table, but a policy exists with revision id ${revisionId}.`,
    );
    const mismatch = `${none}Requested update for policy with revision id x, but the policy associated to target table Table has revision id ${revisionId}.`;
    expect(await refusal(put(services, { policy: other, expectedRevisionId: 'x' }))).toBe(mismatch);
    expect(await refusal(remove(services, 'x'))).toBe(mismatch);
    const next = await put(services, { policy: other, expectedRevisionId: revisionId });
    expect(await remove(services, next.revisionId)).toEqual(next);
    expect(await refusal(remove(services, next.revisionId))).toContain('has no associated policy.');
  });

  test('come with the table and go with it', async () => {
    const services = testServices();
    await createTable(services, onDemandTable({ resourcePolicy: policy() }), testContext);
    expect(await read(services)).toHaveProperty('revisionId', String(testStartMs));
    await deleteTable(services, { tableName: 'Table' }, testContext);
    expect(await refusal(read(services))).toBe(
      'ResourceNotFoundException: Requested resource not found: Table: Table not found',
    );
    await createTable(services, onDemandTable(), testContext);
    expect(await refusal(read(services))).toBe(none + arn);
    const bad = onDemandTable({ tableName: 'Other', resourcePolicy: '{' });
    expect(await refusal(createTable(services, bad, testContext))).toBe(
      validation(
        'One or more parameter values were invalid: Invalid policy document: This policy contains invalid Json',
      ),
    );
  });

  test('that an earlier version kept as text are read', async () => {
    const services = await openTable();
    const { record } = await presentTable(services, 'Table');
    const key = tableRecordKey(record.accountId, record.region, record.tableName);
    const older = { ...record, resourcePolicy: policy() };
    await services.store.write([], () => ({
      answer: undefined,
      writes: [{ key, value: Buffer.from(JSON.stringify(older), 'utf8') }],
    }));
    expect(await read(services)).toEqual({ policy: policy(), revisionId: String(testStartMs) });
    services.clock.advance(15_000);
    expect(await refusal(put(services, { policy: policy({ Action: 'dynamodb:*' }) }))).toBe('done');
  });

  test('of a stream is its own', async () => {
    const services = await openTable();
    await put(services);
    expect(await refusal(read(services, streamArn))).toBe(none + streamArn);
    const { revisionId } = await put(services, { resourceArn: streamArn, policy: streamPolicy });
    expect((await read(services, streamArn)).revisionId).toBe(revisionId);
    expect((await read(services)).policy).toContain('GetItem');
    services.clock.advance(15_000);
    // The stream keeps its policy when it is switched off.
    const streamSpecification = { streamEnabled: false };
    await updateTable(services, { tableName: 'Table', streamSpecification }, testContext);
    expect(await remove(services, revisionId, streamArn)).toEqual({ revisionId });
    expect(await refusal(read(services, streamArn))).toBe(none + streamArn);
    services.clock.advance(24 * 3_600_000);
    expect(await refusal(read(services, streamArn))).toBe(
      'ResourceNotFoundException: Requested resource not found: Stream: 2024-01-01T00:00:00.000 not found for Table: Table',
    );
  });
});

describe('DB-132 resource policies that cannot be', () => {
  const invalid = 'One or more parameter values were invalid: ';
  const document = `${invalid}Invalid policy document: `;

  test.each([
    [policy({ Principal: undefined }), `${document}Missing required field Principal`],
    [
      policy({ Action: ['dynamodb:GetRecords', 'dynamodb:GetItem', 's3:GetObject', 'dynamodb:Nothing*'] }),
      `${document}The following action names are invalid: "dynamodb:GetRecords", "s3:GetObject", "dynamodb:Nothing*"`,
    ],
    [
      policy({ Resource: streamArn }),
      `${document}The relative-id "table/Table/stream/2024-01-01T00:00:00.000" is invalid for ARN "${streamArn}"`,
    ],
    [policy({ Resource: 'Table' }), `${document}Resource Table must be in ARN format or "*".`],
    [policy({ Principal: { AWS: 'bob' } }), `${invalid}Invalid principal in policy document.`],
    [
      policy({ Principal: '*' }),
      'Resource-based policy grants unbounded access in one or more elements. Please revise the policy to ensure least-privilege form of access',
    ],
    [
      policy({ Principal: { AWS: '*' }, Condition: { StringLike: { 'aws:PrincipalArn': '*' } } }),
      'Resource-based policy grants unbounded access in one or more elements. Please revise the policy to ensure least-privilege form of access',
    ],
    [`${policy()}${' '.repeat(20_480)}`, `${invalid}Maximum policy size of 20480 bytes exceeded`],
  ])('%s', async (text, expected) => {
    const services = await openTable();
    expect(await refusal(put(services, { policy: text }))).toBe(validation(expected));
    expect(await refusal(read(services))).toBe(none + arn);
  });

  test.each([
    policy({ Resource: 'arn:aws:dynamodb:us-east-1:000000000000:table/Other' }),
    policy({ Resource: [`${arn}/index/*`, `${arn}*`, 'arn:aws:dynamodb:*:*:*'] }),
    policy({ Action: ['dynamodb:*', 'DYNAMODB:getitem', '*'] }),
    policy({ Effect: 'Deny', Principal: '*' }),
    policy({ Principal: '*', Condition: { StringEquals: { 'aws:PrincipalOrgID': 'o-1' } } }),
    policy({ Principal: { Service: 'redshift.amazonaws.com' } }),
    policy().padEnd(20_480),
  ])('accepted: %s', async (text) => {
    expect(await refusal(put(await openTable(), { policy: text }))).toBe('done');
  });

  test('a stream takes actions and ARNs of streams', async () => {
    const services = await openTable();
    const attempt = (statement: object) =>
      refusal(put(services, { resourceArn: streamArn, policy: policy(statement) }));
    expect(await attempt({ Resource: streamArn })).toBe(
      validation(`${document}The following action names are invalid: "dynamodb:GetItem"`),
    );
    expect(await attempt({ Action: 'dynamodb:DescribeStream', Resource: arn })).toBe(
      validation(`${document}The relative-id "table/Table" is invalid for ARN "${arn}"`),
    );
  });

  test('no caller is locked out without saying so', async () => {
    const services = await openTable();
    const deny = policy({ Effect: 'Deny', Principal: '*', Action: ['dynamodb:PutResourcePolicy'] });
    expect(await refusal(put(services, { policy: deny }))).toBe(
      'AccessDeniedException: The new resource policy will not allow you to update the resource policy in the future.',
    );
    const others = [
      policy({ Effect: 'Deny', Principal: '*', Action: 'dynamodb:DeleteResourcePolicy' }),
      policy({ Effect: 'Deny', Principal: { AWS: '111122223333' }, Action: 'dynamodb:*' }),
      policy({ Effect: 'Deny', Principal: '*', Action: 'dynamodb:*', Resource: `${arn}-other` }),
    ];
    for (const other of others) {
      expect(await refusal(put(await openTable(), { policy: other }))).toBe('done');
    }
    expect(await refusal(put(services, { policy: deny, confirmRemoveSelfResourceAccess: true }))).toBe('done');
  });

  test.each([
    ['Table', `${invalid}ARNs must start with 'arn:': Table`],
    ['arn:aws:s3:::bucket', `${invalid}Provided Arn is not a DynamoDB resource arn: arn:aws:s3:::bucket`],
    [`${arn}/backup/1`, `${invalid}Provided Arn is not a DynamoDB resource arn: ${arn}/backup/1`],
    [
      `${arn}/index/one`,
      `${invalid}Invalid resource arn provided, only table or stream is accepted. Provided resource arn: ${arn}/index/one`,
    ],
    [
      arn.replace('000000000000', '000000000001'),
      'This action is only supported by accounts that match the resource owner’s account.',
    ],
    [arn.replace('us-east-1', 'eu-west-1'), `${invalid}Invalid resource Arn: ${arn.replace('us-east-1', 'eu-west-1')}`],
    [arn.replace('aws:', 'aws-cn:'), `${invalid}Invalid resource Arn: ${arn.replace('aws:', 'aws-cn:')}`],
    [`${arn}/stream`, `${invalid}Invalid resource Arn: ${arn}/stream`],
  ])('of %s', async (resourceArn, expected) => {
    const services = await openTable();
    expect(await refusal(read(services, resourceArn))).toBe(validation(expected));
    expect(await refusal(put(services, { resourceArn }))).toBe(validation(expected));
    expect(await refusal(remove(services, undefined, resourceArn))).toBe(validation(expected));
  });

  test('of what is not there', async () => {
    const services = await openTable();
    const notFound = 'ResourceNotFoundException: Requested resource not found: ';
    expect(await refusal(read(services, `${arn}_`))).toBe(`${notFound}Table: Table_ not found`);
    expect(await refusal(put(services, { resourceArn: `${arn}_` }))).toBe(`${notFound}Table: Table_ not found`);
    expect(await refusal(remove(services, undefined, `${arn}_`))).toBe(`${notFound}Table: Table_ not found`);
    for (const label of ['2000-01-01T00:00:00.000', 'nonsense']) {
      const resourceArn = `${arn}/stream/${label}`;
      const missing = `${notFound}Stream: ${label} not found for Table: Table`;
      expect(await refusal(read(services, resourceArn))).toBe(missing);
      expect(await refusal(put(services, { resourceArn, policy: streamPolicy }))).toBe(missing);
      expect(await refusal(remove(services, undefined, resourceArn))).toBe(missing);
    }
  });
});
