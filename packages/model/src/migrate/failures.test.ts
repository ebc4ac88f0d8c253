import { type DynamoDBClient, PutItemCommand, ScanCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { tracker1, tracker2 } from '../../test/versions.model.ts';
import { testDatabase, type TestDatabase } from '../../test/test-database.ts';
import { connect } from '../index.ts';
import { snapshot } from '../versions/snapshot.ts';
import { migration } from './migration.ts';
import { memoryCheckpoints, type MigrateOptions, resume, run, status } from './run.ts';
import { verify } from './verify.ts';

const at = { owner: 'alex', repo: 'Book' };
const fussy = migration(snapshot(tracker1), snapshot(tracker2), {
  entities: {
    Issue: ({ title }) => {
      if (String(title).startsWith('Bad')) throw new TypeError('a bad title');
      return {};
    },
  },
});
const toIndex = migration(snapshot(tracker1), snapshot(tracker2));

const pause = async (): Promise<void> => new Promise((go) => setImmediate(go));
const options = (client: DynamoDBClient, more: Partial<MigrateOptions> = {}): MigrateOptions => ({
  client,
  pause,
  pageItems: 5,
  segments: 2,
  ...more,
});

/** Issues, of which those with these numbers are invalid. */
async function fill({ client }: TestDatabase, issues: number, bad: readonly number[] = []): Promise<void> {
  const db = connect(tracker1, { client });
  await db.createRepo(at);
  for (let number = 1; number <= issues; number += 1)
    await db.openIssue({ ...at, number, title: bad.includes(number) ? 'Bad' : 'Good' });
}

async function indexed({ client }: TestDatabase): Promise<number> {
  const { Count = 0 } = await client.send(new ScanCommand({ TableName: 'Tracker', IndexName: 'GSI4' }));
  return Count;
}

test('items that fail are counted and told, and the others written, up to the limit', async () => {
  await using database = await testDatabase(tracker1);
  const { client } = database;
  await fill(database, 20, [3, 9, 15]);
  const told: string[] = [];
  const report = await run(
    fussy,
    options(client, {
      failuresMax: 3,
      onFailure: ({ code, key }) => told.push(`${code} ${JSON.stringify(key?.['SK'])}`),
    }),
  );
  expect(report.steps[1]?.count).toMatchObject({ matched: 21, written: 18, failed: 3 });
  expect(told.toSorted((left, right) => (left < right ? -1 : 1))).toEqual([
    'function-failed {"S":"ISSUE#0000003"}',
    'function-failed {"S":"ISSUE#0000009"}',
    'function-failed {"S":"ISSUE#0000015"}',
  ]);
  expect(await indexed(database)).toBe(18);
  expect(await status(fussy, { client })).toMatchObject({ step: 2, endedAt: expect.any(Number) as number });
  const { ok, faults } = await verify(fussy, { client, pause });
  expect(ok).toBe(false);
  expect(faults.map(({ code }) => code)).toEqual(['refused', 'refused', 'refused']);

  await connect(tracker2, { client }).retitle({ ...at, number: 3, title: 'Good' });
  const again = await run(fussy, options(client, { failuresMax: 3 }));
  expect(again.steps[1]?.count).toMatchObject({ written: 1, current: 18, failed: 2 });
});

test('one failure too many stops the run; resumed, it keeps counting', async () => {
  await using database = await testDatabase(tracker1);
  const { client } = database;
  await fill(database, 20, [2, 4, 6, 8]);
  const checkpoints = memoryCheckpoints();
  const told: string[] = [];
  const failing = options(client, {
    segments: 1,
    checkpoints,
    failuresMax: 2,
    onFailure: ({ code }) => told.push(code),
  });
  await expect(run(fussy, failing)).rejects.toMatchObject({ code: 'function-failed' });
  expect(told).toHaveLength(2);
  await expect(resume(fussy, { ...failing, failuresMax: 0 })).rejects.toMatchObject({ code: 'function-failed' });
  const report = await resume(fussy, { ...failing, failuresMax: 4 });
  const { written = 0, current = 0, failed } = report.steps.at(-1)?.count ?? {};
  // Items that were written after the last checkpoint are already in their new form.
  expect({ right: written + current, failed }).toEqual({ right: 17, failed: 4 });
  expect(await indexed(database)).toBe(17);
});

test.each([{ failuresMax: -1 }, { failuresMax: 0.5 }, { rereads: -1 }])('%o is refused', async (bad) => {
  await using database = await testDatabase(tracker1);
  await expect(run(toIndex, options(database.client, bad))).rejects.toMatchObject({ code: 'bad-option' });
});

test('an item that others write all the time is read again as often as is said', async () => {
  await using database = await testDatabase(tracker1);
  const { client } = database;
  await fill(database, 1);
  const db = connect(tracker2, { client });
  let reads = 0;
  let closed = false;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const { Key, ConditionExpression } = args.input as { Key?: { SK: { S: string } }; ConditionExpression?: string };
      if (Key?.SK.S === 'ISSUE#0000001') {
        if (context.commandName === 'GetItemCommand') reads += 1;
        else if (context.commandName === 'UpdateItemCommand' && ConditionExpression?.includes('not_exists') === true) {
          closed = !closed;
          // As an old writer does it: without the index key.
          await connect(tracker1, { client }).setStatus({ ...at, number: 1, status: closed ? 'Closed' : 'Open' });
        }
      }
      return next(args);
    },
    { step: 'initialize' },
  );
  const told: string[] = [];
  const racing = { rereads: 3, failuresMax: 1, onFailure: ({ code }: { code: string }) => told.push(code) };
  const report = await run(toIndex, options(client, racing));
  expect(reads).toBe(3);
  expect(told).toEqual(['busy']);
  expect(report.steps[1]?.count).toMatchObject({ written: 1, failed: 1 });
  expect(await db.repoWithOpenIssues(at)).toMatchObject({ repo: at, issues: [] });
});

