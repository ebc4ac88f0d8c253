/** Auto scaling as an application sees it: the SDK's own client of that API, at the same endpoint. */
import {
  ApplicationAutoScalingClient,
  DeleteScalingPolicyCommand,
  DeregisterScalableTargetCommand,
  DescribeScalableTargetsCommand,
  DescribeScalingActivitiesCommand,
  DescribeScalingPoliciesCommand,
  PutScalingPolicyCommand,
  type PutScalingPolicyCommandInput,
  RegisterScalableTargetCommand,
} from '@aws-sdk/client-application-auto-scaling';
import { afterEach, describe, expect, test } from 'vitest';
import { createDatabase, type Database, type DatabaseOptions, type EngineLogEvent, serve } from '../src/index.ts';

const startMs = Date.parse('2026-11-23T00:00:00Z');
const target = {
  ServiceNamespace: 'dynamodb',
  ResourceId: 'table/Orders',
  ScalableDimension: 'dynamodb:table:WriteCapacityUnits',
} as const;
const policy = (changes: Partial<PutScalingPolicyCommandInput['TargetTrackingScalingPolicyConfiguration']> = {}) =>
  new PutScalingPolicyCommand({
    ...target,
    PolicyName: 'half',
    PolicyType: 'TargetTrackingScaling',
    TargetTrackingScalingPolicyConfiguration: {
      TargetValue: 50,
      PredefinedMetricSpecification: { PredefinedMetricType: 'DynamoDBWriteCapacityUtilization' },
      ...changes,
    },
  });

const opened: { close(): Promise<void> | void }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

/** A table under a fixed clock, and the client of its scaling. */
class ScaledTable {
  readonly database: Database;
  readonly client: ApplicationAutoScalingClient;
  readonly logged: readonly EngineLogEvent[];
  readonly #clock: { nowMs: number };

  private constructor(parts: { database: Database; logged: readonly EngineLogEvent[]; clock: { nowMs: number } }) {
    this.database = parts.database;
    this.logged = parts.logged;
    this.#clock = parts.clock;
    this.client = new ApplicationAutoScalingClient({ ...parts.database.clientConfig(), maxAttempts: 1 });
    opened.push({ close: () => this.client.destroy() });
  }

  static async open(options: DatabaseOptions = {}): Promise<ScaledTable> {
    const clock = { nowMs: startMs };
    const logged: EngineLogEvent[] = [];
    const log = (event: EngineLogEvent): void => void logged.push(event);
    const database = await createDatabase({ clock: { nowMs: () => clock.nowMs }, log, ...options });
    opened.push(database);
    await database.request('CreateTable', {
      TableName: 'Orders',
      AttributeDefinitions: ['pk', 'customer'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      ProvisionedThroughput: { ReadCapacityUnits: 10, WriteCapacityUnits: 10 },
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byCustomer',
          KeySchema: [{ AttributeName: 'customer', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'KEYS_ONLY' },
          ProvisionedThroughput: { ReadCapacityUnits: 10, WriteCapacityUnits: 10 },
        },
      ],
    });
    return new ScaledTable({ database, logged, clock });
  }

  /** Minutes with the given write units per second on average. @returns the number of scaling changes. */
  async minutes(count: number, unitsPerSecond: number): Promise<number> {
    let changes = 0;
    for (let minute = 0; minute < count; minute += 1) {
      this.#clock.nowMs += 60_000;
      await this.#write(unitsPerSecond * 60);
      changes += await this.database.scaleThroughput();
    }
    return changes;
  }

  /** Writes that cost the given units together, in items of up to 300. */
  async #write(units: number): Promise<void> {
    for (let left = units; left > 0; left -= 300) {
      const text = 'x'.repeat(Math.min(left, 300) * 1024 - 100);
      await this.database.request('PutItem', {
        TableName: 'Orders',
        Item: { pk: { S: `k${left}` }, text: { S: text } },
      });
    }
  }

  async writeUnits(): Promise<unknown> {
    const { Table } = (await this.database.request('DescribeTable', { TableName: 'Orders' })) as DescribedTable;
    expect(Table.ProvisionedThroughput.ReadCapacityUnits).toBe(10);
    return Table.ProvisionedThroughput.WriteCapacityUnits;
  }
}

interface DescribedTable {
  readonly Table: {
    readonly ProvisionedThroughput: { readonly ReadCapacityUnits: number; readonly WriteCapacityUnits: number };
    readonly GlobalSecondaryIndexes: readonly DescribedTable['Table'][];
  };
}

