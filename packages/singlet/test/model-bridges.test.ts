import { mkdirSync, symlinkSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type CommandEnd, useCommands } from './singlet-commands.ts';
import { SingletProcess } from './singlet-process.ts';

/** Converts models from and to other tools with the installed program, in a directory with the packages it needs. */
const shop = fileURLToPath(new URL('../../model/test/shop.model.ts', import.meta.url));
const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));

let directory: string;
let server: SingletProcess;
let endpoint: string;
const started: SingletProcess[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'singlet-bridges-'));
  mkdirSync(join(directory, 'work'));
  symlinkSync(modules, join(directory, 'node_modules'));
  server = new SingletProcess(['serve', '--port', '0', '--memory']);
  endpoint = await server.ready();
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((process) => process.end('SIGKILL')));
});

afterAll(async () => {
  await server.end('SIGTERM');
  await rm(directory, { recursive: true });
});

const command = useCommands();
const singlet = async (...args: readonly string[]): Promise<CommandEnd> =>
  command(args, { cwd: join(directory, 'work') });

describe('singlet model import', () => {
  test('makes a model of a table, which checks and runs', async () => {
    expect((await singlet('seed', shop, '--create', '--items', '20', '--endpoint', endpoint)).code).toBe(0);
    const made = await singlet('model', 'import', '--table', 'Shop', '--endpoint', endpoint, '--out', 'shop.model.ts');
    expect(made.code, made.stderr).toBe(0);
    expect(made.stderr).toMatch(/^Customer +Shop +20 items +\d\d % sure$/m);
    expect((await singlet('check', 'shop.model.ts')).code).toBe(0);
    const ran = await singlet('run', 'shop.model.ts', 'ordersOfUsername', '--username', 'alex', '--endpoint', endpoint);
    expect(ran.code, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toHaveProperty('items');

    const again = await singlet('model', 'import', '--table', 'Shop', '--endpoint', endpoint, '--out', 'shop.model.ts');
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('exists, and is not overwritten') });
  });

  test('begins a model of the tables of a template and of a plan', async () => {
    const template = `Parameters: { Stage: { Type: String, Default: dev } }
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub 'orders-\${Stage}'
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions:
        - { AttributeName: customer-id, AttributeType: S }
        - { AttributeName: number, AttributeType: N }
        - { AttributeName: state, AttributeType: S }
        - { AttributeName: price, AttributeType: N }
      KeySchema: [{ AttributeName: customer-id, KeyType: HASH }, { AttributeName: number, KeyType: RANGE }]
      GlobalSecondaryIndexes:
        - IndexName: ByState
          KeySchema: [{ AttributeName: state, KeyType: HASH }, { AttributeName: number, KeyType: RANGE }]
          Projection: { ProjectionType: ALL }
      LocalSecondaryIndexes:
        - IndexName: ByPrice
          KeySchema: [{ AttributeName: customer-id, KeyType: HASH }, { AttributeName: price, KeyType: RANGE }]
          Projection: { ProjectionType: ALL }
      TimeToLiveSpecification: { AttributeName: until, Enabled: true }
  Queue: { Type: AWS::SQS::Queue }
`;
    await writeFile(join(directory, 'work/stack.yaml'), template);
    const made = await singlet('model', 'import', '--template', 'stack.yaml', '--out', 'stack.model.ts');
    expect(made, made.stderr).toMatchObject({ code: 0 });
    const text = await readFile(join(directory, 'work/stack.model.ts'), 'utf8');
    expect(text).toContain("stored: { customerId: 'customer-id' }");
    expect(text).toContain("ByState: { when: { state: { exists: true } }, key: ['{state}', '{number}'] }");
    expect(text).toContain("ByPrice: { when: { price: { exists: true } }, key: ['{price}'] }");
    expect(text).toContain("expires: 'until'");
    const checked = await singlet('check', 'stack.model.ts', '--json');
    expect(checked.code).toBe(0);
    const [{ findings = [] } = {}] = JSON.parse(checked.stdout) as { findings?: { code: string }[] }[];
    expect(findings.map(({ code }) => code)).toEqual(['local-index']);

    // As CDK writes it: concatenated names, hashes in logical ids, resources that are not tables.
    const key = (name: string, more: readonly object[] = []): object[] => [
      { AttributeName: name, KeyType: 'HASH' },
      ...more,
    ];
    const cdk = {
      Parameters: { Units: { Type: 'Number', Default: 5 } },
      Conditions: { CDKMetadataAvailable: { 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'us-east-1'] } },
      Resources: {
        OrdersTable3F2A91B7: {
          Type: 'AWS::DynamoDB::GlobalTable',
          Properties: {
            TableName: { 'Fn::Join': ['-', [{ Ref: 'AWS::StackName' }, 'orders']] },
            AttributeDefinitions: [
              { AttributeName: 'id', AttributeType: 'S' },
              { AttributeName: 'state', AttributeType: 'S' },
              { AttributeName: 'score', AttributeType: 'N' },
            ],
            KeySchema: key('id'),
            BillingMode: 'PAY_PER_REQUEST',
            GlobalSecondaryIndexes: [
              {
                IndexName: 'ByState',
                KeySchema: key('state', [{ AttributeName: 'score', KeyType: 'RANGE' }]),
                Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['title'] },
              },
            ],
            StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
            TimeToLiveSpecification: { AttributeName: 'until', Enabled: true },
            Replicas: [{ Region: { Ref: 'AWS::Region' } }, { Region: 'eu-west-1' }],
          },
          Metadata: { 'aws:cdk:path': 'App/OrdersTable/Resource' },
        },
        Sessions8C1D: {
          Type: 'AWS::DynamoDB::Table',
          Properties: {
            TableName: { 'Fn::Sub': '${AWS::StackName}-sessions' },
            AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
            KeySchema: key('id'),
            ProvisionedThroughput: { ReadCapacityUnits: { Ref: 'Units' }, WriteCapacityUnits: 5 },
          },
        },
        Reader: {
          Type: 'AWS::Lambda::Function',
          Properties: { Environment: { Variables: { TABLE: { 'Fn::GetAtt': ['OrdersTable3F2A91B7', 'Arn'] } } } },
        },
        CDKMetadata: { Type: 'AWS::CDK::Metadata', Condition: 'CDKMetadataAvailable' },
      },
    };
    await writeFile(join(directory, 'work/App.template.json'), JSON.stringify(cdk));
    const drafted = await singlet('model', 'import', '--template', 'App.template.json');
    expect(drafted, drafted.stderr).toMatchObject({ code: 0 });
    for (const part of [
      "ByState: { partition: ['state'], sort: ['score:N'], project: ['title'] }",
      "stream: 'NEW_AND_OLD_IMAGES'",
      "expires: 'until'",
      "'App-orders'",
      "'App-sessions': { key: ['id'], type: false }",
    ])
      expect(drafted.stdout).toContain(part);

    await writeFile(join(directory, 'work/drafted.model.ts'), drafted.stdout);
    const { stdout: report } = await singlet('check', 'drafted.model.ts', '--json');
    const [{ findings: found = [] } = {}] = JSON.parse(report) as { findings?: { level: string }[] }[];
    expect(found.filter(({ level }) => level === 'error')).toEqual([]);

    const values = {
      name: 'shop',
      hash_key: 'PK',
      range_key: 'SK',
      billing_mode: 'PAY_PER_REQUEST',
      attribute: [
        { name: 'PK', type: 'S' },
        { name: 'SK', type: 'S' },
      ],
    };
    const resource = {
      address: 'aws_dynamodb_table.shop',
      mode: 'managed',
      type: 'aws_dynamodb_table',
      name: 'shop',
      values,
    };
    const plan = { format_version: '1.2', planned_values: { root_module: { resources: [resource] } } };
    await writeFile(join(directory, 'work/plan.json'), JSON.stringify(plan));
    const planned = await singlet('model', 'import', '--template', 'plan.json');
    expect(planned, planned.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("shop: { key: ['PK', 'SK'], type: false }"),
    });
    expect(planned.stdout).toContain('PK and SK look like keys of several kinds of items');
    const bare = await singlet('model', 'import', 'plan.json');
    expect(bare).toMatchObject({ code: 1, stderr: expect.stringContaining('give it as `--template plan.json`') });
    const twice = await singlet('model', 'import', 'plan.json', '--template', 'plan.json');
    expect(twice).toMatchObject({ code: 1, stderr: expect.stringContaining('--template cannot be combined') });
    const none = await singlet('model', 'import', '--template', 'missing.json');
    expect(none).toMatchObject({ code: 1, stderr: 'singlet: There is no missing.json.\n' });
    for (const [file, says] of [
      ['main.tf', 'main.tf is a Terraform configuration: give its plan'],
      ['empty.json', 'empty.json is not a template of tables. TableName: This is missing.'],
    ] as const) {
      await writeFile(join(directory, 'work', file), '{}');
      const refused = await singlet('model', 'import', '--template', file);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(says) });
    }
  });

  test('reads the keys of a template whose other values exist only once it is deployed', async () => {
    const table = {
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    };
    const template = {
      Parameters: { Units: { Type: 'Number' } },
      Resources: {
        Orders3F2A: {
          Type: 'AWS::DynamoDB::GlobalTable',
          // No replica is in the region of the command.
          Properties: { ...table, TableName: 'orders', Replicas: [{ Region: 'ap-south-1' }] },
        },
        Audit8C1D: {
          Type: 'AWS::DynamoDB::Table',
          Properties: {
            ...table,
            TableName: { 'Fn::Sub': ['${prefix}-audit', { prefix: { 'Fn::ImportValue': 'prefix' } }] },
            ProvisionedThroughput: { ReadCapacityUnits: { Ref: 'Units' }, WriteCapacityUnits: { Ref: 'Units' } },
            SSESpecification: { KMSMasterKeyId: { 'Fn::GetAtt': ['Key961B', 'Arn'] }, SSEEnabled: true },
          },
        },
        Keyed: {
          Type: 'AWS::DynamoDB::Table',
          Properties: {
            AttributeDefinitions: [{ AttributeName: { Ref: 'KeyName' }, AttributeType: 'S' }],
            KeySchema: [{ AttributeName: { Ref: 'KeyName' }, KeyType: 'HASH' }],
          },
        },
      },
    };
    await writeFile(join(directory, 'work/Keys.template.json'), JSON.stringify(template));
    const keyed = ['model', 'import', '--template', 'Keys.template.json'];
    expect((await singlet(...keyed)).stderr).toMatch(
      /KeyName cannot be resolved\. Give it a value: --parameter KeyName=…/,
    );
    const { code, stdout } = await singlet(...keyed, '--parameter', 'KeyName=code');
    expect(code).toBe(0);
    for (const part of [
      "orders: { key: ['id'], type: false }",
      "'Keys-Audit8C1D': { key: ['id'], type: false }",
      "'Keys-Keyed': { key: ['code'], type: false }",
    ])
      expect(stdout).toContain(part);
  });

  test('reads what other libraries export', async () => {
    const schema = `{ model: { entity: 'user', service: 'app', version: '1' },
      attributes: { id: { type: 'string', required: true } },
      indexes: { primary: { pk: { field: 'pk', composite: ['id'] }, sk: { field: 'sk', composite: [] } } } }`;
    await writeFile(
      join(directory, 'work/entities.ts'),
      `import { Entity } from 'electrodb';\nexport const User = new Entity(${schema}, {});\n`,
    );
    const electrodb = await singlet('model', 'import', 'entities.ts');
    expect(electrodb.stdout).toContain("['$app#id_{id:lower}', '$user_1']");
    await writeFile(
      join(directory, 'work/schema.mjs'),
      "export const schema = { indexes: { primary: { hash: 'pk' } }, models: { User: { pk: { type: String, value: 'u#${id}' }, id: { type: String, required: true } } } };\n",
    );
    expect((await singlet('model', 'import', 'schema.mjs', '--table', 'App')).stdout).toContain("App: ['u#{id}']");
    const neither = await singlet('model', 'import', shop);
    expect(neither).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('exports no electrodb entity and no onetable schema'),
    });
  });

  test.each([
    [[], 'Name a file, or the tables to infer a model from with --table.'],
    [['--from', 'workbench'], '--from workbench needs a file.'],
    [['nowhere.json'], 'singlet: There is no nowhere.json.'],
    [['--template', 'nowhere.yaml'], 'singlet: There is no nowhere.yaml.'],
    [['--template', '.'], 'singlet: . is a directory, not a file.'],
    [[fileURLToPath(new URL('../package.json', import.meta.url))], 'this is not a data model of NoSQL Workbench'],
    [['--table', 'Nope', '--items', '0'], '--items takes a number from 1 to 20000'],
  ])('%j is refused', async (args, message) => {
    const { code, stderr } = await singlet('model', 'import', ...args);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^singlet: .*\n$/);
    expect(stderr).toContain(message);
  });

  test('a table that is not there is named', async () => {
    const { stderr } = await singlet('model', 'import', '--table', 'Nope', '--endpoint', endpoint);
    expect(stderr).toContain(`${endpoint} has no table Nope.`);
  });
});

