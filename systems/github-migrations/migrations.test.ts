import {
  DeleteItemCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { tableDefinitions } from '@singlet/model';
import { check } from '@singlet/model/check';
import { diff, snapshot } from '@singlet/model/versions';
import { describe, expect, test } from 'vitest';
import { BOOK, databases, GRAPHQL_DEMO } from '../github/fixture.ts';
import { github } from '../github/model.ts';
import { drawn } from '../testing/drawn.ts';
import type { RawItem } from '../testing/raw-table.ts';
import { useWorkbench, type Workbench } from '../testing/workbench.ts';
import { openYearLater, turn, type YearLater } from './fixture.ts';
import { items, withoutKeys } from './loaded-site.ts';
import {
  ISSUES_AND_PULL_REQUESTS_BY_KEY,
  MIGRATIONS,
  runMigration,
  undoMigration,
  verifyMigration,
} from './migrations.ts';
import { githubMigrations } from './model.ts';
import { VERSIONS } from './versions.ts';

const say = { title: 'x', author: 'happy-harry' };
const BOOK_KEY = 'REPO#alexdebrie#dynamodb-book';
const LATER_KEYS = ['GSI4PK', 'GSI4SK', 'GSI5PK', 'GSI5SK'];

interface ShownIndex {
  readonly IndexName?: string | undefined;
  readonly KeySchema?: unknown;
  readonly Projection?: unknown;
}

/** Runs a function right before the first request of an operation that also satisfies a predicate. */
function before(
  client: DynamoDBClient,
  operation: string,
  isMeant: (input: Record<string, unknown>) => boolean,
  act: () => Promise<unknown>,
): { readonly happened: boolean } {
  const state = { happened: false };
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (!state.happened && context.commandName === `${operation}Command` && isMeant(args.input as never)) {
        state.happened = true;
        await act();
      }
      return await next(args);
    },
    { step: 'initialize' },
  );
  return state;
}

/** The site with the first three migrations complete. */
async function openWithApps(workbench: Workbench): Promise<YearLater> {
  const site = await openYearLater(workbench);
  await site.complete('MIG-1', 'MIG-2', 'MIG-3');
  return site;
}

const updates = (sortKey: string) => (input: Record<string, unknown>) =>
  (input['Key'] as { SK?: { S?: string } } | undefined)?.SK?.S === sortKey;

describe('the versions of the model', () => {
  test.each(Object.entries(VERSIONS))('%s leads from one that passes the check to another', (_name, versions) => {
    for (const version of [versions.before, versions.after]) {
      expect(check(version).findings.filter(({ level }) => level !== 'accepted')).toEqual([]);
    }
  });

  test('each migration asks of the items what the specification says', () => {
    const work = Object.fromEntries(
      Object.entries(MIGRATIONS).map(([name, { changes, steps }]) => [
        name,
        {
          classes: [...new Set(changes.filter(({ code }) => !code.startsWith('pattern')).map((each) => each.class))],
          steps: steps.map((step) => (step.kind === 'items' ? step.types.join() : 'index' in step ? step.index : '')),
        },
      ]),
    );
    expect(work).toEqual({
      'MIG-1': { classes: ['lazy'], steps: [] },
      'MIG-2': { classes: ['nothing'], steps: [] },
      // Installations are added to the collections of existing repos.
      'MIG-3': { classes: ['new-collection', 'nothing', 'backfill'], steps: ['User,Organization'] },
      'MIG-4': { classes: ['new-index', 'backfill'], steps: ['GSI4', 'Repo,Issue'] },
      'MIG-5': { classes: ['new-index', 'backfill'], steps: ['GSI5', 'Repo,PullRequest'] },
    });
    expect(ISSUES_AND_PULL_REQUESTS_BY_KEY.steps).toMatchObject([
      { index: 'GSI4' },
      { index: 'GSI5' },
      { types: ['Repo', 'Issue', 'PullRequest'] },
    ]);
  });

  test('the last is the model itself, and no change is left out between them', () => {
    expect(VERSIONS['MIG-5'].after).toBe(githubMigrations);
    const stepwise = Object.values(VERSIONS).flatMap((each) => diff(snapshot(each.before), snapshot(each.after)));
    const atOnce = diff(snapshot(github), snapshot(githubMigrations));
    const paths = (changes: typeof atOnce): string[] => [...new Set(changes.map(({ path }) => path))].toSorted();
    expect(paths(stepwise)).toEqual(paths(atOnce));
  });
});

