import { DeleteItemCommand, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { tracker1, tracker2 } from '../../test/versions.model.ts';
import { testDatabase, type TestDatabase } from '../../test/test-database.ts';
import { connect } from '../index.ts';
import { resolve } from '../resolve/resolve.ts';
import type { StoredItem } from '../run/attribute-value.ts';
import { snapshot } from '../versions/snapshot.ts';
import { migration } from './migration.ts';
import { run } from './run.ts';
import { Traffic } from './traffic.ts';
import { verify } from './verify.ts';
import { IndexComparison, type IndexFault } from './verify-index.ts';

const at = { owner: 'alex', repo: 'Book' };
const toIndex = migration(snapshot(tracker1), snapshot(tracker2));
const pause = async (): Promise<void> => new Promise((go) => setImmediate(go));

async function filled({ client }: TestDatabase): Promise<void> {
  const db = connect(tracker1, { client });
  await db.createRepo(at);
  for (let number = 1; number <= 6; number += 1)
    await db.openIssue({ ...at, number, title: 'x', status: number < 3 ? 'Closed' : 'Open' });
  await db.star({ ...at, username: 'a' });
  await run(toIndex, { client, pause });
}

/** Makes an index show what its table does not have: entries are changed on their way to the reader. */
function distort(client: DynamoDBClient, entries: (items: StoredItem[]) => StoredItem[], looks = Infinity): void {
  let left = looks;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      const isIndex = (args.input as { IndexName?: string }).IndexName !== undefined;
      const reads = context.commandName === 'ScanCommand' || context.commandName === 'QueryCommand';
      if (!isIndex || !reads || left <= 0) return result;
      left -= 1;
      const output = result.output as { Items?: StoredItem[] };
      output.Items = entries(output.Items ?? []);
      return result;
    },
    { step: 'initialize' },
  );
}

const isThird = ({ SK }: StoredItem): boolean => SK?.S === 'ISSUE#0000003';

describe('an index is compared with its table', () => {
  test('by kind of entry', async () => {
    await using database = await testDatabase(tracker1);
    await filled(database);
    const { ok, indexes } = await verify(toIndex, { client: database.client, pause, segments: 3, pageItems: 2 });
    expect(ok).toBe(true);
    expect(indexes).toEqual({
      GSI4: {
        'Issue #ISSUE#CLOSED#': { items: 2, entries: 2 },
        'Issue ISSUE#OPEN#': { items: 4, entries: 4 },
        Repo: { items: 1, entries: 1 },
      },
    });
  });

  test('an entry that is not there is missed, and one that only comes late is not', async () => {
    await using database = await testDatabase(tracker1);
    await filled(database);
    const late = database.newClient();
    distort(late, (items) => items.filter((item) => !isThird(item)), 3);
    expect((await verify(toIndex, { client: late, pause, segments: 1 })).ok).toBe(true);

    const never = database.newClient();
    distort(never, (items) => items.filter((item) => !isThird(item)));
    const { ok, faults, indexes } = await verify(toIndex, { client: never, pause });
    expect(ok).toBe(false);
    expect(faults).toEqual([
      {
        code: 'entry-missing',
        entity: 'Issue',
        key: { PK: 'REPO#alex#Book', SK: 'ISSUE#0000003' },
        message: 'is not in GSI4',
      },
    ]);
    expect(indexes['GSI4']?.['Issue ISSUE#OPEN#']).toEqual({ items: 4, entries: 3 });
  });

  test('an entry that no item has is one too many, and one that only goes late is not', async () => {
    await using database = await testDatabase(tracker1);
    await filled(database);
    const stray = { PK: { S: 'REPO#alex#Book' }, SK: { S: 'ISSUE#0000077' }, GSI4PK: { S: 'x' }, GSI4SK: { S: 'y' } };
    const late = database.newClient();
    distort(late, (items) => [...items, stray], 2);
    expect((await verify(toIndex, { client: late, pause, segments: 1 })).ok).toBe(true);

    const always = database.newClient();
    distort(always, (items) => [...items, stray]);
    const { faults } = await verify(toIndex, { client: always, pause, segments: 1 });
    expect(faults).toMatchObject([{ code: 'entry-stray', key: { SK: 'ISSUE#0000077' } }]);
  });

  test('what is written between reading the table and the index is not a fault', async () => {
    await using database = await testDatabase(tracker1);
    await filled(database);
    const { client } = database;
    const db = connect(tracker2, { client: database.newClient() });
    let changed = false;
    client.middlewareStack.add(
      (next) => async (args) => {
        if ((args.input as { IndexName?: string }).IndexName !== undefined && !changed) {
          changed = true;
          await db.setStatus({ ...at, number: 3, status: 'Closed' });
          await db.openIssue({ ...at, number: 10, title: 'new' });
          await db.dropIssue({ ...at, number: 4 });
        }
        return next(args);
      },
      { step: 'initialize' },
    );
    expect((await verify(toIndex, { client, pause, segments: 1 })).faults).toEqual([]);
    expect(changed).toBe(true);
  });

  test('an index that was never made is a fault', async () => {
    await using database = await testDatabase(tracker1);
    const { ok, faults } = await verify(toIndex, { client: database.client, pause });
    expect(ok).toBe(false);
    expect(faults).toMatchObject([{ code: 'index-missing', message: 'Tracker has no index GSI4' }]);
  });

  test('beyond the entries that are told apart, numbers are compared', async () => {
    await using database = await testDatabase(tracker1);
    await filled(database);
    const { client } = database;
    const table = resolve(tracker2).tables.get('Tracker')!;
    const index = table.indexes.find(({ name }) => name === 'GSI4')!;
    const { Items = [] } = await client.send(new ScanCommand({ TableName: 'Tracker', IndexName: 'GSI4' }));
    const compared = async (items: readonly StoredItem[]): Promise<IndexFault[]> => {
      const comparison = new IndexComparison(new Traffic({ client, pause }), table, index, 3);
      for (const item of items) comparison.add(item, 'any');
      const faults: IndexFault[] = [];
      await comparison.compare(1, 2, (fault) => faults.push(fault));
      return faults;
    };
    expect(await compared(Items)).toEqual([]);
    const { PK, SK } = Items.at(-1) ?? {};
    // The last of the entries that are only counted is missing, undetected.
    await client.send(new DeleteItemCommand({ TableName: 'Tracker', Key: { PK: PK!, SK: SK! } }));
    const faults = await compared(Items);
    expect(faults.map(({ code }) => code)).toEqual(['entry-count']);
    expect(faults[0]?.message).toBe('GSI4 has 1 entries too few');
  });
});

test('a counter that is kept in another way can be left out', async () => {
  const counting = {
    ...tracker1,
    entities: { ...tracker1.entities },
    relationships: [['Repo', '1:N', 'Issue', { count: 'about' }]],
  } as unknown as typeof tracker1;
  await using database = await testDatabase(counting);
  const { client } = database;
  await connect(tracker1, { client }).createRepo(at);
  const same = migration(snapshot(counting), snapshot(counting));
  await connect(tracker1, { client }).openIssue({ ...at, number: 1, title: 'x' });
  expect((await verify(same, { client, pause })).faults).toMatchObject([{ code: 'wrong-count' }]);
  expect((await verify(same, { client, pause, exceptCounts: ['Repo.about'] })).ok).toBe(true);
});
