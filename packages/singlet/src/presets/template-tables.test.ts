import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../index.ts';
import { TemplateError } from '../templates/template-error.ts';
import { databasePerTest, type Seed, seedDatabase } from './seeded-database.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'singlet-template-'));
});
afterAll(async () => await rm(directory, { recursive: true }));

async function fileOf(name: string, contents: string | object): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, typeof contents === 'string' ? contents : JSON.stringify(contents));
  return file;
}

async function seeded(template: Seed['template'], use: (database: Database) => Promise<void>): Promise<void> {
  const database = await seedDatabase({ template });
  try {
    const fork = await database.fork();
    await use(fork);
    await fork.close();
  } finally {
    await database.close();
  }
}

const yaml = `
Parameters:
  Stage: { Type: String }
Resources:
  Songs:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub songs-\${Stage}
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions:
        - { AttributeName: title, AttributeType: S }
        - { AttributeName: artist, AttributeType: S }
      KeySchema: [{ AttributeName: title, KeyType: HASH }]
      GlobalSecondaryIndexes:
        - IndexName: byArtist
          KeySchema: [{ AttributeName: artist, KeyType: HASH }]
          Projection: { ProjectionType: KEYS_ONLY }
      StreamSpecification: { StreamViewType: NEW_IMAGE }
      TimeToLiveSpecification: { AttributeName: expires, Enabled: true }
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true }
  Bucket: { Type: AWS::S3::Bucket }
`;

test('a CloudFormation template: tables with indexes, streams, time to live and recovery, in every fork', async () => {
  const file = await fileOf('stack.yaml', yaml);
  await seeded({ file, parameters: { Stage: 'test' } }, async (database) => {
    const TableName = 'songs-test';
    expect(await database.request('ListTables', {})).toEqual({ TableNames: [TableName] });
    expect(await database.request('DescribeTable', { TableName })).toMatchObject({
      Table: {
        GlobalSecondaryIndexes: [{ IndexName: 'byArtist', Projection: { ProjectionType: 'KEYS_ONLY' } }],
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
      },
    });
    expect(await database.request('DescribeTimeToLive', { TableName })).toMatchObject({
      TimeToLiveDescription: { AttributeName: 'expires', TimeToLiveStatus: 'ENABLED' },
    });
    expect(await database.request('DescribeContinuousBackups', { TableName })).toMatchObject({
      ContinuousBackupsDescription: {
        PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'ENABLED' },
      },
    });
  });
});

test('policies of a table and of its stream', async () => {
  const policy = (...actions: readonly string[]): object => ({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Deny', Principal: '*', Action: actions, Resource: '*' }],
  });
  const file = await fileOf('policies.json', {
    Resources: {
      Songs: {
        Type: 'AWS::DynamoDB::Table',
        Properties: {
          TableName: 'Songs',
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: [{ AttributeName: 'title', AttributeType: 'S' }],
          KeySchema: [{ AttributeName: 'title', KeyType: 'HASH' }],
          ResourcePolicy: { PolicyDocument: policy('dynamodb:DeleteItem') },
          StreamSpecification: {
            StreamViewType: 'KEYS_ONLY',
            ResourcePolicy: { PolicyDocument: policy('dynamodb:GetRecords') },
          },
        },
      },
    },
  });
  await seeded(file, async (database) => {
    const { Table } = (await database.request('DescribeTable', { TableName: 'Songs' })) as {
      readonly Table: { readonly TableArn: string; readonly LatestStreamArn: string };
    };
    const policyOf = async (ResourceArn: string): Promise<string> =>
      ((await database.request('GetResourcePolicy', { ResourceArn })) as { readonly Policy: string }).Policy;
    expect(await policyOf(Table.TableArn)).toContain('dynamodb:DeleteItem');
    expect(await policyOf(Table.LatestStreamArn)).toContain('dynamodb:GetRecords');
  });
});

