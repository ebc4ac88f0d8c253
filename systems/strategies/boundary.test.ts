import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { connect, ready } from '@singlet/model';
import { check } from '@singlet/model/check';
import { explain, measure } from '@singlet/model/cost';
import { serve } from 'singlet';
import { expect, onTestFinished, test } from 'vitest';
import { mentionsSdk } from '../testing/boundary.ts';
import { createTables, errorOf, openExample } from '../testing/example-database.ts';
import { films } from './many-to-many.ts';
import { reservedWords, shortNames, users } from './boundary.ts';

const alex = { username: 'alexdebrie', firstName: 'Alex', lastName: 'DeBrie', organization: 'facebook' };
const codes = (model: Parameters<typeof check>[0]): readonly string[] => check(model).findings.map(({ code }) => code);

const openUsers = async () => {
  const example = await openExample(users);
  const db = connect(users, { client: example.client });
  await db.createUser(alex);
  await db.createPost({ username: 'alexdebrie', postId: 'p1', text: 'Hello' });
  return { ...example, db };
};

test('S-19 keys are made from values, and new keys can be made from stored items', async () => {
  const { db, stored } = await openUsers();
  expect(await db.getUser({ username: 'alexdebrie' })).toEqual(alex);
  const [item] = (await stored('Users')).filter(({ Type }) => Type === 'User');
  expect(item).toEqual({
    ...alex,
    Type: 'User',
    PK: 'USER#alexdebrie',
    SK: 'USER#alexdebrie',
    GSI1PK: 'ORG#facebook',
    GSI1SK: 'USER#alexdebrie',
  });

  // Other templates: one model writes the items, the other reads them.
  const rekeyed = {
    ...users,
    keys: {
      ...users.keys,
      User: { Users: ['U#{organization}', 'U#{username}'], GSI1: ['O#{organization}', 'U#{username}'] },
    },
    patterns: { ...users.patterns, getUser: { reads: 'User', by: ['organization', 'username'] } },
  } as const;
  const other = await openExample(rekeyed);
  await connect(rekeyed, { client: other.client }).createUser((await db.getUser({ username: 'alexdebrie' }))!);
  const [moved] = await other.stored('Users');
  expect(moved).toMatchObject({
    ...alex,
    PK: 'U#facebook',
    SK: 'U#alexdebrie',
    GSI1PK: 'O#facebook',
    GSI1SK: 'U#alexdebrie',
  });

  const onlyInKey = {
    ...users,
    tables: { Users: { key: ['username', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } },
    keys: {
      User: { ...users.keys['User'], Users: ['{username}', 'USER'] },
      Post: { Users: ['{username}', 'POST#{postId}'] },
    },
  } as const;
  expect(codes(onlyInKey)).toContain('only-in-key');
});

test('S-20 the application gets plain objects, and no example imports the database client', async () => {
  const { db } = await openUsers();
  expect(await db.getUser({ username: 'alexdebrie' })).toEqual(alex);
  for (const folder of ['./', '../patterns/']) {
    const directory = new URL(folder, import.meta.url);
    for (const file of await readdir(directory)) {
      if (!file.endsWith('.ts') || file.endsWith('.test.ts') || file.startsWith('service-')) continue;
      expect([file, mentionsSdk(await readFile(new URL(file, directory), 'utf8'))]).toEqual([file, false]);
    }
  }
});

test('S-21 an index that uses the attributes of another index or of the table is refused', () => {
  const shared = {
    ...users,
    tables: { Users: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'], GSI2: ['GSI1PK', 'GSI2SK'] } } },
  } as const;
  expect(codes(shared)).toContain('shared-index-attribute');
  // An inverted index is a choice. It nevertheless has its own attributes.
  expect(codes(films)).not.toContain('shared-index-attribute');
});

test('S-22 every item has its type, by which posts are found; an item without one is reported', async () => {
  const { db, client, stored } = await openUsers();
  expect((await stored('Users')).every(({ Type }) => typeof Type === 'string')).toBe(true);
  expect((await db.everyPost({})).items).toEqual([{ username: 'alexdebrie', postId: 'p1', text: 'Hello' }]);
  const nameless = { ...alex, PK: 'USER#nameless', SK: 'USER#nameless' };
  await DynamoDBDocumentClient.from(client).send(new PutCommand({ TableName: 'Users', Item: nameless }));
  expect(await errorOf(db.getUser({ username: 'nameless' }))).toMatchObject({ name: 'UnexpectedItemError' });
});

test('S-23 a command for each pattern runs it and explains it', async () => {
  const { database } = await openExample();
  const server = await serve(database, { port: 0 });
  onTestFinished(async () => await server.close());
  const remote = new DynamoDBClient({
    endpoint: server.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  onTestFinished(() => remote.destroy());
  await createTables(remote, users);
  await connect(users, { client: remote }).createUser(alex);

  const program = fileURLToPath(new URL('../../packages/singlet/bin/singlet.js', import.meta.url));
  const file = fileURLToPath(new URL('./boundary.ts', import.meta.url));
  const words = [program, 'run', file, 'getUser', '--model', 'users', '--username', 'alexdebrie'];
  const { stdout } = await promisify(execFile)(process.execPath, [...words, '--endpoint', server.url]);
  expect(JSON.parse(stdout)).toEqual(alex);

  expect(explain(users, 'getUser')?.served).toMatchObject({
    operation: 'GetItem',
    place: 'Users',
    keyCondition: 'PK = USER#{username} AND SK = USER#{username}',
  });
  const measured = await measure(users, 'getUser', { username: 'alexdebrie' }, { client: remote });
  expect(measured).toMatchObject({ requests: 1, items: 1, readUnits: 0.5 });
});

test('S-24 short names save exactly the difference in bytes, and are refused if they are taken', async () => {
  const { client, stored } = await openExample(shortNames);
  const db = connect(shortNames, { client });
  const user = { username: 'alexdebrie', firstName: 'Alex', lastName: 'DeBrie', note: 'no short name' };
  await db.create(user);
  expect(await db.user({ username: 'alexdebrie' })).toEqual(user);
  const [short] = await stored('Users');
  expect(short).toMatchObject({ u: 'alexdebrie', fn: 'Alex', ln: 'DeBrie', note: 'no short name' });

  const long = await openExample({ ...shortNames, storage: {} });
  await connect({ ...shortNames, storage: {} }, { client: long.client }).create(user);
  const bytes = (item: object | undefined): number =>
    Object.entries(item ?? {}).reduce((sum, [name, value]) => sum + name.length + String(value).length, 0);
  const saved = 'username'.length + 'firstName'.length + 'lastName'.length - 'ufnln'.length;
  expect(bytes((await long.stored('Users'))[0]) - bytes(short)).toBe(saved);

  const twice = { ...shortNames, storage: { User: { stored: { firstName: 'n', lastName: 'n' } } } };
  expect(check(twice).ok).toBe(false);
});

test('S-25 the request can be inspected, and no other request is sent', async () => {
  const { db, operations, requests } = await openUsers();
  operations();
  await ready(db);
  const [request] = db.usersOf.request({ organization: 'facebook' });
  await db.usersOf({ organization: 'facebook' });
  const [sent, ...more] = requests();
  expect(more).toEqual([]);
  expect({ operation: sent?.operation, input: sent?.input }).toEqual(request);
  expect(request).toMatchObject({ operation: 'Query', input: { TableName: 'Users', IndexName: 'GSI1' } });
});

test('S-81 reserved words and dots in names need no special treatment', async () => {
  const { client } = await openExample(reservedWords);
  const db = connect(reservedWords, { client });
  await db.add({ Name: 'It', Year: 1986, 'a.b': 'c', Status: 'draft' });
  await db.change({ Name: 'It', Year: 1987, 'a.b': 'd' });
  expect(await db.book({ Name: 'It' })).toEqual({ Name: 'It', Year: 1987, 'a.b': 'd' });
});
