import * as sdk from '@aws-sdk/client-dynamodb';
import { tableDefinitions } from '@singlet/model';
import { check } from '@singlet/model/check';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectChartsInReadme } from '../testing/readme.ts';
import { type IdentityServer, startIdentityServer } from '../testing/identity-server.ts';
import { assumeTenant, NoSessionError } from './assume-role.ts';
import { tenants } from './model.ts';
import { sharedTablePolicy, tenantRolePolicy, tenantTrustPolicy } from './tenant-role.ts';
import { Workspace } from './workspace.ts';

const ownAccount = '111122223333';
const partnerAccount = '444455556666';
const roleArn = `arn:aws:iam::${ownAccount}:role/tenant`;
const partnerTable = `arn:aws:dynamodb:us-east-1:${partnerAccount}:table/Work`;
const companies = ['acme', 'beta'] as const;
type Company = (typeof companies)[number];

const everything = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: ['dynamodb:*', 'sts:*'], Resource: '*' }],
};

let server: IdentityServer;
const admins = new Map<string, sdk.DynamoDBClient>();
const sessions = new Map<string, sdk.DynamoDBClient>();

function clientWith(credentials: {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}): sdk.DynamoDBClient {
  return new sdk.DynamoDBClient({ endpoint: server.url, region: 'us-east-1', credentials, maxAttempts: 1 });
}

beforeAll(async () => {
  server = await startIdentityServer([
    { accountId: ownAccount, name: 'app', policy: everything },
    { accountId: partnerAccount, name: 'partner', policy: everything },
    { accountId: ownAccount, name: 'tenant', policy: tenantRolePolicy(), trust: tenantTrustPolicy(ownAccount) },
  ]);
  for (const [at, account] of [ownAccount, partnerAccount].entries()) {
    const admin = clientWith(server.keys[at]!);
    admins.set(account, admin);
    for (const definition of tableDefinitions(tenants)) await admin.send(new sdk.CreateTableCommand(definition));
  }
  const Policy = JSON.stringify(sharedTablePolicy(partnerTable, ownAccount));
  await admins.get(partnerAccount)!.send(new sdk.PutResourcePolicyCommand({ ResourceArn: partnerTable, Policy }));
  for (const company of companies) {
    const credentials = await assumeTenant({
      endpoint: server.url,
      credentials: server.keys[0]!,
      roleArn,
      tenant: company,
    });
    sessions.set(company, clientWith(credentials));
  }
});

afterAll(async () => {
  for (const client of [...admins.values(), ...sessions.values()]) client.destroy();
  await server.close();
});

/** What another company must not see. No request contains it. */
const secretOf = (company: string, account: string): string => `secret of ${company} in ${account}`;

/** The application, with the session of one company and the items of another or the same. */
const workspace = (session: Company, tenant: string, table = 'Work'): Workspace =>
  new Workspace({ client: sessions.get(session)!, tenant, table });

const tables = [
  ['Work', ownAccount],
  [partnerTable, partnerAccount],
] as const;

describe.each(tables)('the table %s', (table, account) => {
  test('serves each company', async () => {
    for (const company of companies) {
      const work = workspace(company, company, table);
      await work.createProject('launch', `Launch of ${company}`);
      await work.addTask({ projectId: 'launch', taskId: '1', text: secretOf(company, account), assignee: 'kim' });
      await work.addTask({ projectId: 'launch', taskId: '2', text: 'call', assignee: 'kim' });
      await work.finishTask('launch', '2');
      await work.removeTask('launch', '2');
      expect(await work.project('launch')).toMatchObject({ tasks: [{ text: secretOf(company, account) }] });
      expect(await work.tasksOf('kim')).toHaveLength(1);
    }
  });

  test('shows and gives no company what belongs to another', async () => {
    const work = workspace('acme', 'beta', table);
    const denied = { name: 'AccessDeniedException' };
    await expect(work.project('launch')).rejects.toMatchObject(denied);
    await expect(work.tasksOf('kim')).rejects.toMatchObject(denied);
    await expect(work.createProject('theirs', 'x')).rejects.toMatchObject(denied);
    await expect(work.addTask({ projectId: 'launch', taskId: '9', text: 'x', assignee: 'kim' })).rejects.toMatchObject(
      denied,
    );
    await expect(work.finishTask('launch', '1')).rejects.toMatchObject(denied);
    await expect(work.removeTask('launch', '1')).rejects.toMatchObject(denied);
  });
});