test('items from before there was a type are recognised by their keys, where the migration says so', async () => {
  await using database = await testDatabase(tracker1);
  const { client } = database;
  await fill(database, 3);
  const put = async (PK: string, SK: string, rest: Record<string, string | number>): Promise<void> => {
    const values = Object.entries(rest).map(([name, value]) => [
      name,
      typeof value === 'number' ? { N: String(value) } : { S: value },
    ]);
    const Item = { PK: { S: PK }, SK: { S: SK }, ...Object.fromEntries(values) } as Record<string, { S: string }>;
    await client.send(new PutItemCommand({ TableName: 'Tracker', Item }));
  };
  const issue = { ...at, title: 'Old' };
  await put('REPO#alex#Book', 'ISSUE#0000007', { ...issue, number: 7, status: 'Closed' });
  await put('REPO#alex#Old', 'REPO#alex#Old', { owner: 'alex', repo: 'Old' });
  // These look like issues but are not: a star, an installation, an issue whose key is not its own, an item without attributes.
  await put('REPO#alex#Book', 'STAR#b', { ...at, username: 'b' });
  await put('APP#alex#ci', 'REPO#alex#Book', { ...at });
  await put('REPO#alex#Book', 'ISSUE#0000099', { ...issue, number: 98, status: 'Open' });
  await put('REPO#alex#Book', 'ISSUE#', {});

  const untouched = await run(toIndex, options(client, { dryRun: true }));
  expect(untouched.steps[1]?.count).toMatchObject({ matched: 4 });
  const recognising = migration(snapshot(tracker1), snapshot(tracker2), { untyped: ['Repo', 'Issue'] });
  expect(recognising.id).toBe(toIndex.id);
  expect((await verify(recognising, { client, pause })).faults.map(({ code }) => code)).toContain('index-missing');
  const report = await run(recognising, options(client));
  expect(report.steps[1]?.count).toMatchObject({ matched: 6, written: 6 });
  expect((await run(recognising, options(client))).steps[1]?.count).toMatchObject({ matched: 6, written: 0 });
  const { Items = [] } = await client.send(new ScanCommand({ TableName: 'Tracker', IndexName: 'GSI4' }));
  expect(Items.map(({ GSI4SK, Type }) => `${Type?.S} ${GSI4SK?.S}`).toSorted()).toEqual([
    'Issue #ISSUE#CLOSED#00000007',
    'Issue ISSUE#OPEN#99999996',
    'Issue ISSUE#OPEN#99999997',
    'Issue ISSUE#OPEN#99999998',
    'Repo #REPO#alex#Book',
    'Repo #REPO#alex#Old',
  ]);
  const { ok, indexes } = await verify(recognising, { client, pause });
  expect(ok).toBe(true);
  expect(indexes).toEqual({
    GSI4: {
      'Issue #ISSUE#CLOSED#': { items: 1, entries: 1 },
      'Issue ISSUE#OPEN#': { items: 3, entries: 3 },
      Repo: { items: 2, entries: 2 },
    },
  });
  const absent = migration(snapshot(tracker1), snapshot(tracker2), { untyped: ['Absent'] });
  await expect(run(absent, options(client))).rejects.toThrow('says that Absent is untyped');
});

test('an untyped item that is found wrong is a fault', async () => {
  await using database = await testDatabase(tracker1);
  const { client } = database;
  await fill(database, 1);
  const recognising = migration(snapshot(tracker1), snapshot(tracker2), { untyped: ['Issue'] });
  await run(recognising, options(client));
  await client.send(
    new UpdateItemCommand({
      TableName: 'Tracker',
      Key: { PK: { S: 'REPO#alex#Book' }, SK: { S: 'ISSUE#0000001' } },
      UpdateExpression: 'REMOVE #type',
      ExpressionAttributeNames: { '#type': 'Type' },
    }),
  );
  expect((await verify(recognising, { client, pause })).faults).toMatchObject([
    { code: 'wrong-attribute', message: 'Type is missing and should be Issue' },
  ]);
});
