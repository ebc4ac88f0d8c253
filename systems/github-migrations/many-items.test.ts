import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { memoryCheckpoints } from '@singlet/model/migrate';
import { describe, expect, test } from 'vitest';
import { BOOK, databases, listed } from '../github/fixture.ts';
import { openEmbeddedDirectory } from '../testing/databases.ts';
import { drawn } from '../testing/drawn.ts';
import { RawTable } from '../testing/raw-table.ts';
import { type LoggedClient, useWorkbench, Workbench } from '../testing/workbench.ts';
import { openYearLater, turn } from './fixture.ts';
import { items, keyOf, openLoaded, PER_REPO, withoutKeys } from './loaded-site.ts';
import type { KilledMigration } from './migrate-until-killed.ts';
import { MIGRATIONS, resumeMigration, runMigration, type SiteMigrationOptions, verifyMigration } from './migrations.ts';

const program = fileURLToPath(new URL('./migrate-until-killed.ts', import.meta.url));
// Types are removed once for all tests, where tsx would do it again.
const sources = fileURLToPath(new URL('../../packages/singlet/test/run/sources.mjs', import.meta.url));

/** The interrupted migration: 252 updates in some forty pages of four segments. */
const REPOS = 12;
const UPDATES = REPOS * (1 + PER_REPO.issues);
const HALF = UPDATES / 2;
const PAGES = { segments: 4, pageItems: 25 };
/** Items of the example site, which is in the same table. */
const OTHER_REPOS = 3;