describe.each(drawn('migrations', databases))('migrations, $name', (database) => {
  const workbench = useWorkbench(database);

  test('the table has the indexes of the model afterwards, and old keys are what they were', async () => {
    const site = await openYearLater(workbench());
    await site.earlier.issues.create(BOOK, say);
    await site.earlier.pullRequests.create(BOOK, say);
    const before = await items(site.table);
    await site.complete('MIG-1', 'MIG-2', 'MIG-3', 'MIG-4', 'MIG-5');
    const { Table } = await workbench().client.send(new DescribeTableCommand({ TableName: site.table.name }));
    const [definition] = tableDefinitions(githubMigrations);
    const shown = (indexes: readonly ShownIndex[] = []) =>
      new Map(indexes.map(({ IndexName, KeySchema, Projection }) => [IndexName, { KeySchema, Projection }]));
    expect(shown(Table?.GlobalSecondaryIndexes)).toEqual(shown(definition?.GlobalSecondaryIndexes));
    const isAccount = ({ Type }: RawItem): boolean => Type === 'User' || Type === 'Organization';
    const after = await items(site.table);
    expect(
      after.map((item) => withoutKeys(item, [...LATER_KEYS, ...(isAccount(item) ? ['GSI1PK', 'GSI1SK'] : [])])),
    ).toEqual(before);
  });

  test('GHM check 15: a second run finds everything in its place (MIG-3, MIG-4, MIG-5)', async () => {
    const site = await openYearLater(workbench());
    for (const kind of [site.earlier.issues, site.earlier.pullRequests, site.earlier.issues]) {
      await kind.create(BOOK, say);
    }
    for (const [name, count] of [
      ['MIG-3', 6],
      ['MIG-4', 5],
      ['MIG-5', 4],
    ] as const) {
      const dry = await site.migrate(name, { dryRun: true });
      expect(dry.steps.at(-1)?.count).toMatchObject({ matched: count, written: count });
      expect((await site.migrate(name)).steps.at(-1)?.count).toMatchObject({ written: count, current: 0 });
      const first = await items(site.table);
      expect((await site.migrate(name)).steps.at(-1)?.count).toMatchObject({ written: 0, current: count });
      expect(await items(site.table)).toEqual(first);
    }
  });

  test('GHM check 16: closed between scan and update, an issue comes into the list of closed ones (MIG-4)', async () => {
    const site = await openWithApps(workbench());
    for (let count = 0; count < 3; count += 1) {
      await site.earlier.issues.create(BOOK, say);
    }
    const client = workbench().newClient();
    const other = site.another();
    const race = before(client, 'UpdateItem', updates('ISSUE#0000002'), async () => {
      await other.issues.setStatus({ ...BOOK, number: 2 }, 'Closed');
    });
    await site.migrate('MIG-4', { client });
    expect(race.happened).toBe(true);
    expect(await site.table.get({ PK: BOOK_KEY, SK: 'ISSUE#0000002' })).toMatchObject({
      Status: 'Closed',
      GSI4SK: '#ISSUE#CLOSED#00000002',
    });
    expect((await site.verify('MIG-4')).faults).toEqual([]);
  });

  test('GHM check 16: closed by an old writer between scan and update, it is decided again (MIG-4)', async () => {
    const site = await openWithApps(workbench());
    await site.earlier.issues.create(BOOK, say);
    const client = workbench().newClient();
    // The old writer does not change the keys, so the migration must not write keys for the status that it read earlier.
    const race = before(client, 'UpdateItem', updates('ISSUE#0000001'), async () => {
      await site.earlier.issues.setStatus({ ...BOOK, number: 1 }, 'Closed');
    });
    const report = await site.migrate('MIG-4', { client });
    expect(race.happened).toBe(true);
    expect(report.steps.at(-1)?.count).toMatchObject({ written: 4, failed: 0 });
    expect(await site.table.get({ PK: BOOK_KEY, SK: 'ISSUE#0000001' })).toMatchObject({
      Status: 'Closed',
      GSI4SK: '#ISSUE#CLOSED#00000001',
    });
  });

  test('GHM check 16: deleted between scan and update, an issue does not come back (MIG-4)', async () => {
    const site = await openWithApps(workbench());
    await site.earlier.issues.create(BOOK, say);
    const client = workbench().newClient();
    const Key = { PK: { S: BOOK_KEY }, SK: { S: 'ISSUE#0000001' } };
    const race = before(client, 'UpdateItem', updates('ISSUE#0000001'), async () => {
      await workbench().client.send(new DeleteItemCommand({ TableName: site.table.name, Key }));
    });
    const report = await site.migrate('MIG-4', { client });
    expect(race.happened).toBe(true);
    expect(report.steps.at(-1)?.count).toMatchObject({ gone: 1, failed: 0 });
    expect(await site.table.get({ PK: BOOK_KEY, SK: 'ISSUE#0000001' })).toBeUndefined();
    expect((await site.table.scan('GSI4')).map(({ Type }) => Type)).toEqual(['Repo', 'Repo', 'Repo']);
  });

  test('an issue that an old writer changes all the time is left, told and found (MIG-4)', async () => {
    const site = await openWithApps(workbench());
    await site.earlier.issues.create(BOOK, say);
    const { client, operations } = workbench().newLoggedClient();
    let status: 'Open' | 'Closed' = 'Open';
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (context.commandName === 'UpdateItemCommand' && updates('ISSUE#0000001')(args.input as never)) {
          status = status === 'Open' ? 'Closed' : 'Open';
          await site.earlier.issues.setStatus({ ...BOOK, number: 1 }, status);
        }
        return await next(args);
      },
      { step: 'initialize' },
    );
    const told: unknown[] = [];
    const onFailure = ({ code, key }: { code: string; key?: unknown }): void => void told.push({ code, key });
    const report = await site.migrate('MIG-4', { client, onFailure });
    expect(report.steps.at(-1)?.count).toMatchObject({ written: 3, failed: 1 });
    expect(told).toEqual([{ code: 'busy', key: { PK: { S: BOOK_KEY }, SK: { S: 'ISSUE#0000001' } } }]);
    // Read by the scan, and three times again. In addition the checkpoints are read, with another client's key.
    expect(operations.filter((operation) => operation === 'UpdateItem')).toHaveLength(3 + 4);
    expect((await site.verify('MIG-4')).ok).toBe(false);
    expect((await site.migrate('MIG-4')).steps.at(-1)?.count).toMatchObject({ written: 1, current: 3 });
    expect((await site.verify('MIG-4')).ok).toBe(true);
  });

  test('GHM check 17: what is created while it runs is in the list, seen by the scan or not (MIG-4)', async () => {
    const site = await openWithApps(workbench());
    for (let count = 0; count < 6; count += 1) {
      await site.earlier.issues.create(count % 2 === 0 ? BOOK : GRAPHQL_DEMO, say);
    }
    const client = workbench().newClient();
    const other = site.another();
    const createBoth = async (): Promise<void> => {
      await other.issues.create(BOOK, say);
      await other.issues.create(GRAPHQL_DEMO, say);
    };
    const first = before(client, 'Scan', () => true, createBoth);
    const between = before(client, 'Scan', ({ ExclusiveStartKey }) => ExclusiveStartKey !== undefined, createBoth);
    const isLast = ({ Item }: Record<string, unknown>): boolean =>
      (Item as { Checkpoint: { S: string } }).Checkpoint.S.includes('"done":true');
    const behind = before(client, 'PutItem', isLast, createBoth);
    const report = await site.migrate('MIG-4', { client, segments: 1, pageItems: 3 });
    expect([first.happened, between.happened, behind.happened]).toEqual([true, true, true]);
    const { written = 0, current = 0 } = report.steps.at(-1)?.count ?? {};
    expect(written).toBe(9);
    // The items that the scan read had their keys. It did not read items created behind its position.
    expect(current).toBeGreaterThanOrEqual(2);
    expect(current).toBeLessThanOrEqual(4);
    site.readers.openIssues = true;
    for (const repo of [BOOK, GRAPHQL_DEMO]) {
      const { issues } = await site.issues.of(repo, { status: 'Open' });
      const count = 6;
      expect(issues.map(({ number }) => number)).toEqual(Array.from({ length: count }, (_, index) => count - index));
    }
    expect((await site.verify('MIG-4')).ok).toBe(true);
  });

  test('GHM check 19: verification names a key that was altered by hand (MIG-4)', async () => {
    const site = await openWithApps(workbench());
    for (let count = 0; count < 4; count += 1) {
      await site.earlier.issues.create(BOOK, say);
    }
    await site.earlier.issues.setStatus({ ...BOOK, number: 3 }, 'Closed');
    await site.migrate('MIG-4');
    const right = await site.verify('MIG-4');
    expect(right).toMatchObject({ ok: true, entities: { Issue: 4, Repo: 3 } });
    expect(right.indexes).toEqual({
      GSI4: {
        'Issue #ISSUE#CLOSED#': { items: 1, entries: 1 },
        'Issue ISSUE#OPEN#': { items: 3, entries: 3 },
        Repo: { items: 3, entries: 3 },
      },
    });
    const alter = async (SK: string, update: string, value?: string): Promise<void> => {
      await workbench().client.send(
        new UpdateItemCommand({
          TableName: site.table.name,
          Key: { PK: { S: BOOK_KEY }, SK: { S: SK } },
          UpdateExpression: update,
          ...(value !== undefined && { ExpressionAttributeValues: { ':value': { S: value } } }),
        }),
      );
    };
    await alter('ISSUE#0000002', 'SET GSI4SK = :value', 'ISSUE#OPEN#99999998');
    await alter('ISSUE#0000004', 'REMOVE GSI4PK');
    const { ok, faults } = await site.verify('MIG-4');
    expect(ok).toBe(false);
    const sorted = faults.toSorted((left, right) => (left.message < right.message ? -1 : 1));
    expect(sorted).toEqual([
      {
        code: 'wrong-attribute',
        entity: 'Issue',
        key: { PK: BOOK_KEY, SK: 'ISSUE#0000004' },
        message: `GSI4PK is missing and should be ${BOOK_KEY}`,
      },
      {
        code: 'wrong-attribute',
        entity: 'Issue',
        key: { PK: BOOK_KEY, SK: 'ISSUE#0000002' },
        message: 'GSI4SK is ISSUE#OPEN#99999998 and should be ISSUE#OPEN#99999997',
      },
    ]);
    await site.migrate('MIG-4');
    expect((await site.verify('MIG-4')).ok).toBe(true);
  });

  test('a migration is taken back: its keys and its index go, and its readers with them', async () => {
    const site = await openWithApps(workbench());
    await site.earlier.issues.create(BOOK, say);
    await site.earlier.pullRequests.create(BOOK, say);
    const options = { client: workbench().client, tableName: site.table.name, pause: turn };
    const first = await items(site.table);
    await runMigration(ISSUES_AND_PULL_REQUESTS_BY_KEY, options);
    expect((await verifyMigration(ISSUES_AND_PULL_REQUESTS_BY_KEY, options)).ok).toBe(true);
    expect(await items(site.table)).not.toEqual(first);
    await undoMigration(ISSUES_AND_PULL_REQUESTS_BY_KEY, options);
    expect(await items(site.table)).toEqual(first);
    await expect(site.table.scan('GSI4')).rejects.toThrow();
    expect((await site.issues.of(BOOK, { status: 'Open' })).issues).toHaveLength(1);
    expect((await site.pullRequests.of(BOOK, { status: 'Open' })).pullRequests).toHaveLength(1);
  });
});
