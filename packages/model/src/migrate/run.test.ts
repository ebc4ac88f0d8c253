import { type DynamoDBClient, ScanCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { tracker1, tracker2, tracker3 } from '../../test/versions.model.ts';
import { type TestDatabase, testDatabase } from '../../test/test-database.ts';
import { connect } from '../index.ts';
import { fromAttributeValue } from '../run/attribute-value.ts';
import { snapshot } from '../versions/snapshot.ts';
import { connectDuring } from './connect-during.ts';
import { migration } from './migration.ts';
import { MigrationError } from './migration-error.ts';
import { memoryCheckpoints, type MigrateOptions, resume, run, status, undo } from './run.ts';
import { verify } from './verify.ts';

const toIndex = migration(snapshot(tracker1), snapshot(tracker2));
const slugged = {
  entities: {
    Repo: ({ repo, slug }: Readonly<Record<string, unknown>>) => ({ slug: slug ?? String(repo).toLowerCase() }),
  },
};
const toThird = migration(snapshot(tracker1), snapshot(tracker3), slugged);

/** Does not wait, but yields to background work, which fills indexes. */
const pause = async (): Promise<void> => new Promise((resume) => setImmediate(resume));
const options = (client: DynamoDBClient, more: Partial<MigrateOptions> = {}): MigrateOptions => ({
  client,
  pause,
  pageItems: 7,
  ...more,
});

/** A repository with issues, every third closed, and some items that no migration concerns. */
async function fill({ client }: TestDatabase, issues: number): Promise<void> {
  const db = connect(tracker1, { client });
  await db.createRepo({ owner: 'alex', repo: 'Book' });
  for (let number = 1; number <= issues; number += 1) {
    await db.openIssue({
      owner: 'alex',
      repo: 'Book',
      number,
      title: `Issue ${number}`,
      status: number % 3 === 0 ? 'Closed' : 'Open',
    });
  }
  for (const username of ['a', 'b', 'c', 'd']) {
    await db.signUp({ username, email: `${username}@example.com` });
    await db.star({ owner: 'alex', repo: 'Book', username });
  }
}

async function all({ client }: TestDatabase): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: 'Tracker' }));
  return Items.map((item) => fromAttributeValue({ M: item }) as Record<string, unknown>)
    .filter(({ Type }) => Type !== 'Migration')
    .toSorted((a, b) => (`${String(a['PK'])} ${String(a['SK'])}` < `${String(b['PK'])} ${String(b['SK'])}` ? -1 : 1));
}

