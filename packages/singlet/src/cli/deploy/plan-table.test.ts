import { describe, expect, test } from 'vitest';
import { readDeployment } from '../../templates/read-tables.ts';
import { planTable } from './plan-table.ts';
import type { PresentTables } from './present-table.ts';
import { printPlan } from './print-plan.ts';

const context = {
  accountId: '000000000000',
  region: 'us-east-1',
  stackName: 'stack',
  given: new Map<string, string>(),
};

const key = {
  AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
};

const unknown = { isKnown: false } as const;
const nothing = { isKnown: true, value: undefined } as const;

/** An endpoint that does not know any of the newer actions. */
const absent: PresentTables = {
  description: undefined,
  tags: [],
  policy: undefined,
  timeToLive: unknown,
  recovery: unknown,
  kinesis: unknown,
  insights: unknown,
  indexInsights: new Map(),
  streamPolicy: undefined,
  replicas: new Map(),
};

async function plan(type: string, properties: object, present: PresentTables = absent): Promise<string> {
  const template = { Resources: { T: { Type: `AWS::DynamoDB::${type}`, Properties: { ...key, ...properties } } } };
  const { tables } = await readDeployment(JSON.stringify(template), context);
  const plans = tables.map((table) => planTable(table, present, { canReplace: false }));
  return printPlan(plans, []);
}

const wanted = {
  PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 7 },
  ContributorInsightsSpecification: { Enabled: true },
  TimeToLiveSpecification: { Enabled: true, AttributeName: 'ttl' },
};

describe('DB-006 plans', () => {
  test('leave out what the endpoint does not support, and say so', async () => {
    expect(await plan('Table', wanted)).toBe(`+ T (stack-T): to be created
    + table stack-T (id HASH)
    ! time to live: this endpoint does not support UpdateTimeToLive, so it is left out
    ! point-in-time recovery: this endpoint does not support UpdateContinuousBackups, so it is left out
    ! contributor insights: this endpoint does not support UpdateContributorInsights, so it is left out

1 change.
`);
  });

  test('switch on what it knows', async () => {
    const knowing = { ...absent, recovery: nothing, insights: nothing, timeToLive: nothing, kinesis: nothing };
    expect(await plan('Table', wanted, knowing)).toBe(`+ T (stack-T): to be created
    + table stack-T (id HASH)
    + time to live on ttl
    + point-in-time recovery of 7 days
    + contributor insights

4 changes.
`);
  });

  test('import the items of a new table', async () => {
    const ImportSourceSpecification = {
      InputFormat: 'DYNAMODB_JSON',
      InputCompressionType: 'GZIP',
      S3BucketSource: { S3Bucket: 'bucket', S3KeyPrefix: 'orders/' },
    };
    expect(await plan('Table', { ImportSourceSpecification })).toContain(
      '    + table stack-T (id HASH) with the items of s3://bucket/orders/\n',
    );
  });

  test('add and remove replicas', async () => {
    const Replicas = ['us-east-1', 'eu-west-1'].map((Region) => ({ Region }));
    expect(await plan('GlobalTable', { Replicas })).toContain('    + replica in eu-west-1\n');
    const description = {
      ...key,
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' as const }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' as const }],
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' as const },
      TableArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/stack-T',
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' as const },
      Replicas: [{ RegionName: 'ap-south-1' }],
    };
    const elsewhere = { ...description, Replicas: [{ RegionName: 'eu-west-1' }] };
    const replicas = new Map([['eu-west-1', absent]]);
    expect(await plan('GlobalTable', { Replicas }, { ...absent, description: elsewhere, replicas })).toContain(
      '    ! eu-west-1: this endpoint does not serve the replica, so its own settings are left out; name its endpoint with --replica-endpoint eu-west-1=URL',
    );
    expect(await plan('GlobalTable', { Replicas }, { ...absent, description })).toBe(`~ T (stack-T): to be changed
    - replica in ap-south-1
    + replica in eu-west-1

2 changes.
`);
  });
});
