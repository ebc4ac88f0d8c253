import { CreateTableCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { connect, type Model } from '@singlet/model';
import { check } from '@singlet/model/check';
import { documentation, documentOf } from '@singlet/model/docs';
import { expect, test } from 'vitest';
import { openExample } from '../testing/example-database.ts';
import { primaryKeyFor } from './advice.ts';
import { gitHubChart, notes, sessionStore } from './modelling-process.ts';
import { twoTables } from './single-table.ts';

const errors = (model: Model): readonly string[] =>
  check(model).findings.flatMap(({ level, code, path }) => (level === 'error' ? [`${code} ${path}`] : []));

test('S-01 check reports the open steps of the method, and passes when there are none', async () => {
  expect(check(notes).ok).toBe(true);
  // (a) a pattern without an operation, (b) one that needs a scan, (c) an entity without keys, (d) keys that collide
  const { userWithNotes: _, ...servedWithout } = notes.served;
  expect(errors({ ...notes, served: servedWithout })).toContain('not-served served.userWithNotes');
  const everyNote = { reads: ['Note'] } as const;
  const scanned = check({
    ...notes,
    patterns: { ...notes.patterns, everyNote },
    served: { ...notes.served, everyNote: { scan: 'Notes', because: 'curiosity' } },
  });
  expect(scanned.findings.map(({ code, path }) => [code, path])).toContainEqual(['scan', 'served.everyNote']);
  const { Note: __, ...keysWithout } = notes.keys;
  expect(errors({ ...notes, keys: keysWithout }).some((error) => error.includes('keys.Note'))).toBe(true);
  expect(
    errors({ ...notes, keys: { User: { Notes: ['{username}', 'USER'] }, Note: { Notes: ['{username}', '{title}'] } } }),
  ).toContain('key-collision keys.Note.Notes');

  const { client, operations } = await openExample(notes);
  const db = connect(notes, { client });
  await db.signUp({ username: 'alex', email: 'alex@debrie.com', dateCreated: '2020-01-01' });
  await db.write({ username: 'alex', title: 'first', dateCreated: '2020-01-02', body: 'Hello' });
  operations();
  const { user, notes: written } = await db.userWithNotes({ username: 'alex' });
  expect([user?.email, written.map(({ title }) => title), operations()]).toEqual([
    'alex@debrie.com',
    ['first'],
    ['Query'],
  ]);
});

test('S-02 the diagram has two entities and one edge; an unknown entity is an error', () => {
  const markdown = documentation(notes, 'markdown');
  expect(markdown.match(/^ {2}\w+ \{$/gm)).toEqual(['  User {', '  Note {']);
  expect(markdown.match(/^ {2}\w+ \|\|--o\{ \w+/gm)).toEqual(['  User ||--o{ Note']);
  expect(errors({ ...notes, relationships: [['User', '1:N', 'Tag']] })).toContain(
    'unknown-entity relationships.User.Tag',
  );
});

test('S-03 the chart has a row for each pattern, which is complete once the pattern is served', () => {
  const { patternChart } = documentOf(sessionStore);
  const column = (name: string) => patternChart.columns.indexOf(name);
  expect(
    patternChart.rows.map((row) => [row[column('Pattern')], row[column('Operation')], row[column('Key condition')]]),
  ).toEqual([
    ['createSession', 'PutItem', ''],
    ['getSession', 'GetItem', 'token = {token}'],
    ['deleteSession', 'DeleteItem', ''],
    ['sessionsOfUser', 'Query', 'username = {username}'],
  ]);
  expect(documentation(sessionStore, 'markdown')).toContain('| getSession |');
  const { getSession: _, ...served } = sessionStore.served;
  const open = documentOf({ ...sessionStore, served }).patternChart.rows;
  expect(open.find((row) => row[column('Pattern')] === 'getSession')?.[column('Operation')]).toBe('not served');
});

test('S-04 the chart has a row for each entity, except the one that is a map on another, and no empty key at the end', () => {
  expect(Object.keys(gitHubChart({ embedded: false, keyed: false }).entities)).toHaveLength(9);
  // While keys are missing, the check names the entities.
  const empty = errors(gitHubChart({ embedded: true, keyed: false }));
  expect(empty.some((error) => error.includes('Organization'))).toBe(true);
  const model = gitHubChart({ embedded: true, keyed: true });
  const [chart] = documentOf(model).entityChart;
  expect(chart?.chart.rows.map(([name]) => name)).not.toContain('PaymentPlan');
  expect(chart?.chart.rows).toHaveLength(8);
  expect(chart?.chart.rows.flat().filter((cell) => cell === '')).toEqual([]);
  const organization = documentOf(model).entities.find(({ name }) => name === 'Organization');
  expect(organization?.attributes.map(({ name, kind }) => [name, kind])).toContainEqual(['paymentPlan', 'map']);
});

test('S-05 a user by name needs a simple key; with a simple key, the second order of a user would replace the first', async () => {
  expect([primaryKeyFor(twoTables, 'Users'), primaryKeyFor(twoTables, 'Orders')]).toEqual(['simple', 'composite']);
  const { client } = await openExample(twoTables);
  const db = connect(twoTables, { client });
  const order = { username: 'alex', orderDate: '2020-01-01', amount: 10, status: 'PLACED' } as const;
  for (const orderId of ['o1', 'o2']) await db.place({ ...order, orderId });
  expect((await db.orders({ username: 'alex' })).items.map(({ orderId }) => orderId)).toEqual(['o1', 'o2']);
  // With the user as the whole key, a table has one item for each user.
  const item = (orderId: string) => ({ username: { S: 'alex' }, orderId: { S: orderId } });
  await client.send(
    new CreateTableCommand({
      TableName: 'OneOrder',
      KeySchema: [{ AttributeName: 'username', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'username', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  for (const orderId of ['o1', 'o2']) {
    await client.send(new PutItemCommand({ TableName: 'OneOrder', Item: item(orderId) }));
  }
  const { Items } = await client.send(new ScanCommand({ TableName: 'OneOrder' }));
  expect(Items).toEqual([item('o2')]);
});

test('S-06 a key with a part that the reader does not know is reported', () => {
  const keys = { ...notes.keys, User: { Notes: ['USER#{username}#{dateCreated}', 'USER'] } } as const;
  const { findings } = check({
    ...notes,
    keys,
    patterns: { ...notes.patterns, user: { reads: 'User', by: ['username'] } },
    served: { ...notes.served, user: 'GetItem' },
  });
  const report = findings.find(({ code, path }) => code === 'not-served' && path === 'served.user');
  expect(report?.message).toContain('dateCreated');
});