describe('S-63 a backfill of index keys', () => {
  test('S-64 P-37.a P-53.b T-07 writes what needs it and nothing else, and serves the new pattern', async () => {
    await using database = await testDatabase(tracker1);
    const { client } = database;
    await fill(database, 40);
    const before = await all(database);
    const report = await run(toIndex, options(client));
    expect(report.steps.map(({ step }) => step.kind)).toEqual(['create-index', 'items']);
    // All items, and the migration's own checkpoint.
    expect(report.steps[1]?.count).toMatchObject({ scanned: 50, matched: 41, written: 41, current: 0 });
    const { repo, issues } = await connect(tracker2, { client }).repoWithOpenIssues({ owner: 'alex', repo: 'Book' });
    expect(repo?.repo).toBe('Book');
    expect(issues.map(({ number }) => number)).toEqual(
      Array.from({ length: 40 }, (_, i) => 40 - i)
        .filter((n) => n % 3 > 0)
        .slice(0, 25),
    );
    const after = await all(database);
    const withoutIndex = after.map((item) =>
      Object.fromEntries(Object.entries(item).filter(([name]) => !name.startsWith('GSI4'))),
    );
    expect(withoutIndex).toEqual(before);
    expect(after.find(({ SK }) => SK === 'ISSUE#0000015')?.['GSI4SK']).toBe('#ISSUE#CLOSED#00000015');
    expect(await verify(toIndex, options(client))).toMatchObject({
      ok: true,
      entities: { Issue: 40, Repo: 1, Account: 4, Star: 4 },
    });
  });

  test('P-37.c run twice, the second writes nothing; a dry run counts and writes nothing', async () => {
    await using database = await testDatabase(tracker1);
    await fill(database, 20);
    const dry = await run(toIndex, options(database.client, { dryRun: true }));
    expect(dry.steps[1]?.count).toMatchObject({ matched: 21, written: 21 });
    expect((await all(database)).some((item) => 'GSI4PK' in item)).toBe(false);
    expect(await status(toIndex, { client: database.client })).toBeUndefined();
    await run(toIndex, options(database.client));
    const again = await run(toIndex, options(database.client));
    expect(again.steps[1]?.count).toMatchObject({ matched: 21, written: 0, current: 21 });
  });

  test('P-37.d a write between the scan and the update wins, and a deleted item stays deleted', async () => {
    await using database = await testDatabase(tracker1);
    const { client } = database;
    await fill(database, 9);
    const db = connect(tracker2, { client });
    const at = { owner: 'alex', repo: 'Book' };
    let raced = false;
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (context.commandName === 'UpdateItemCommand' && !raced) {
          raced = true;
          await db.setStatus({ ...at, number: 2, status: 'Closed' });
          await db.dropIssue({ ...at, number: 4 });
          await db.retitle({ ...at, number: 5, title: 'Changed' });
        }
        return next(args);
      },
      { step: 'initialize' },
    );
    const report = await run(toIndex, options(client, { segments: 1, concurrency: 1, pageItems: 100 }));
    expect(report.steps[1]?.count.gone).toBe(1);
    const items = await all(database);
    expect(items.find(({ SK }) => SK === 'ISSUE#0000002')?.['GSI4SK']).toBe('#ISSUE#CLOSED#00000002');
    expect(items.find(({ SK }) => SK === 'ISSUE#0000004')).toBeUndefined();
    expect(items.find(({ SK }) => SK === 'ISSUE#0000005')).toMatchObject({
      title: 'Changed',
      GSI4SK: 'ISSUE#OPEN#99999994',
    });
    expect((await verify(toIndex, options(client))).ok).toBe(true);
  });

  test('undo takes the keys and the index away again', async () => {
    await using database = await testDatabase(tracker1);
    await fill(database, 12);
    const before = await all(database);
    await run(toIndex, options(database.client));
    const report = await undo(toIndex, options(database.client));
    expect(report.steps.map(({ step }) => step.kind)).toEqual(['items', 'drop-index']);
    expect(await all(database)).toEqual(before);
    await expect(database.stored('Tracker', 'GSI4')).rejects.toThrow();
    expect((await run(toIndex, options(database.client))).steps[1]?.count.written).toBe(13);
  });
});