describe('a scalable target', () => {
  test('is registered, changed, listed and deregistered', async () => {
    const { client } = await ScaledTable.open();
    const register = new RegisterScalableTargetCommand({ ...target, MinCapacity: 5, MaxCapacity: 100 });
    const { ScalableTargetARN } = await client.send(register);
    expect(ScalableTargetARN).toMatch(
      /^arn:aws:application-autoscaling:us-east-1:000000000000:scalable-target\/[0-9a-f]{34}$/,
    );
    const change = { ...target, MaxCapacity: 200, SuspendedState: { DynamicScalingInSuspended: true } };
    expect((await client.send(new RegisterScalableTargetCommand(change))).ScalableTargetARN).toBe(ScalableTargetARN);
    const list = new DescribeScalableTargetsCommand({ ServiceNamespace: 'dynamodb', ResourceIds: ['table/Orders'] });
    expect((await client.send(list)).ScalableTargets).toEqual([
      {
        ...target,
        MinCapacity: 5,
        MaxCapacity: 200,
        RoleARN: expect.stringContaining('AWSServiceRoleForApplicationAutoScaling_DynamoDBTable') as string,
        CreationTime: new Date(startMs),
        SuspendedState: {
          DynamicScalingInSuspended: true,
          DynamicScalingOutSuspended: false,
          ScheduledScalingSuspended: false,
        },
        ScalableTargetARN,
      },
    ]);
    await client.send(policy());
    await client.send(new DeregisterScalableTargetCommand(target));
    expect((await client.send(list)).ScalableTargets).toEqual([]);
    const policies = new DescribeScalingPoliciesCommand({ ServiceNamespace: 'dynamodb' });
    expect((await client.send(policies)).ScalingPolicies).toEqual([]);
  });

  test.each<[string, object, RegExp]>([
    [
      'of no table',
      { ResourceId: 'table/Others' },
      /^ValidationException: DynamoDB table does not exist: table\/Others$/,
    ],
    [
      'of no index',
      { ResourceId: 'table/Orders/index/none', ScalableDimension: 'dynamodb:index:ReadCapacityUnits' },
      /index does not exist/,
    ],
    [
      'of an index by the dimension of a table',
      { ResourceId: 'table/Orders/index/byCustomer' },
      /^ValidationException: Unsupported service namespace, resource type or scalable dimension$/,
    ],
    ['of another service', { ServiceNamespace: 'ecs' }, /^ValidationException: Unsupported service namespace/],
    [
      'with a minimum above the maximum',
      { MinCapacity: 7, MaxCapacity: 6 },
      /^ValidationException: Maximum capacity cannot/,
    ],
    ['without bounds', { MinCapacity: undefined }, /^ValidationException: MinCapacity and MaxCapacity must be/],
    [
      'of an unknown dimension',
      { ScalableDimension: 'ecs:service:DesiredCount' },
      /^ValidationException: 1 validation error detected: Value 'ecs:service:DesiredCount' at 'scalableDimension'/,
    ],
  ])('%s is refused', async (_what, changes, error) => {
    const { client } = await ScaledTable.open();
    const register = new RegisterScalableTargetCommand({ ...target, MinCapacity: 1, MaxCapacity: 10, ...changes });
    await expect(client.send(register).catch(String)).resolves.toMatch(error);
    const list = new DescribeScalableTargetsCommand({ ServiceNamespace: 'dynamodb' });
    expect((await client.send(list)).ScalableTargets).toEqual([]);
  });
});