test('a model without a tenant has no policy of one, and it is said what to declare', async () => {
  const { code, stderr } = await singlet('model', 'export', shop, '--to', 'tenant-policy');
  expect(code).toBe(1);
  expect(stderr).toBe("singlet: tables: no table declares a tenant: tables({ Shop: { …, tenant: 'tenantId' } })\n");
});

test('a model with a tenant gives the policy of one, for the names and the tag of the command', async () => {
  const entry = fileURLToPath(new URL('../../model/src/index.ts', import.meta.url));
  await writeFile(
    join(directory, 'work/notes.model.ts'),
    `import { entity, model } from ${JSON.stringify(entry)};
const text = { '~standard': { version: 1, vendor: 'test', jsonSchema: { output: () => ({ type: 'string' }), input: () => ({ type: 'string' }) }, validate: (value: unknown) => (typeof value === 'string' ? { value } : { issues: [{ message: 'no text' }] }) } } as const;
export const notes = model('notes')
  .entities({ Note: entity({ team: text, noteId: text }) })
  .relationships([])
  .patterns({ note: { reads: 'Note', by: ['team', 'noteId'] } })
  .tables({ Notes: { key: ['PK'], tenant: 'team' } })
  .keys({ Note: { Notes: ['T#{team}#{noteId}'] } })
  .served({ note: 'GetItem' });
`,
  );
  const { stdout } = await singlet(
    'model',
    'export',
    'notes.model.ts',
    '--to',
    'tenant-policy',
    '--table',
    'Notes=notes-1',
  );
  expect(JSON.parse(stdout)).toMatchObject({
    Statement: [
      {
        Resource: 'arn:aws:dynamodb:*:*:table/notes-1',
        Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['T#${aws:PrincipalTag/team}#*'] } },
      },
    ],
  });
});