/** Kills a migrating process when its update of that number is answered. */
async function migrateAndKill(migration: KilledMigration): Promise<void> {
  const child = spawn(process.execPath, ['--import', sources, program, JSON.stringify(migration)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
}

const decoratedIn = async (table: RawTable): Promise<number> =>
  (await items(table)).filter((item) => 'GSI4PK' in item).length;

/** Continues with MIG-4 where it was interrupted, and not from the start. */
async function resumeAfterHalf({ client, requests }: LoggedClient, tableName: string): Promise<void> {
  const settings: SiteMigrationOptions = { client, tableName, pause: turn, ...PAGES };
  await expect(runMigration(MIGRATIONS['MIG-4'], settings)).rejects.toMatchObject({ code: 'unfinished' });
  const report = await resumeMigration(MIGRATIONS['MIG-4'], settings);
  const { written = 0, current = 0 } = report.steps.at(-1)?.count ?? {};
  expect(written + current).toBe(UPDATES + OTHER_REPOS);
  const begun = requests.filter(
    ({ operation, input }) => operation === 'Scan' && input['ExclusiveStartKey'] === undefined,
  );
  // Segments that had a checkpoint continue after it.
  expect(begun.length).toBeLessThan(PAGES.segments);
  expect(await verifyMigration(MIGRATIONS['MIG-4'], settings)).toMatchObject({ ok: true });
}

describe.each(drawn('over five thousand items', databases))('over five thousand items, $name', (database) => {
  const workbench = useWorkbench(database);

  test('GHM check 14: each item is read once, repos and issues are decorated, and nothing else (MIG-4, MIG-5)', async () => {
    const site = await openLoaded(workbench(), 65);
    const all = (await site.table.scan()).length;
    let before = await items(site.table);
    expect(before.length).toBeGreaterThan(5_000);
    for (const [name, pattern, index] of [
      ['MIG-4', /^REPO#.* (REPO|ISSUE)#/, 'GSI4'],
      ['MIG-5', /^REPO#.* REPO#|^PR#/, 'GSI5'],
    ] as const) {
      const wanted = new Set(before.map(keyOf).filter((key) => pattern.test(key)));
      const { client, requests } = workbench().newLoggedClient();
      // Kept apart from the table, so that the table contains only the items under test.
      const report = await site.migrate(name, {
        client,
        segments: 4,
        pageItems: 100,
        checkpoints: memoryCheckpoints(),
      });
      expect(report.steps.at(-1)?.count).toEqual({
        scanned: all,
        matched: wanted.size,
        written: wanted.size,
        current: 0,
        gone: 0,
        failed: 0,
      });
      const scans = requests.filter(({ operation }) => operation === 'Scan');
      expect(new Set(scans.map(({ input }) => input['Segment']))).toEqual(new Set([0, 1, 2, 3]));
      const seen = scans.flatMap(({ output }) =>
        ((output?.['Items'] ?? []) as { PK: { S: string }; SK: { S: string } }[]).map(
          ({ PK, SK }) => `${PK.S} ${SK.S}`,
        ),
      );
      expect(seen).toHaveLength(wanted.size);
      expect(new Set(seen)).toEqual(wanted);
      expect(requests.filter(({ operation }) => operation === 'UpdateItem')).toHaveLength(wanted.size);

      const after = await items(site.table);
      const added = [`${index}PK`, `${index}SK`];
      expect(new Set(after.filter((item) => `${index}PK` in item).map(keyOf))).toEqual(wanted);
      // Items from before the type attribute now have it.
      const untyped = new Set(before.filter(({ Type }) => Type === undefined).map(keyOf));
      expect(
        after.map((item) =>
          withoutKeys(item, [...added, ...(untyped.has(keyOf(item)) && wanted.has(keyOf(item)) ? ['Type'] : [])]),
        ),
      ).toEqual(before);
      expect(await site.verify(name)).toMatchObject({ ok: true });
      before = after;
    }
    expect(before.filter(({ Type }) => Type === undefined)).toEqual([]);
  });

  test('GHM check 15: cut off after half, and gone on with from the checkpoint (MIG-4)', async () => {
    const [whole, broken] = [await openLoaded(workbench(), REPOS), await openLoaded(workbench(), REPOS)];
    await whole.migrate('MIG-4', { pageItems: PAGES.pageItems });
    const client = workbench().newBreakingClient({ operation: 'UpdateItem', requestsMax: HALF });
    await expect(broken.migrate('MIG-4', { client, ...PAGES })).rejects.toThrow();
    // The updates in flight arrive.
    await expect.poll(async () => await decoratedIn(broken.table)).toBe(HALF);
    await resumeAfterHalf(workbench().newLoggedClient(), broken.table.name);
    expect(await items(broken.table)).toEqual(await items(whole.table));
  });

  test('the rate is kept, by a clock: capacity is what the service says it was', async () => {
    const site = await openYearLater(workbench());
    let nowMs = 0;
    const clock = {
      now: () => nowMs,
      pause: async (milliseconds: number) => {
        nowMs += milliseconds;
        await turn();
      },
    };
    await site.migrate('MIG-3', { ...clock, writeUnits: 2, segments: 1, concurrency: 1 });
    // Six accounts: each update writes the table, GSI1 and GSI3.
    expect(nowMs / 1_000).toBeGreaterThanOrEqual((5 * 3) / 2);
    expect(nowMs / 1_000).toBeLessThan(12);
    expect(listed(await site.repos.find(BOOK), [])).toEqual(['dynamodb-book']);
  });
});

/** A process that is killed is one beside the database, or one that has it within. */
const killed = drawn('killed migrations', ['beside', 'within']);
const beside = databases.filter(({ name }) => killed.includes('beside') && !name.startsWith('in process'));

describe.each(beside)('a process, $name', (database) => {
  test('GHM check 15: killed after half, and gone on with by another (MIG-4)', async () => {
    const opened = await database.open();
    const workbench = new Workbench(opened);
    try {
      const [whole, killed] = [await openLoaded(workbench, REPOS), await openLoaded(workbench, REPOS)];
      await whole.migrate('MIG-4', { pageItems: PAGES.pageItems });
      await migrateAndKill({ url: opened.url, tableName: killed.table.name, updatesMax: HALF, ...PAGES });
      // The database survives: updates in flight may or may not arrive.
      expect(await decoratedIn(killed.table)).toBeGreaterThanOrEqual(HALF);
      expect(await decoratedIn(killed.table)).toBeLessThan(UPDATES);
      await resumeAfterHalf(workbench.newLoggedClient(), killed.table.name);
      expect(await items(killed.table)).toEqual(await items(whole.table));
    } finally {
      await workbench.close();
    }
  });
});

describe.runIf(killed.includes('within'))('a process with the database in it, stored in LMDB', () => {
  test('GHM check 15: killed after half, and gone on with by another (MIG-4)', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'singlet-killed-'));
    try {
      const before = new Workbench(await openEmbeddedDirectory(directory));
      const [whole, killed] = [await openLoaded(before, REPOS), await openLoaded(before, REPOS)];
      await whole.migrate('MIG-4', { pageItems: PAGES.pageItems });
      await before.close();
      await migrateAndKill({ directory, tableName: killed.table.name, updatesMax: HALF, ...PAGES });
      const after = new Workbench(await openEmbeddedDirectory(directory));
      try {
        const [wholeTable, killedTable] = [whole, killed].map(({ table }) => new RawTable(after.client, table.name));
        // Every acknowledged update is present, and nothing is half done.
        expect(await decoratedIn(killedTable!)).toBeGreaterThanOrEqual(HALF);
        expect(await decoratedIn(killedTable!)).toBeLessThan(UPDATES);
        await resumeAfterHalf(after.newLoggedClient(), killed.table.name);
        expect(await items(killedTable!)).toEqual(await items(wholeTable!));
      } finally {
        await after.close();
      }
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
