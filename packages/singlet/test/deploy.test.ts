import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as sdk from '@aws-sdk/client-dynamodb';
import { ApplicationAutoScalingClient, DescribeScalableTargetsCommand } from '@aws-sdk/client-application-auto-scaling';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { applyDeployment, planDeployment } from '../src/cli/deploy/deploy.ts';
import { readDeployment } from '../src/templates/read-tables.ts';
import { runDeploy } from '../src/cli/deploy-command.ts';
import { createDatabase, type Database, type DatabaseServer, serve } from '../src/index.ts';
import { KinesisReceiver } from './kinesis-receiver.ts';

const template = fileURLToPath(new URL('deploy-template.yaml', import.meta.url));

describe('DB-006 DB-270 singlet deploy', () => {
  let receiver: KinesisReceiver;
  let database: Database;
  let server: DatabaseServer;
  let client: sdk.DynamoDBClient;
  let directory: string;

  beforeAll(async () => {
    receiver = await KinesisReceiver.open();
    receiver.streams.set('deploy-template-Changes', 'ACTIVE');
  });
  afterAll(() => receiver.close());

  beforeEach(async () => {
    database = await createDatabase({ kinesisEndpoint: receiver.url, limits: { resourcePolicyChangeSeconds: 0 } });
    server = await serve(database);
    client = new sdk.DynamoDBClient(database.clientConfig());
    directory = mkdtempSync(join(tmpdir(), 'singlet-deploy-'));
  });
  afterEach(async () => {
    await server.close();
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  });

  interface Outcome {
    readonly code: number;
    readonly printed: string;
  }

  async function deploy(file: string, flags: Partial<Parameters<typeof runDeploy>[1]> = {}): Promise<Outcome> {
    let printed = '';
    const output = { write: (text: string) => (printed += text) };
    const usual = {
      endpoint: server.url,
      region: 'us-east-1',
      account: '000000000000',
      parameter: new Map(),
      yes: true,
    };
    return { code: await runDeploy(file, { ...usual, ...flags }, output), printed };
  }

  /** Writes a file of definitions or a template. */
  function written(content: unknown, name = 'tables.json'): string {
    const file = join(directory, name);
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  }

  const table = async (TableName: string) => (await client.send(new sdk.DescribeTableCommand({ TableName }))).Table;
  const unchanged = { code: 0, printed: expect.stringContaining('\nNo changes.\n') as string };

  test('makes everything that a template says, and changes nothing the second time', async () => {
    expect(await deploy(template, { plan: true })).toMatchObject({ code: 2 });
    await expect(table('orders-test')).rejects.toThrow('not found');
    const { code, printed } = await deploy(template);
    expect(code).toBe(0);
    expect(printed).toContain('+ Orders (orders-test): to be created');
    expect(printed).toContain('Bucket: skipped, AWS::S3::Bucket');
    expect(printed).not.toContain('Extra');
    const orders = await table('orders-test');
    expect(orders).toMatchObject({
      TableStatus: 'ACTIVE',
      ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 5 },
      LocalSecondaryIndexes: [{ IndexName: 'byTotal', Projection: { ProjectionType: 'KEYS_ONLY' } }],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byOwner',
          IndexStatus: 'ACTIVE',
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['note', 'state'] },
          ProvisionedThroughput: { ReadCapacityUnits: 2, WriteCapacityUnits: 2 },
        },
      ],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      SSEDescription: { Status: 'ENABLED', SSEType: 'KMS' },
      TableClassSummary: { TableClass: 'STANDARD_INFREQUENT_ACCESS' },
      DeletionProtectionEnabled: true,
    });
    const TableName = 'orders-test';
    const ResourceArn = orders?.TableArn;
    expect((await client.send(new sdk.DescribeTimeToLiveCommand({ TableName }))).TimeToLiveDescription).toEqual({
      TimeToLiveStatus: 'ENABLED',
      AttributeName: 'expires',
    });
    expect(
      (await client.send(new sdk.DescribeKinesisStreamingDestinationCommand({ TableName })))
        .KinesisDataStreamDestinations,
    ).toMatchObject([{ DestinationStatus: 'ACTIVE', ApproximateCreationDateTimePrecision: 'MICROSECOND' }]);
    expect((await client.send(new sdk.GetResourcePolicyCommand({ ResourceArn }))).Policy).toContain('GetItem');
    expect(
      (await client.send(new sdk.GetResourcePolicyCommand({ ResourceArn: orders?.LatestStreamArn }))).Policy,
    ).toContain('GetRecords');
    expect((await client.send(new sdk.ListTagsOfResourceCommand({ ResourceArn }))).Tags).toEqual([
      { Key: 'stage', Value: 'test' },
      { Key: 'kind', Value: 'trial' },
    ]);
    expect(await table('deploy-template-Simple')).toMatchObject({
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'N' }],
    });
    expect(await table('deploy-template-World')).toMatchObject({
      OnDemandThroughput: { MaxReadRequestUnits: 100, MaxWriteRequestUnits: 50 },
    });
    expect(await deploy(template)).toMatchObject(unchanged);
    expect(await deploy(template, { plan: true })).toMatchObject(unchanged);
  });

  test('makes changes in place, and takes away what a template no longer says', async () => {
    await deploy(template);
    const orders = 'deploy-template.yaml';
    const changed = readFileSync(template, 'utf8')
      .replace('IndexName: byOwner', 'IndexName: byOther')
      .replace(
        '{ ReadCapacityUnits: !Ref Units, WriteCapacityUnits: 5 }',
        '{ ReadCapacityUnits: 7, WriteCapacityUnits: 5 }',
      )
      .replace(/ +StreamSpecification:[^]*?( +SSESpecification)/, '$1')
      .replace(/ +SSESpecification: \{ SSEEnabled.*\n/, '')
      .replace(/ +TableClass: .*\n/, '')
      .replace(/ +DeletionProtectionEnabled: .*\n/, '')
      .replace(/ +KinesisStreamSpecification: .*\n/, '')
      .replace(/ +ResourcePolicy:[^]*?( +Tags:)/, '$1')
      .replace('{ Key: stage, Value: !Ref Stage }', '{ Key: other, Value: x }');
    const { code, printed } = await deploy(written(changed, orders));
    expect(code).toBe(0);
    for (const line of [
      '- index byOwner',
      '+ index byOther (owner HASH, total RANGE; INCLUDE)',
      '~ throughput 7 reads and 5 writes',
      '- stream of NEW_AND_OLD_IMAGES',
      '~ encryption by default',
      '~ table class STANDARD',
      '- Kinesis destination arn:aws:kinesis:us-east-1:000000000000:stream/deploy-template-Changes',
      '- resource policy',
      '- tags stage',
      '+ tags other',
      '- deletion protection',
    ]) {
      expect(printed).toContain(`    ${line}\n`);
    }
    expect(await deploy(written(changed, orders))).toMatchObject(unchanged);
    const present = await table('orders-test');
    expect(present?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName)).toEqual(['byOther']);
    expect(present).not.toHaveProperty('SSEDescription');
    expect(present).toMatchObject({ DeletionProtectionEnabled: false });
  });

  const definition: sdk.CreateTableCommandInput & { readonly TableName: string } = {
    TableName: 'Plain',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  };

  test('adds and removes several indexes, one after the other, with items in the table', async () => {
    await deploy(written(definition));
    for (let at = 0; at < 30; at += 1) {
      const Item = { id: { S: String(at) }, a: { S: 'x' }, b: { N: String(at) }, c: { B: Buffer.from('c') } };
      await client.send(new sdk.PutItemCommand({ TableName: 'Plain', Item }));
    }
    const types = { a: 'S', b: 'N', c: 'B' } as const;
    const index = (name: 'a' | 'b' | 'c'): sdk.GlobalSecondaryIndex => ({
      IndexName: `by-${name}`,
      KeySchema: [{ AttributeName: name, KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
    });
    const withIndexes = (...names: readonly ('a' | 'b' | 'c')[]): object => ({
      ...definition,
      AttributeDefinitions: [
        ...(definition.AttributeDefinitions ?? []),
        ...names.map((AttributeName) => ({ AttributeName, AttributeType: types[AttributeName] })),
      ],
      GlobalSecondaryIndexes: names.map(index),
    });
    expect(await deploy(written(withIndexes('a', 'b', 'c')))).toMatchObject({ code: 0 });
    const { Count } = await client.send(new sdk.ScanCommand({ TableName: 'Plain', IndexName: 'by-b' }));
    expect(Count).toBe(30);
    expect(await deploy(written(withIndexes('c', 'b', 'a')))).toMatchObject(unchanged);
    expect((await deploy(written(withIndexes('b')), { plan: true })).printed).toContain('2 changes.');
    await deploy(written(withIndexes('b')));
    expect((await table('Plain'))?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName)).toEqual(['by-b']);
    await deploy(written(definition));
    expect(await table('Plain')).not.toHaveProperty('GlobalSecondaryIndexes');
    expect((await client.send(new sdk.ScanCommand({ TableName: 'Plain' }))).Count).toBe(30);
  });

  test('takes plain definitions: one, a list, a filled-in skeleton, a description', async () => {
    const skeleton = {
      ...definition,
      TableName: 'Skeleton',
      LocalSecondaryIndexes: [{ IndexName: '', KeySchema: [{ AttributeName: '', KeyType: '' }], Projection: {} }],
      ProvisionedThroughput: { ReadCapacityUnits: 0, WriteCapacityUnits: 0 },
      SSESpecification: { KMSMasterKeyId: '' },
      Tags: [{ Key: '', Value: '' }],
      ResourcePolicy: '',
    };
    expect(await deploy(written([definition, skeleton]))).toMatchObject({ code: 0 });
    const described = { Table: await table('Plain') };
    expect(await deploy(written(described))).toMatchObject(unchanged);
    await client.send(new sdk.DeleteTableCommand({ TableName: 'Plain' }));
    expect(await deploy(written(described))).toMatchObject({ code: 0 });
    // Properties that CreateTable has no member for are ignored.
    const TimeToLiveSpecification = { Enabled: true, AttributeName: 'ttl' };
    await client.send(new sdk.UpdateTimeToLiveCommand({ TableName: 'Plain', TimeToLiveSpecification }));
    expect(await deploy(written(definition))).toMatchObject(unchanged);
  });

  test('does not make a table again unless it is told to, and then not a protected one', async () => {
    await deploy(written(definition));
    await client.send(new sdk.PutItemCommand({ TableName: 'Plain', Item: { id: { S: 'a' } } }));
    const other = { ...definition, AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'N' }] };
    const refused = await deploy(written(other));
    expect(refused.code).toBe(1);
    expect(refused.printed).toContain('because attribute id is of type S and would be of type N');
    expect(refused.printed).toContain('because with --replace it is deleted with all its items and created again');
    expect((await client.send(new sdk.ScanCommand({ TableName: 'Plain' }))).Count).toBe(1);
    await client.send(new sdk.UpdateTableCommand({ TableName: 'Plain', DeletionProtectionEnabled: true }));
    expect((await deploy(written(other), { replace: true })).printed).toContain(
      'the table is protected against deletion',
    );
    await client.send(new sdk.UpdateTableCommand({ TableName: 'Plain', DeletionProtectionEnabled: false }));
    expect(await deploy(written(other), { replace: true })).toMatchObject({ code: 0 });
    expect((await client.send(new sdk.ScanCommand({ TableName: 'Plain' }))).Count).toBe(0);
    expect(await deploy(written(other))).toMatchObject(unchanged);
  });

  test('says what it cannot do', async () => {
    const wanted = { Resources: { T: { Type: 'AWS::DynamoDB::Table', Properties: { ...definition, Typo: 1 } } } };
    await expect(deploy(written(wanted))).rejects.toThrow('Resources.T.Properties.Typo: This is not a known property.');
    await expect(deploy(join(directory, 'none.yaml'))).rejects.toThrow(/^There is no .*none\.yaml\.$/);
    await expect(deploy(directory)).rejects.toThrow(`${directory} is a directory, not a file.`);
    await expect(deploy(template, { parameter: new Map([['Stage', 'other']]) })).rejects.toThrow(
      'Parameters.Stage: "other" is not one of test, prod.',
    );
    await expect(deploy(template, { endpoint: 'nowhere' })).rejects.toThrow('--endpoint takes a URL');
    const bad = { ...definition, KeySchema: [{ AttributeName: 'other', KeyType: 'HASH' }] };
    await expect(deploy(written(bad))).rejects.toThrow(
      /Table Plain, \+ table Plain \(other HASH\): ValidationException: /,
    );
    await expect(deploy(written([definition, definition]))).rejects.toThrow('Plain: There are two tables Plain.');
    const elsewhere = {
      Resources: {
        W: { Type: 'AWS::DynamoDB::GlobalTable', Properties: { ...definition, Replicas: [{ Region: 'eu-west-1' }] } },
      },
    };
    await expect(deploy(written(elsewhere))).rejects.toThrow(
      'There is no replica in us-east-1, the region of the deployment.',
    );
  });

  describe('auto scaling', () => {
    const namespace = 'AWS::ApplicationAutoScaling';
    const target = (logicalId: string, changes: object = {}) => ({
      [logicalId]: {
        Type: `${namespace}::ScalableTarget`,
        Properties: {
          ServiceNamespace: 'dynamodb',
          ResourceId: { 'Fn::Join': ['', ['table/', { Ref: 'Table' }]] },
          ScalableDimension: 'dynamodb:table:WriteCapacityUnits',
          MinCapacity: 2,
          MaxCapacity: { Ref: 'Most' },
          RoleARN: { 'Fn::Sub': 'arn:${AWS::Partition}:iam::${AWS::AccountId}:role/scaling' },
          ...changes,
        },
      },
    });
    const policy = (ScalingTargetId: object, TargetValue = 70) => ({
      Type: `${namespace}::ScalingPolicy`,
      Properties: {
        PolicyName: 'writes',
        PolicyType: 'TargetTrackingScaling',
        ScalingTargetId,
        TargetTrackingScalingPolicyConfiguration: {
          TargetValue,
          PredefinedMetricSpecification: { PredefinedMetricType: 'DynamoDBWriteCapacityUtilization' },
        },
      },
    });
    const index = {
      IndexName: 'byOwner',
      KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
      ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
    };
    const Table = {
      Type: 'AWS::DynamoDB::Table',
      Properties: {
        KeySchema: definition.KeySchema,
        AttributeDefinitions: [
          ...(definition.AttributeDefinitions ?? []),
          { AttributeName: 'owner', AttributeType: 'S' },
        ],
        GlobalSecondaryIndexes: [index],
        TableName: 'Scaled',
        ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 3 },
      },
    };
    const ofIndex = {
      ResourceId: { 'Fn::Sub': 'table/${Table}/index/byOwner' },
      ScalableDimension: 'dynamodb:index:ReadCapacityUnits',
    };
    const most = (Default: number) => ({ Most: { Type: 'Number', Default } });

    test('is set up after the table, changed, and left alone', async () => {
      const scaling = new ApplicationAutoScalingClient(database.clientConfig());
      const Resources = {
        Policy: policy({ Ref: 'Writes' }),
        ...target('Writes'),
        ...target('IndexReads', ofIndex),
        Table,
        // A resource of another service, whose id depends on values not known here.
        Service: {
          Type: `${namespace}::ScalableTarget`,
          Properties: { ServiceNamespace: 'ecs', ResourceId: { Ref: 'X' } },
        },
        Other: policy({ Ref: 'Service' }),
      };
      const file = written({ Parameters: most(50), Resources });
      const { code, printed } = await deploy(file);
      expect(code).toBe(0);
      expect(printed).toContain('+ scalable target dynamodb:table:WriteCapacityUnits: 2 to 50\n');
      expect(printed).toContain('+ scalable target dynamodb:index:ReadCapacityUnits of byOwner: 2 to 50\n');
      expect(printed).toContain('+ scaling policy writes of dynamodb:table:WriteCapacityUnits: 70 %\n');
      expect(await deploy(file)).toMatchObject(unchanged);
      const targets = new DescribeScalableTargetsCommand({ ServiceNamespace: 'dynamodb' });
      expect((await scaling.send(targets)).ScalableTargets).toMatchObject([
        {
          ResourceId: 'table/Scaled',
          MinCapacity: 2,
          MaxCapacity: 50,
          RoleARN: 'arn:aws:iam::000000000000:role/scaling',
        },
        { ResourceId: 'table/Scaled/index/byOwner' },
      ]);
      // The scaled capacity is within the bounds, and stays.
      const ProvisionedThroughput = { ReadCapacityUnits: 3, WriteCapacityUnits: 40 };
      await client.send(new sdk.UpdateTableCommand({ TableName: 'Scaled', ProvisionedThroughput }));
      expect(await deploy(file)).toMatchObject(unchanged);
      const changed = written({
        Parameters: most(30),
        Resources: { ...Resources, Policy: policy({ Ref: 'Writes' }, 50) },
      });
      const second = await deploy(changed);
      expect(second.printed).toContain('~ throughput 3 reads and 3 writes');
      expect(second.printed).toContain('~ scalable target dynamodb:table:WriteCapacityUnits: 2 to 30\n');
      expect(second.printed).toContain('~ scaling policy writes of dynamodb:table:WriteCapacityUnits: 50 %\n');
      expect(await deploy(changed)).toMatchObject(unchanged);
      scaling.destroy();
    });

    test.each<[string, object, RegExp]>([
      [
        'by a schedule',
        { ScheduledActions: [] },
        /Writes\.Properties\.ScheduledActions: Tables are scaled only by their use/,
      ],
      ['without bounds', { MinCapacity: { Ref: 'AWS::NoValue' } }, /Writes\.Properties\.MinCapacity: This is missing/],
      ['of what is not a table', { ResourceId: 'service/x' }, /Writes: service\/x is not a table/],
    ])('%s is refused before anything is done', async (_what, changes, error) => {
      const file = written({ Parameters: most(9), Resources: { Table, ...target('Writes', changes) } });
      await expect(deploy(file)).rejects.toThrow(error);
      await expect(table('Scaled')).rejects.toThrow('not found');
    });
  });

  describe('what a template wants and is not set up', () => {
    const Table = { Type: 'AWS::DynamoDB::Table', Properties: { ...definition, TableName: 'Scaled' } };
    const target = 'AWS::ApplicationAutoScaling::ScalableTarget';
    const mapping = 'AWS::Lambda::EventSourceMapping';
    const scaledWrites = { WriteCapacityAutoScalingSettings: { MinCapacity: 1, MaxCapacity: 9 } };
    const { KeySchema, AttributeDefinitions } = definition;

    test.each<[string, object]>([
      [
        `Other (${mapping}): a function that reads a stream`,
        { Type: mapping, Properties: { EventSourceArn: { 'Fn::GetAtt': ['Table', 'StreamArn'] } } },
      ],
      [
        'Other (AWS::Serverless::Function): a function that reads a stream',
        { Type: 'AWS::Serverless::Function', Properties: { Events: { Changes: { Type: 'DynamoDB' } } } },
      ],
      [
        'Other (AWS::DynamoDB::GlobalTable): auto scaling of replicas',
        {
          Type: 'AWS::DynamoDB::GlobalTable',
          Properties: {
            KeySchema,
            AttributeDefinitions,
            WriteProvisionedThroughputSettings: scaledWrites,
            Replicas: [{ Region: 'us-east-1' }],
          },
        },
      ],
    ])('ends the run with an error, after the tables: %s', async (line, Other) => {
      const file = written({ Resources: { Table, Other } });
      const type = /\((.*)\)/.exec(line)?.[1] ?? '';
      for (const run of ['first', 'second']) {
        await expect(deploy(file), run).rejects.toThrow(`but this was not applied:\n  ${line}\n`);
        expect(await table('Scaled'), run).toMatchObject({ TableStatus: 'ACTIVE' });
      }
      expect(await deploy(file, { plan: true })).toMatchObject({
        code: 0,
        printed: expect.stringMatching(/^! Other: .* is not set up/m) as string,
      });
      expect(await deploy(file, { skip: [type] })).toMatchObject(unchanged);
    });

    test.each<[string, object]>([
      ['a service that scales', { Type: target, Properties: { ServiceNamespace: 'ecs' } }],
      ['a queue', { Type: mapping, Properties: { EventSourceArn: { 'Fn::GetAtt': ['Queue', 'Arn'] } } }],
      ['a function of requests', { Type: 'AWS::Serverless::Function', Properties: { Events: { A: { Type: 'Api' } } } }],
      ['what a condition switches off', { Type: target, Condition: 'Never' }],
    ])('but not %s', async (_, Other) => {
      const Conditions = { Never: { 'Fn::Equals': ['a', 'b'] } };
      expect(await deploy(written({ Conditions, Resources: { Table, Other } }))).toMatchObject({ code: 0 });
    });
  });

  test('prints its plan for programs', async () => {
    const { code, printed } = await deploy(written(definition), { plan: true, json: true });
    expect(code).toBe(2);
    expect(JSON.parse(printed)).toEqual({
      tables: [
        {
          logicalId: 'Plain',
          tableName: 'Plain',
          action: 'create',
          reasons: [],
          notes: [],
          steps: [{ sign: '+', text: 'table Plain (id HASH)' }],
        },
      ],
      skipped: [],
      changes: 1,
    });
  });

  test('any table becomes any other with the same key, and then nothing is left to do', async () => {
    const names = ['a', 'b', 'c'] as const;
    const units = fc.record({
      ReadCapacityUnits: fc.integer({ min: 1, max: 9 }),
      WriteCapacityUnits: fc.integer({ min: 1, max: 9 }),
    });
    const maximum = fc.option(
      fc.record(
        { MaxReadRequestUnits: fc.integer({ min: 1, max: 9 }), MaxWriteRequestUnits: fc.integer({ min: 1, max: 9 }) },
        { requiredKeys: ['MaxReadRequestUnits'] },
      ),
      { nil: undefined },
    );
    const definitions = fc
      .record({
        isProvisioned: fc.boolean(),
        units,
        maximum,
        indexes: fc.uniqueArray(
          fc.record({
            name: fc.constantFrom(...names),
            key: fc.constantFrom(...names),
            projection: fc.constantFrom('ALL', 'KEYS_ONLY', 'INCLUDE'),
            units,
            maximum,
          }),
          { selector: ({ name }) => name, maxLength: 3 },
        ),
        stream: fc.option(fc.constantFrom('KEYS_ONLY', 'NEW_IMAGE'), { nil: undefined }),
        sse: fc.boolean(),
        isProtected: fc.boolean(),
        tags: fc.uniqueArray(fc.record({ Key: fc.constantFrom('x', 'y', 'z'), Value: fc.constantFrom('', '1', '2') }), {
          selector: ({ Key }) => Key,
        }),
      })
      .map((choice) => {
        const used = [...new Set(choice.indexes.map(({ key }) => key))];
        return {
          TableName: 'Any',
          AttributeDefinitions: ['id', ...used].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
          KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
          BillingMode: choice.isProvisioned ? 'PROVISIONED' : 'PAY_PER_REQUEST',
          ...(choice.isProvisioned && { ProvisionedThroughput: choice.units }),
          ...(!choice.isProvisioned && choice.maximum !== undefined && { OnDemandThroughput: choice.maximum }),
          ...(choice.indexes.length > 0 && {
            GlobalSecondaryIndexes: choice.indexes.map((index) => ({
              IndexName: `by-${index.name}`,
              KeySchema: [{ AttributeName: index.key, KeyType: 'HASH' }],
              Projection: {
                ProjectionType: index.projection,
                ...(index.projection === 'INCLUDE' && { NonKeyAttributes: ['n', 'm'] }),
              },
              ...(choice.isProvisioned && { ProvisionedThroughput: index.units }),
              ...(!choice.isProvisioned && index.maximum !== undefined && { OnDemandThroughput: index.maximum }),
            })),
          }),
          ...(choice.stream !== undefined && {
            StreamSpecification: { StreamEnabled: true, StreamViewType: choice.stream },
          }),
          ...(choice.sse && { SSESpecification: { Enabled: true, SSEType: 'KMS' } }),
          DeletionProtectionEnabled: choice.isProtected,
          Tags: choice.tags,
        };
      });
    const context = {
      accountId: '000000000000',
      region: 'us-east-1',
      stackName: 'any',
      given: new Map<string, string>(),
    };
    await fc.assert(
      fc.asyncProperty(fc.array(definitions, { minLength: 2, maxLength: 3 }), async (list) => {
        const own = await createDatabase({
          limits: { throughputDecreaseInFirstHourCountMax: 1000, billingModeSwitchPerDayCountMax: 1000 },
        });
        const ownClient = new sdk.DynamoDBClient(own.clientConfig());
        try {
          for (const wanted of list) {
            const deployment = await readDeployment(JSON.stringify([wanted]), context);
            const plans = await planDeployment(sdk, () => ownClient, deployment, { canReplace: false });
            await applyDeployment(
              sdk,
              () => ownClient,
              plans,
              () => undefined,
            );
            const again = await planDeployment(sdk, () => ownClient, deployment, { canReplace: false });
            expect(again.map(({ action, steps }) => [action, steps.map(({ text }) => text)])).toEqual([
              ['nothing', []],
            ]);
          }
        } finally {
          await own.close();
        }
      }),
      { numRuns: 10 },
    );
  });
});
