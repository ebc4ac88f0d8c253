import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as sdk from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readDeployment } from '../src/templates/read-tables.ts';
import { runDeploy } from '../src/cli/deploy-command.ts';
import { createDatabase, type Database, type DatabaseServer, serve } from '../src/index.ts';

/** A table as the AWS provider plans it: every argument is present, and null, empty or false if it was not given. */
const orders = {
  attribute: [
    { name: 'pk', type: 'S' },
    { name: 'sk', type: 'S' },
    { name: 'state', type: 'S' },
    { name: 'total', type: 'N' },
  ],
  billing_mode: 'PROVISIONED',
  deletion_protection_enabled: null,
  global_secondary_index: [
    {
      hash_key: 'state',
      range_key: 'total',
      key_schema: [],
      name: 'byState',
      non_key_attributes: ['note'],
      on_demand_throughput: [],
      projection_type: 'INCLUDE',
      read_capacity: 2,
      write_capacity: 3,
    },
  ],
  hash_key: 'pk',
  import_table: [],
  local_secondary_index: [{ name: 'byTotal', non_key_attributes: null, projection_type: 'ALL', range_key: 'total' }],
  name: 'orders',
  on_demand_throughput: [],
  point_in_time_recovery: [{ enabled: true, recovery_period_in_days: 7 }],
  range_key: 'sk',
  read_capacity: 5,
  replica: [],
  restore_date_time: null,
  restore_source_name: null,
  restore_source_table_arn: null,
  restore_to_latest_time: null,
  server_side_encryption: [{ enabled: false, kms_key_arn: '' }],
  stream_enabled: true,
  stream_view_type: 'NEW_AND_OLD_IMAGES',
  table_class: null,
  tags: { team: 'shop', empty: '' },
  tags_all: { team: 'shop', empty: '', stage: 'test' },
  timeouts: null,
  ttl: [{ attribute_name: 'expires', enabled: true }],
  write_capacity: 5,
};

const events = {
  attribute: [{ name: 'id', type: 'S' }],
  billing_mode: 'PAY_PER_REQUEST',
  global_secondary_index: [],
  hash_key: 'id',
  name: 'events',
  on_demand_throughput: [{ max_read_request_units: 100, max_write_request_units: -1 }],
  range_key: null,
  read_capacity: null,
  write_capacity: null,
  stream_enabled: null,
  stream_view_type: '',
  ttl: [],
};

const resource = (type: string, name: string, values: object, more: object = {}) => ({
  address: `${type}.${name}`,
  mode: 'managed',
  type,
  name,
  provider_name: 'provider',
  schema_version: 1,
  values,
  sensitive_values: {},
  ...more,
});

function planOf(...resources: readonly object[]) {
  return {
    format_version: '1.2',
    terraform_version: '1.9.0',
    planned_values: {
      root_module: {
        resources: [resource('aws_dynamodb_table', 'orders', orders), ...resources],
        child_modules: [
          {
            address: 'module.log',
            resources: [
              resource('aws_dynamodb_table', 'events', events, { address: 'module.log.aws_dynamodb_table.events' }),
            ],
          },
        ],
      },
    },
    resource_changes: [],
  };
}

