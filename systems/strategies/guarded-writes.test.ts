import { BatchWriteItemCommand, CreateTableCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { connect } from '@singlet/model';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ManualClock } from '../clock.ts';
import { errorOf, openExample } from '../testing/example-database.ts';
import { asBetween, billing, sessions, tracker } from './guarded-writes.ts';

test('S-71 ten jobs are admitted, and the eleventh is refused', async () => {
  const { client } = await openExample(tracker);
  const db = connect(tracker, { client });
  for (let n = 1; n <= 10; n += 1) await db.begin({ tracker: 'jobs', job: `job${n}` });
  expect(await errorOf(db.begin({ tracker: 'jobs', job: 'job11' }))).toMatchObject({ code: 'condition-failed' });
  expect((await db.running({ tracker: 'jobs' }))?.inProgress?.size).toBe(10);
  await db.end({ tracker: 'jobs', job: 'job1' });
  await db.begin({ tracker: 'jobs', job: 'job11' });
});

const openBilling = async () => {
  const { client } = await openExample(billing);
  const db = connect(billing, { client });
  const admins = new Set(['Jeff Bezos', 'Andy Jassy']);
  await db.found({ organization: 'Amazon', subscription: 'Pro', admins });
  await db.appoint({ organization: 'Amazon', admins });
  await db.setBilling({ organization: 'Amazon', card: '4242' });
  return db;
};

test('S-72 only an administrator changes the subscription', async () => {
  const db = await openBilling();
  await db.subscribe({ organization: 'Amazon', subscription: 'Enterprise', user: 'Jeff Bezos' });
  const refused = db.subscribe({ organization: 'Amazon', subscription: 'Free', user: 'Larry Ellison' });
  expect(await errorOf(refused)).toMatchObject({ code: 'condition-failed' });
  expect((await db.organization({ organization: 'Amazon' }))?.subscription).toBe('Enterprise');
});

test('S-73 the permission of one item guards another', async () => {
  const db = await openBilling();
  const drop = async (user: string) =>
    await db.dropBilling({ permission: { organization: 'Amazon', user }, billing: { organization: 'Amazon' } });
  expect(await errorOf(drop('Larry Ellison'))).toMatchObject({ code: 'condition-failed', part: 'permission' });
  expect(await db.billing({ organization: 'Amazon' })).toBeDefined();
  await drop('Jeff Bezos');
  expect(await db.billing({ organization: 'Amazon' })).toBeUndefined();
});

test('S-74 a second create with the same name is refused, an upsert is not', async () => {
  const { client } = await openExample(sessions);
  const db = connect(sessions, { client });
  await db.signUp({ username: 'bountyhunter1', name: 'Boba Fett' });
  expect(await errorOf(db.signUp({ username: 'bountyhunter1', name: 'Jango Fett' }))).toMatchObject({
    code: 'already-exists',
  });
  expect((await db.user({ username: 'bountyhunter1' }))?.name).toBe('Boba Fett');
  await db.save({ username: 'bountyhunter1', name: 'Jango Fett' });
  expect((await db.user({ username: 'bountyhunter1' }))?.name).toBe('Jango Fett');
});

test('S-75 an expired session that is still stored is absent by both paths', async () => {
  const clock = new ManualClock('2020-02-01T12:00:00Z');
  const { client, stored } = await openExample(sessions, { clock });
  const db = connect(sessions, { client, now: () => clock.nowMs() });
  await db.start({ token: 'abc', username: 'alex', expiresAt: Date.parse('2020-02-01T13:00:00Z') / 1000 });
  expect(await db.session({ token: 'abc' })).toBeDefined();
  clock.setToMs(Date.parse('2020-02-01T13:00:01Z'));
  expect(await db.session({ token: 'abc' })).toBeUndefined();
  expect((await db.sessionsOf({ username: 'alex' })).items).toEqual([]);
  expect(await stored('Sessions')).toHaveLength(1);
});

test('S-76 BETWEEN selects what any other condition selects', async () => {
  const { client } = await openExample();
  const key = [
    { AttributeName: 'pk', KeyType: 'HASH' as const },
    { AttributeName: 'sk', KeyType: 'RANGE' as const },
  ];
  const AttributeDefinitions = key.map(({ AttributeName }) => ({ AttributeName, AttributeType: 'S' as const }));
  await client.send(
    new CreateTableCommand({ TableName: 'Keys', KeySchema: key, AttributeDefinitions, BillingMode: 'PAY_PER_REQUEST' }),
  );
  const keys = ['a', 'aa', 'ab', 'a#', 'b', 'ba', 'bb', 'bbb', 'c', 'é', '語', '😀', 'A', '0', '~'];
  await client.send(
    new BatchWriteItemCommand({
      RequestItems: { Keys: keys.map((sk) => ({ PutRequest: { Item: { pk: { S: 'p' }, sk: { S: sk } } } })) },
    }),
  );
  const select = async (condition: string, values: Readonly<Record<string, string>>) => {
    const ExpressionAttributeValues = Object.fromEntries(
      Object.entries({ ...values, ':p': 'p' }).map(([name, S]) => [name, { S }]),
    );
    const KeyConditionExpression = `pk = :p AND ${condition}`;
    const { Items = [] } = await client.send(
      new QueryCommand({ TableName: 'Keys', KeyConditionExpression, ExpressionAttributeValues }),
    );
    return Items.map(({ sk }) => sk?.S);
  };
  const operators = ['=', '<', '<=', '>', '>=', 'begins_with'] as const;
  const text = fc.array(fc.constantFrom('a', 'b', 'c', '#', '0', 'A', '~'), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...operators),
      fc.oneof(
        text.map((parts) => parts.join('')),
        fc.constantFrom(...keys.slice(0, 9)),
      ),
      async (operator, value) => {
        const { from, to } = asBetween(operator, value);
        const condition = operator === 'begins_with' ? 'begins_with(sk, :v)' : `sk ${operator} :v`;
        expect(await select('sk BETWEEN :from AND :to', { ':from': from, ':to': to })).toEqual(
          await select(condition, { ':v': value }),
        );
      },
    ),
    { numRuns: 100 },
  );
});