describe('moves, guards, counts and functions', () => {
  test('all at once: every item has its new form, and nothing is lost', async () => {
    await using database = await testDatabase(tracker1);
    const { client } = database;
    await fill(database, 25);
    const report = await run(toThird, options(client));
    expect(report.steps.map(({ step }) => step.kind)).toEqual(['items', 'counts']);
    expect(await verify(toThird, options(client))).toMatchObject({
      ok: true,
      entities: { Issue: 25, Repo: 1, Account: 4, Star: 4 },
    });
    const db = connect(tracker3, { client });
    const { items } = await db.issues({ owner: 'alex', repo: 'Book' });
    expect(items.map(({ number }) => number)).toEqual(Array.from({ length: 25 }, (_, i) => 25 - i));
    expect(await db.repo({ owner: 'alex', repo: 'Book' })).toEqual({
      owner: 'alex',
      repo: 'Book',
      slug: 'book',
      stars: 4,
    });
    await expect(db.signUp({ username: 'z', email: 'a@example.com' })).rejects.toMatchObject({ code: 'not-unique' });
    await db.changeEmail({ username: 'a', email: 'new@example.com' });
    await db.signUp({ username: 'z', email: 'a@example.com' });
    expect((await verify(toThird, options(client))).ok).toBe(true);
  });

  test('undo restores every item', async () => {
    await using database = await testDatabase(tracker1);
    await fill(database, 15);
    const before = await all(database);
    await run(toThird, options(database.client));
    await undo(toThird, options(database.client));
    expect(await all(database)).toEqual(before);
  });

  test('undo keeps what the application wrote since', async () => {
    await using database = await testDatabase(tracker1);
    const { client } = database;
    await fill(database, 2);
    await run(toThird, options(client));
    const db = connect(tracker3, { client });
    await db.openIssue({ owner: 'alex', repo: 'Book', number: 3, title: 'New', labels: ['bug'] });
    await db.changeEmail({ username: 'a', email: 'new@example.com' });
    await undo(toThird, options(client));
    const items = await all(database);
    expect(items.find(({ SK }) => SK === 'ISSUE#0000003')).toMatchObject({ title: 'New', labels: ['bug'] });
    expect(await connect(tracker1, { client }).account({ username: 'a' })).toEqual({
      username: 'a',
      email: 'new@example.com',
    });
    expect(items.some(({ Type }) => String(Type).includes('.'))).toBe(false);
  });

  test('two items that share a value that is to be unique: both are named, and it continues when one has changed', async () => {
    await using database = await testDatabase(tracker1);
    const { client } = database;
    await fill(database, 1);
    const old = connect(tracker1, { client });
    await old.changeEmail({ username: 'b', email: 'a@example.com' });
    await expect(run(toThird, options(client))).rejects.toMatchObject({ name: 'MigrationError', code: 'not-unique' });
    await expect(run(toThird, options(client))).rejects.toMatchObject({ code: 'unfinished' });
    await connectDuring(tracker3, toThird, { client }).changeEmail({ username: 'b', email: 'b2@example.com' });
    await resume(toThird, options(client));
    expect((await verify(toThird, options(client))).ok).toBe(true);
  });

  test('while it is under way, connectDuring reads and writes items of either form', async () => {
    await using database = await testDatabase(tracker1);
    const { client } = database;
    await fill(database, 3);
    const db = connectDuring(tracker3, toThird, { client });
    const at = { owner: 'alex', repo: 'Book' };
    expect(await db.issue({ ...at, number: 1 })).toMatchObject({ title: 'Issue 1', labels: [] });
    await db.retitle({ ...at, number: 2, title: 'Second' });
    await expect(db.openIssue({ ...at, number: 3, title: 'Again' })).rejects.toMatchObject({ code: 'already-exists' });
    await db.describe({ ...at, about: 'All of it' });
    expect(await db.repo(at)).toMatchObject({ about: 'All of it', slug: 'book' });
    await db.changeEmail({ username: 'c', email: 'c2@example.com' });
    await db.unstar({ ...at, username: 'd' });
    await db.star({ ...at, username: 'e' });
    await run(toThird, options(client));
    expect(await verify(toThird, options(client))).toMatchObject({ ok: true });
    expect((await connect(tracker3, { client }).repo(at))?.stars).toBe(4);
  });

  test.each<[string, Parameters<typeof migration>[2], string]>([
    ['a function that is missing', {}, 'function-missing'],
    [
      'one that does not leave alone what is done',
      { entities: { Repo: ({ slug }) => ({ slug: `${String(slug)}x` }) } },
      'not-idempotent',
    ],
    ['one that gives nothing', { entities: { Repo: () => ({}) } }, 'value-missing'],
    [
      'one that throws',
      {
        entities: {
          Repo: () => {
            throw new TypeError('no');
          },
        },
      },
      'function-failed',
    ],
  ])('%s stops it before anything is lost', async (_name, functions, code) => {
    await using database = await testDatabase(tracker1);
    await fill(database, 2);
    const migrated = migration(snapshot(tracker1), snapshot(tracker3), functions);
    await expect(run(migrated, options(database.client))).rejects.toMatchObject({ name: 'MigrationError', code });
    await resume(toThird, options(database.client)).catch(async (error: unknown) => {
      expect(error).toMatchObject({ code: 'not-begun' });
      await run(toThird, options(database.client));
    });
    expect((await verify(toThird, options(database.client))).ok).toBe(true);
  });
});