describe('a policy', () => {
  test('is put, replaced, listed and deleted', async () => {
    const { client } = await ScaledTable.open();
    const missing = `ObjectNotFoundException: No scalable target registered for service namespace: dynamodb, resource ID: table/Orders, scalable dimension: dynamodb:table:WriteCapacityUnits`;
    await expect(client.send(policy()).catch(String)).resolves.toBe(missing);
    await client.send(new RegisterScalableTargetCommand({ ...target, MinCapacity: 1, MaxCapacity: 10 }));
    const { PolicyARN, Alarms } = await client.send(policy());
    expect(PolicyARN).toMatch(
      /^arn:aws:autoscaling:us-east-1:000000000000:scalingPolicy:[-0-9a-f]{36}:resource\/dynamodb\/table\/Orders:policyName\/half$/,
    );
    expect(Alarms?.map(({ AlarmName }) => AlarmName)).toEqual([
      expect.stringMatching(/^TargetTracking-table\/Orders-AlarmHigh-/),
      expect.stringMatching(/^TargetTracking-table\/Orders-AlarmLow-/),
    ]);
    expect((await client.send(policy({ TargetValue: 70, ScaleInCooldown: 60 }))).PolicyARN).toBe(PolicyARN);
    const list = new DescribeScalingPoliciesCommand({ ServiceNamespace: 'dynamodb', PolicyNames: ['half'] });
    expect((await client.send(list)).ScalingPolicies).toMatchObject([
      {
        ...target,
        PolicyARN,
        PolicyType: 'TargetTrackingScaling',
        TargetTrackingScalingPolicyConfiguration: { TargetValue: 70, ScaleInCooldown: 60 },
        CreationTime: new Date(startMs),
      },
    ]);
    const remove = new DeleteScalingPolicyCommand({ ...target, PolicyName: 'half' });
    await client.send(remove);
    await expect(client.send(remove).catch(String)).resolves.toMatch(
      /^ObjectNotFoundException: No scaling policy found/,
    );
  });

  test.each<[string, PutScalingPolicyCommand, RegExp]>([
    [
      'of steps',
      new PutScalingPolicyCommand({ ...target, PolicyName: 'steps' }),
      /^ValidationException: StepScaling policies are not supported/,
    ],
    [
      'for reads on writes',
      policy({ PredefinedMetricSpecification: { PredefinedMetricType: 'DynamoDBReadCapacityUtilization' } }),
      /^ValidationException: DynamoDBReadCapacityUtilization cannot/,
    ],
    ['above 90 percent', policy({ TargetValue: 95 }), /^ValidationException: Target value must be between 20 and 90/],
  ])('%s is refused', async (_what, command, error) => {
    const { client } = await ScaledTable.open();
    await client.send(new RegisterScalableTargetCommand({ ...target, MinCapacity: 1, MaxCapacity: 10 }));
    await expect(client.send(command).catch(String)).resolves.toMatch(error);
  });
});