test('a model goes to NoSQL Workbench and back', async () => {
  expect((await singlet('model', 'export', shop, '--to', 'workbench', '--out', 'shop.json')).code).toBe(0);
  const { stdout } = await singlet('model', 'import', 'shop.json');
  expect(stdout).toContain("Shop: ['CUSTOMER#{username}', '#ORDER#{orderId}']");
});

test('the CloudFormation template is one that singlet deploy makes tables of', async () => {
  await singlet('model', 'export', shop, '--to', 'cloudformation', '--out', 'tables.json');
  const other = new SingletProcess(['serve', '--port', '0', '--memory']);
  started.push(other);
  const { code, stderr } = await singlet('deploy', 'tables.json', '--yes', '--endpoint', await other.ready());
  expect(code, stderr).toBe(0);
});

test('singlet generate writes a module and its types', async () => {
  const { code, stdout, stderr } = await singlet('generate', shop, '--out', 'generated', '--import', '../shop.js');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe('generated/shop.js\ngenerated/shop.d.ts\n');
  expect(await readFile(join(directory, 'work/generated/shop.js'), 'utf8')).toContain(
    "import { shop } from '../shop.js';",
  );
  expect(await readFile(join(directory, 'work/generated/shop.d.ts'), 'utf8')).toContain(
    'export interface ShopPatterns {',
  );
});