test('a role that there is not, and a company without the trust of the role, have no session', async () => {
  const options = { endpoint: server.url, credentials: server.keys[0]!, roleArn, tenant: 'acme' };
  await expect(assumeTenant({ ...options, roleArn: `${roleArn}s` })).rejects.toThrow(NoSessionError);
  await expect(assumeTenant({ ...options, credentials: server.keys[1]! })).rejects.toThrow(
    'is not authorized to perform: sts:',
  );
});

/* Random requests of every action on items, as a session of one company could send them. */

const table = fc.constantFrom<string>('Work', 'Work', partnerTable);
const tenant = fc.constantFrom(
  'acme',
  'beta',
  'beta',
  'acme#PROJECT#launch#beta',
  '*',
  '${aws:PrincipalTag/tenant}',
  'ACME',
  '',
);
const pk = tenant.map((name) => ({ S: `T#${name}#PROJECT#launch` }));
const sk = fc.constantFrom({ S: 'PROJECT' }, { S: 'TASK#1' });
const key = fc.record({ PK: pk, SK: sk });
const onKey = fc.record({ TableName: table, Key: key });
const item = fc.record({ PK: pk, SK: sk, text: fc.constant({ S: 'changed' }) });
const put = fc.record({ TableName: table, Item: item });
const change = onKey.map((one) => ({
  ...one,
  UpdateExpression: 'SET #t = :t',
  ExpressionAttributeNames: { '#t': 'text' },
  ExpressionAttributeValues: { ':t': { S: 'changed' } },
}));
const conditionCheck = onKey.map((one) => ({
  ...one,
  ConditionExpression: 'attribute_not_exists(PK)',
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
}));
const returning = { ReturnValues: 'ALL_OLD' as const };
const many = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { minLength: 1, maxLength: 3 });

const indexed = tenant.map((name) => ({ S: `T#${name}#PERSON#kim` }));
const query = fc.oneof(
  fc.record({ TableName: table, value: pk }).map(({ TableName, value }) => ({
    TableName,
    KeyConditionExpression: 'PK = :p',
    ExpressionAttributeValues: { ':p': value },
  })),
  fc.record({ TableName: table, value: indexed }).map(({ TableName, value }) => ({
    TableName,
    IndexName: 'ByAssignee',
    KeyConditionExpression: 'GSI1PK = :p',
    ExpressionAttributeValues: { ':p': value },
  })),
);
const scan = fc.record({ TableName: table, index: fc.boolean() }).map(({ TableName, index }) => ({
  TableName,
  ...(index && { IndexName: 'ByAssignee' }),
}));

const quoted = tenant.map((name) => `'T#${name}#PROJECT#launch'`);
const from = fc.constantFrom('"Work"', `"${partnerTable}"`);
const statement = fc
  .oneof(
    fc.record({ from, value: quoted }).map((one) => `SELECT * FROM ${one.from} WHERE PK = ${one.value}`),
    quoted.map((value) => `SELECT * FROM "Work" WHERE PK IN ['T#acme#PROJECT#launch', ${value}]`),
    quoted.map((value) => `SELECT * FROM "Work" WHERE PK >= ${value}`),
    tenant.map((name) => `SELECT * FROM "Work"."ByAssignee" WHERE GSI1PK = 'T#${name}#PERSON#kim'`),
    fc.constantFrom('SELECT * FROM "Work"', `SELECT * FROM "Work" WHERE begins_with(PK, 'T#')`),
    quoted.map((value) => `INSERT INTO "Work" VALUE {'PK': ${value}, 'SK': 'NEW'}`),
    quoted.map(
      (value) => `UPDATE "Work" SET text = 'changed' WHERE PK = ${value} AND SK = 'TASK#1' RETURNING ALL OLD *`,
    ),
    quoted.map((value) => `DELETE FROM "Work" WHERE PK = ${value} AND SK = 'TASK#1' RETURNING ALL OLD *`),
  )
  .map((Statement) => ({ Statement }));