describe('singlet deploy of a plan of Terraform', () => {
  let database: Database;
  let server: DatabaseServer;
  let client: sdk.DynamoDBClient;
  let directory: string;

  beforeEach(async () => {
    database = await createDatabase();
    server = await serve(database);
    client = new sdk.DynamoDBClient(database.clientConfig());
    directory = mkdtempSync(join(tmpdir(), 'singlet-terraform-'));
  });
  afterEach(async () => {
    await server.close();
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function deploy(plan: object, flags: { readonly skip?: readonly string[] } = {}) {
    let printed = '';
    const file = join(directory, 'plan.json');
    writeFileSync(file, JSON.stringify(plan));
    const usual = {
      endpoint: server.url,
      region: 'us-east-1',
      account: '000000000000',
      parameter: new Map(),
      yes: true,
    };
    const code = await runDeploy(file, { ...usual, ...flags }, { write: (text) => (printed += text) });
    return { code, printed };
  }

  const table = async (TableName: string) => (await client.send(new sdk.DescribeTableCommand({ TableName }))).Table;

  test('makes the tables of all modules, and changes nothing the second time', async () => {
    const plan = planOf(
      resource('aws_s3_bucket', 'files', { bucket: 'files' }),
      resource('aws_dynamodb_contributor_insights', 'orders', { table_name: 'orders', index_name: '', mode: null }),
      resource('aws_dynamodb_table', 'theirs', { name: 'theirs' }, { mode: 'data' }),
    );
    const { code, printed } = await deploy(plan);
    expect(code).toBe(0);
    expect(printed).toContain('+ orders: to be created');
    expect(printed).toContain('+ events: to be created');
    expect(printed).toContain('aws_s3_bucket.files: skipped, aws_s3_bucket');
    expect(printed).not.toContain('theirs');
    const made = await table('orders');
    expect(made).toMatchObject({
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 5 },
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byState',
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['note'] },
          ProvisionedThroughput: { ReadCapacityUnits: 2, WriteCapacityUnits: 3 },
        },
      ],
      LocalSecondaryIndexes: [
        {
          IndexName: 'byTotal',
          KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' },
            { AttributeName: 'total', KeyType: 'RANGE' },
          ],
        },
      ],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    });
    expect(made?.SSEDescription).toBeUndefined();
    const TableName = 'orders';
    expect((await client.send(new sdk.DescribeTimeToLiveCommand({ TableName }))).TimeToLiveDescription).toEqual({
      AttributeName: 'expires',
      TimeToLiveStatus: 'ENABLED',
    });
    const backups = await client.send(new sdk.DescribeContinuousBackupsCommand({ TableName }));
    expect(backups.ContinuousBackupsDescription?.PointInTimeRecoveryDescription).toMatchObject({
      PointInTimeRecoveryStatus: 'ENABLED',
      RecoveryPeriodInDays: 7,
    });
    const insights = await client.send(new sdk.DescribeContributorInsightsCommand({ TableName }));
    expect(insights.ContributorInsightsStatus).toBe('ENABLED');
    const { Tags } = await client.send(new sdk.ListTagsOfResourceCommand({ ResourceArn: made?.TableArn }));
    expect(Tags).toHaveLength(3);
    expect(Tags).toEqual(expect.arrayContaining([{ Key: 'empty', Value: '' }]));
    expect(await table('events')).toMatchObject({
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
      OnDemandThroughput: { MaxReadRequestUnits: 100 },
    });
    expect((await deploy(plan)).printed).toContain('No changes.');
  });

  test('ends with an error that lists what it does not set up, unless that is left out knowingly', async () => {
    const scaling = resource('aws_appautoscaling_target', 'reads', { service_namespace: 'dynamodb' });
    const mapping = resource('aws_lambda_event_source_mapping', 'worker', { function_name: 'worker' });
    const queue = resource('aws_lambda_event_source_mapping', 'queue', { event_source_arn: 'arn:aws:sqs:x:1:q' });
    const item = resource('aws_dynamodb_table_item', 'first', { table_name: 'orders', item: '{}' });
    const plan = planOf(scaling, mapping, queue, item);
    await expect(deploy(plan)).rejects.toThrow(/aws_appautoscaling_target\.reads[^]*worker[^]*aws_dynamodb_table_item/);
    expect((await table('orders'))?.TableStatus).toBe('ACTIVE');
    await expect(deploy(plan)).rejects.not.toThrow('sqs');
    const skip = ['aws_appautoscaling_target', 'aws_lambda_event_source_mapping', 'aws_dynamodb_table_item'];
    expect(await deploy(plan, { skip })).toMatchObject({ code: 0 });
  });

  test('sets up auto scaling', async () => {
    const common = {
      service_namespace: 'dynamodb',
      resource_id: 'table/orders',
      scalable_dimension: 'dynamodb:table:ReadCapacityUnits',
    };
    const scaling = resource('aws_appautoscaling_target', 'reads', { ...common, min_capacity: 1, max_capacity: 9 });
    const tracking = {
      target_value: 70.5,
      scale_in_cooldown: 60,
      scale_out_cooldown: null,
      disable_scale_in: false,
      customized_metric_specification: [],
      predefined_metric_specification: [
        { predefined_metric_type: 'DynamoDBReadCapacityUtilization', resource_label: null },
      ],
    };
    const policy = resource('aws_appautoscaling_policy', 'reads', {
      ...common,
      name: 'reads',
      policy_type: 'TargetTrackingScaling',
      step_scaling_policy_configuration: [],
      target_tracking_scaling_policy_configuration: [tracking],
    });
    const plan = planOf(policy, scaling);
    const { printed } = await deploy(plan);
    expect(printed).toContain('+ scalable target dynamodb:table:ReadCapacityUnits: 1 to 9\n');
    expect(printed).toContain('+ scaling policy reads of dynamodb:table:ReadCapacityUnits: 70.5 %\n');
    expect((await deploy(plan)).printed).toContain('No changes.');
  });

  test('says so where settings are of a table that is not in the plan', async () => {
    const insights = resource('aws_dynamodb_contributor_insights', 'other', { table_name: 'other' });
    await expect(deploy(planOf(insights))).rejects.toThrow(/aws_dynamodb_contributor_insights\.other/);
  });

  test.each([
    ['no values', { format_version: '1.2', resource_changes: [] }, 'terraform show -json'],
    ['a name that is not known yet', planOf(resource('aws_dynamodb_table', 'a', { hash_key: 'x' })), 'a.name'],
    [
      'an argument that is not known',
      planOf(resource('aws_dynamodb_table', 'a', { ...events, colour: 'red' })),
      'colour',
    ],
    ['another region', planOf(resource('aws_dynamodb_table', 'a', { ...events, region: 'eu-west-1' })), '--region eu-'],
    [
      'strong consistency of replicas',
      planOf(
        resource('aws_dynamodb_table', 'a', {
          ...events,
          replica: [{ region_name: 'eu-west-1', consistency_mode: 'STRONG' }],
        }),
      ),
      'EVENTUAL',
    ],
  ])('refuses %s', async (_, plan, message) => {
    await expect(deploy(plan)).rejects.toThrow(message);
  });

  test('reads replicas and a state as well as a plan', async () => {
    const replica = { region_name: 'eu-west-1', kms_key_arn: null, point_in_time_recovery: true, propagate_tags: true };
    const { planned_values: values } = planOf(
      resource('aws_dynamodb_table', 'world', { ...orders, name: 'world', replica: [replica] }),
    );
    const { tables } = await readDeployment(JSON.stringify({ format_version: '1.0', values }), {
      accountId: '000000000000',
      region: 'us-east-1',
      stackName: 'x',
      given: new Map(),
    });
    expect(tables.map(({ logicalId }) => logicalId)).toEqual(['orders', 'world', 'events']);
    expect(tables[1]?.replicas).toMatchObject([
      {
        region: 'eu-west-1',
        create: { TableName: 'world', GlobalSecondaryIndexes: [{ IndexName: 'byState' }], Tags: { length: 3 } },
        more: { pointInTimeRecovery: { PointInTimeRecoveryEnabled: true } },
      },
    ]);
  });
});