const definition = {
  TableName: 'Songs',
  AttributeDefinitions: [{ AttributeName: 'title', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'title', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
};

/** As `cdk synth` writes them: a name is given only if the program gives one, and resources refer to each other by logical id. */
const cdk = {
  Resources: {
    SongsTable90A98D1F: {
      Type: 'AWS::DynamoDB::Table',
      Properties: {
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      },
      UpdateReplacePolicy: 'Retain',
      DeletionPolicy: 'Retain',
      Metadata: { 'aws:cdk:path': 'Music/Songs/Resource' },
    },
    CDKMetadata: {
      Type: 'AWS::CDK::Metadata',
      Properties: { Analytics: 'v2:deflate64:H4sI' },
      Condition: 'CDKMetadataAvailable',
    },
  },
  Conditions: { CDKMetadataAvailable: { 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'us-east-1'] } },
};

const terraform = {
  format_version: '1.2',
  terraform_version: '1.9.0',
  planned_values: {
    root_module: {
      resources: [
        {
          address: 'aws_dynamodb_table.songs',
          mode: 'managed',
          type: 'aws_dynamodb_table',
          name: 'songs',
          values: {
            name: 'songs',
            billing_mode: 'PAY_PER_REQUEST',
            hash_key: 'title',
            attribute: [{ name: 'title', type: 'S' }],
            ttl: [{ attribute_name: 'expires', enabled: true }],
          },
        },
      ],
    },
  },
};

test.each([
  ['what CDK wrote', 'Music.template.json', cdk, ['Music-SongsTable90A98D1F']],
  ['a Terraform plan', 'plan.json', terraform, ['songs']],
  ['definitions', 'tables.json', [definition, { ...definition, TableName: 'Albums' }], ['Albums', 'Songs']],
] as const)('%s', async (_, name, contents, TableNames) => {
  await seeded(await fileOf(name, contents), async (database) => {
    expect(await database.request('ListTables', {})).toEqual({ TableNames });
  });
});

test('items of the seed go into the tables of the template, and a test runner gets both', async () => {
  const runs: Record<string, () => Promise<void>> = {};
  const hook = (name: string) => (run: () => Promise<void>) => (runs[name] = run);
  const database = databasePerTest(
    { template: await fileOf('one.json', definition), items: { Songs: [{ title: { S: 'Blackbird' } }] } },
    {
      beforeAll: hook('beforeAll'),
      beforeEach: hook('beforeEach'),
      afterEach: hook('afterEach'),
      afterAll: hook('afterAll'),
    },
  );
  await runs['beforeAll']?.();
  await runs['beforeEach']?.();
  expect(await database().request('Scan', { TableName: 'Songs' })).toMatchObject({ Count: 1 });
  await runs['afterEach']?.();
  await runs['afterAll']?.();
});

test.each([
  ['a file that is not there', async () => join(directory, 'nothing.yaml'), /nothing\.yaml cannot be read: ENOENT/],
  [
    'no tables',
    async () => await fileOf('bucket.yaml', 'Resources: { B: { Type: AWS::S3::Bucket } }'),
    /declares no tables/,
  ],
  ['a parameter without a value', async () => await fileOf('open.yaml', yaml), /Resources\.Songs\.Properties.*Stage/],
  [
    'something else',
    async () => await fileOf('other.yaml', 'just a text'),
    /contains no template, plan or definition of a table/,
  ],
] as const)('%s is an error', async (_, file, message) => {
  const error = await seedDatabase({ template: await file() }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TemplateError);
  expect((error as TemplateError).message).toMatch(message);
});

test('a template with everything that deploy knows: its tables are created', async () => {
  const file = fileURLToPath(new URL('../../test/deploy-template.yaml', import.meta.url));
  await seeded(file, async (database) => {
    const { TableNames } = (await database.request('ListTables', {})) as { readonly TableNames: readonly string[] };
    expect(TableNames).toContain('orders-test');
    expect(TableNames).toContain('deploy-template-World');
  });
});