const request: fc.Arbitrary<{ readonly action: string; readonly input: object }> = fc.oneof(
  ...Object.entries<fc.Arbitrary<object>>({
    GetItem: onKey,
    PutItem: put.map((one) => ({ ...one, ...returning })),
    UpdateItem: change.map((one) => ({ ...one, ...returning })),
    DeleteItem: onKey.map((one) => ({ ...one, ...returning })),
    Query: query,
    Scan: scan,
    BatchGetItem: fc
      .record({ table, keys: many(key) })
      .map((one) => ({ RequestItems: { [one.table]: { Keys: one.keys } } })),
    BatchWriteItem: fc
      .record({ table, items: many(item) })
      .map((one) => ({ RequestItems: { [one.table]: one.items.map((Item) => ({ PutRequest: { Item } })) } })),
    TransactGetItems: many(onKey.map((Get) => ({ Get }))).map((TransactItems) => ({ TransactItems })),
    TransactWriteItems: many(
      fc.oneof<fc.Arbitrary<object>[]>(
        put.map((Put) => ({ Put })),
        change.map((Update) => ({ Update })),
        onKey.map((Delete) => ({ Delete })),
        conditionCheck.map((ConditionCheck) => ({ ConditionCheck })),
      ),
    ).map((TransactItems) => ({ TransactItems })),
    ExecuteStatement: statement,
    BatchExecuteStatement: many(statement).map((Statements) => ({ Statements })),
    ExecuteTransaction: many(statement).map((TransactStatements) => ({ TransactStatements })),
  }).map(([action, input]) => input.map((one) => ({ action, input: one }))),
);

const commands = sdk as unknown as Readonly<Record<string, new (input: object) => never>>;

async function answerTo(
  company: Company,
  { action, input }: { readonly action: string; readonly input: object },
): Promise<{ readonly isDone: boolean; readonly text: string }> {
  try {
    return {
      isDone: true,
      text: JSON.stringify(await sessions.get(company)!.send(new commands[`${action}Command`]!(input))),
    };
  } catch (error) {
    if (!(error instanceof sdk.DynamoDBServiceException)) throw error;
    return { isDone: false, text: `${JSON.stringify(error)} ${error.message}` };
  }
}

async function itemsOfOthers(account: string, company: Company): Promise<readonly unknown[]> {
  const { Items = [] } = await admins
    .get(account)!
    .send(new sdk.ScanCommand({ TableName: 'Work', ConsistentRead: true }));
  return Items.filter(({ PK }) => PK?.S?.startsWith(`T#${company}#`) !== true);
}

test('no request of a session reaches what belongs to another company', async () => {
  for (const account of [ownAccount, partnerAccount])
    for (const company of companies)
      for (const [TableName, owner] of tables)
        if (owner === account)
          await sessions.get(company)!.send(
            new sdk.PutItemCommand({
              TableName,
              Item: {
                PK: { S: `T#${company}#PROJECT#launch` },
                SK: { S: 'TASK#1' },
                GSI1PK: { S: `T#${company}#PERSON#kim` },
                GSI1SK: { S: 'TASK#launch#1' },
                text: { S: secretOf(company, account) },
              },
            }),
          );
  let done = 0;
  let denied = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...companies),
      fc.array(request, { minLength: 20, maxLength: 20 }),
      async (company, requests) => {
        const other = company === 'acme' ? 'beta' : 'acme';
        const state = async (): Promise<unknown> => [
          await itemsOfOthers(ownAccount, company),
          await itemsOfOthers(partnerAccount, company),
        ];
        const before = await state();
        for (const one of requests) {
          const { isDone, text } = await answerTo(company, one);
          for (const account of [ownAccount, partnerAccount])
            expect(text, JSON.stringify(one)).not.toContain(secretOf(other, account));
          if (isDone) done += 1;
          else denied += 1;
        }
        expect(await state()).toEqual(before);
      },
    ),
    { numRuns: 15 },
  );
  expect(done).toBeGreaterThan(20);
  expect(denied).toBeGreaterThan(100);
});

test('its model passes the check', () => {
  expect(check(tenants).findings.filter(({ level }) => level === 'error' || level === 'warning')).toEqual([]);
});

test('its charts are those of the model', async () => {
  await expectChartsInReadme(import.meta.url, tenants);
});