describe('throughput', () => {
  test('is raised after two minutes above the target, and lowered after fifteen far below', async () => {
    const table = await ScaledTable.open();
    await table.client.send(new RegisterScalableTargetCommand({ ...target, MinCapacity: 5, MaxCapacity: 30 }));
    await table.client.send(policy());
    expect(await table.minutes(3, 5)).toBe(0);
    expect(await table.minutes(1, 10)).toBe(0);
    expect(await table.minutes(1, 10)).toBe(1);
    expect(await table.writeUnits()).toBe(20);
    // Within the bounds, regardless of the load.
    expect(await table.minutes(2, 40)).toBe(1);
    expect(await table.writeUnits()).toBe(30);
    expect(await table.minutes(14, 5)).toBe(0);
    expect(await table.minutes(1, 5)).toBe(1);
    expect(await table.writeUnits()).toBe(10);
    const { ScalingActivities = [] } = await table.client.send(
      new DescribeScalingActivitiesCommand({ ServiceNamespace: 'dynamodb', ResourceId: 'table/Orders', MaxResults: 2 }),
    );
    expect(ScalingActivities).toMatchObject([
      { Description: 'Setting write capacity units to 10.', StatusCode: 'Successful' },
      {
        Description: 'Setting write capacity units to 30.',
        Cause: expect.stringMatching(
          /^monitor alarm TargetTracking-table\/Orders-AlarmHigh-\S+ in state ALARM triggered policy half$/,
        ) as string,
        StatusMessage: 'Successfully set write capacity units to 30. Change successfully fulfilled by dynamodb.',
      },
    ]);
    expect(table.logged.filter(({ event }) => event === 'throughput-scaled')).toMatchObject([
      { from: 10, to: 20 },
      { from: 20, to: 30 },
      { from: 30, to: 10 },
    ]);
  });

  test('is left alone while nothing is consumed, and where it must not be lowered', async () => {
    const table = await ScaledTable.open();
    await table.client.send(new RegisterScalableTargetCommand({ ...target, MinCapacity: 1, MaxCapacity: 30 }));
    await table.client.send(policy());
    expect(await table.minutes(20, 0)).toBe(0);
    await table.client.send(policy({ DisableScaleIn: true }));
    expect(await table.minutes(20, 1)).toBe(0);
    const SuspendedState = { DynamicScalingOutSuspended: true };
    await table.client.send(new RegisterScalableTargetCommand({ ...target, SuspendedState }));
    expect(await table.minutes(3, 20)).toBe(0);
  });

  test('is lowered as often as the service lets it be, and the next attempt has failed', async () => {
    const table = await ScaledTable.open();
    await table.client.send(new RegisterScalableTargetCommand({ ...target, MinCapacity: 1, MaxCapacity: 100 }));
    await table.client.send(policy());
    for (let time = 1; time <= 4; time += 1) {
      await table.database.request('UpdateTable', {
        TableName: 'Orders',
        ProvisionedThroughput: { ReadCapacityUnits: 10, WriteCapacityUnits: 20 + time },
      });
      await table.database.request('UpdateTable', {
        TableName: 'Orders',
        ProvisionedThroughput: { ReadCapacityUnits: 10, WriteCapacityUnits: 20 },
      });
    }
    expect(await table.minutes(15, 1)).toBe(0);
    expect(await table.writeUnits()).toBe(20);
    const { ScalingActivities } = await table.client.send(
      new DescribeScalingActivitiesCommand({ ServiceNamespace: 'dynamodb' }),
    );
    expect(ScalingActivities).toMatchObject([
      {
        StatusCode: 'Failed',
        StatusMessage: expect.stringContaining('Failed to set write capacity units to 2. Reason: ') as string,
      },
    ]);
    // An hour after the last decrease it may decrease again.
    expect(await table.minutes(60, 1)).toBe(1);
    expect(await table.writeUnits()).toBe(2);
  });

  test('of an index is its own, and is brought within its bounds', async () => {
    const table = await ScaledTable.open();
    const index = {
      ServiceNamespace: 'dynamodb',
      ResourceId: 'table/Orders/index/byCustomer',
      ScalableDimension: 'dynamodb:index:ReadCapacityUnits',
    } as const;
    await table.client.send(new RegisterScalableTargetCommand({ ...index, MinCapacity: 25, MaxCapacity: 30 }));
    expect(await table.minutes(1, 0)).toBe(0);
    await table.client.send(
      new PutScalingPolicyCommand({
        ...index,
        PolicyName: 'reads',
        PolicyType: 'TargetTrackingScaling',
        TargetTrackingScalingPolicyConfiguration: {
          TargetValue: 70,
          PredefinedMetricSpecification: { PredefinedMetricType: 'DynamoDBReadCapacityUtilization' },
        },
      }),
    );
    expect(await table.minutes(1, 0)).toBe(1);
    const { Table } = (await table.database.request('DescribeTable', { TableName: 'Orders' })) as DescribedTable;
    expect(Table.GlobalSecondaryIndexes[0]?.ProvisionedThroughput).toMatchObject({
      ReadCapacityUnits: 25,
      WriteCapacityUnits: 10,
    });
    expect(await table.writeUnits()).toBe(10);
    const { ScalingActivities } = await table.client.send(
      new DescribeScalingActivitiesCommand({ ServiceNamespace: 'dynamodb' }),
    );
    expect(ScalingActivities).toMatchObject([{ Cause: 'minimum capacity was set to 25' }]);
  });

  test('a table that is gone leaves its target, which then does nothing', async () => {
    const table = await ScaledTable.open();
    await table.client.send(new RegisterScalableTargetCommand({ ...target, MinCapacity: 1, MaxCapacity: 100 }));
    await table.client.send(policy());
    await table.database.request('DeleteTable', { TableName: 'Orders' });
    expect(await table.minutes(2, 0)).toBe(0);
    const list = new DescribeScalableTargetsCommand({ ServiceNamespace: 'dynamodb' });
    expect((await table.client.send(list)).ScalableTargets).toHaveLength(1);
  });
});

test('over HTTP an action that is not here is refused', async () => {
  const { database } = await ScaledTable.open();
  const server = await serve(database, { port: 0 });
  opened.push(server);
  const call = async (action: string, contentType: string): Promise<Response> =>
    fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': contentType, 'x-amz-target': `AnyScaleFrontendService.${action}` },
      body: '{"ServiceNamespace":"dynamodb"}',
    });
  const refused = await call('PutScheduledAction', 'application/x-amz-json-1.1');
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    __type: expect.stringContaining('UnknownOperationException') as string,
  });
  const listed = await call('DescribeScalableTargets', 'application/x-amz-json-1.1');
  expect([listed.status, listed.headers.get('content-type')]).toEqual([200, 'application/x-amz-json-1.1']);
  expect((await call('DescribeScalableTargets', 'application/x-amz-json-1.0')).status).toBe(404);
});