test('verification finds what is not as it should be', async () => {
  await using database = await testDatabase(tracker1);
  const { client } = database;
  await fill(database, 6);
  await run(toThird, options(client));
  const set = async (PK: string, SK: string, name: string, value: string): Promise<void> => {
    await client.send(
      new UpdateItemCommand({
        TableName: 'Tracker',
        Key: { PK: { S: PK }, SK: { S: SK } },
        UpdateExpression: 'SET #n = :v',
        ExpressionAttributeNames: { '#n': name },
        ExpressionAttributeValues: { ':v': name === 'stars' ? { N: value } : { S: value } },
      }),
    );
  };
  await set('REPO#alex#Book', 'REPO#alex#Book', 'stars', '9');
  await set('ACCOUNT#a', 'ACCOUNT#a', 'email', 'absent@example.com');
  await set('REPO#alex#Book', 'ISSUE#0000099', 'Type', 'Issue');
  const { ok, faults } = await verify(toThird, options(client));
  expect(ok).toBe(false);
  expect(faults.map(({ code }) => code).toSorted()).toEqual([
    'guard-missing',
    'guard-without-owner',
    'refused',
    'wrong-count',
  ]);

  await using indexed = await testDatabase(tracker1);
  await fill(indexed, 3);
  await run(toIndex, options(indexed.client));
  await indexed.client.send(
    new UpdateItemCommand({
      TableName: 'Tracker',
      Key: { PK: { S: 'REPO#alex#Book' }, SK: { S: 'ISSUE#0000002' } },
      UpdateExpression: 'SET GSI4SK = :v',
      ExpressionAttributeValues: { ':v': { S: 'ISSUE#OPEN#2' } },
    }),
  );
  const report = await verify(toIndex, options(indexed.client));
  expect(report.faults).toEqual([
    {
      code: 'wrong-attribute',
      entity: 'Issue',
      key: { PK: 'REPO#alex#Book', SK: 'ISSUE#0000002' },
      message: 'GSI4SK is ISSUE#OPEN#2 and should be ISSUE#OPEN#99999997',
    },
  ]);
});

test('the rate is kept, by a clock', async () => {
  await using database = await testDatabase(tracker1);
  await fill(database, 60);
  let now = 1_000_000;
  const clock = {
    now: () => now,
    pause: async (milliseconds: number): Promise<void> => {
      now += milliseconds;
      await pause();
    },
  };
  const { steps } = await run(toIndex, {
    client: database.client,
    ...clock,
    writeUnits: 10,
    segments: 1,
    concurrency: 1,
    pageItems: 20,
  });
  const seconds = (now - 1_000_000) / 1000;
  // An update of an item with two more index keys takes two units: one in the table, one in the index.
  expect(steps[1]?.count.written).toBe(61);
  expect(seconds).toBeGreaterThan((61 * 2) / 10 - 1);
  expect(seconds).toBeLessThan((61 * 2) / 10 + 2);
  const reading = now;
  await run(toIndex, { client: database.client, ...clock, readUnits: 1, segments: 1, pageItems: 20 });
  expect(now - reading).toBeGreaterThan(2000);
  await expect(run(toIndex, { client: database.client, writeUnits: 0 })).rejects.toMatchObject({ code: 'bad-option' });
});

test('checkpoints are kept in the table by default, or where one says', async () => {
  await using database = await testDatabase(tracker1);
  const { client } = database;
  await fill(database, 5);
  await expect(resume(toIndex, options(client))).rejects.toThrow(MigrationError);
  await run(toIndex, options(client));
  expect(await status(toIndex, { client })).toMatchObject({ direction: 'run', step: 2, segments: 4 });
  expect((await database.stored('Tracker')).filter(({ Type }) => Type === 'Migration').length).toBe(5);
  const checkpoints = memoryCheckpoints();
  await run(toIndex, options(client, { checkpoints }));
  expect(await status(toIndex, { client, checkpoints })).toMatchObject({ attempt: 1 });
});
