import { tableDefinitions } from '@singlet/model';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../clock.ts';
import { databases, quickDatabase } from '../../github/fixture.ts';
import { github } from '../../github/model.ts';
import { sampleSite } from '../../github/sample-site.ts';
import { seedGitHub } from '../../github/seed.ts';
import { drawn } from '../../testing/drawn.ts';
import { useWorkbench } from '../../testing/workbench.ts';
import { turn } from '../fixture.ts';
import { openMigratedGitHub } from '../migrated-github.ts';
import { MIGRATIONS, runMigration } from '../migrations.ts';
import { type Readers, READERS_OFF, READERS_ON } from '../readers.ts';
import { compareSites } from './compare.ts';
import { MemorySite } from './memory-site.ts';
import { migrateUnderLoad } from './migrate-under-load.ts';

/** Set it to make the site of the test larger: 1 is 1,000 repositories. */
const SCALE = Number(process.env['GITHUB_MIGRATIONS_SCALE'] ?? '0.001');

/** Every access pattern that reads. The writers cover those that write. */
const READING = (
  'GH-02 GH-04 GH-05 GH-07 GH-08 GH-10 GH-17 GH-21 GH-22 GH-23 GH-24 GH-25 GH-26 GH-30 GH-33 ' +
  'GHM-03 GHM-04 GHM-06 GHM-08 GHM-09 GHM-10 GHM-11 GHM-12 GHM-13'
).split(' ');

describe.each(drawn('all migrations under load', databases))('all migrations under load, $name', (database) => {
  const workbench = useWorkbench(database);

  test('while writers are at work, every pattern answers afterwards as it has to (GHM checks 14 to 18)', async () => {
    const [definition] = tableDefinitions(github);
    const table = await workbench().createTable({ TableName: 'GitHubTable', ...definition });
    const report = await migrateUnderLoad({
      newClient: () => workbench().newClient(),
      tableName: table.name,
      scale: SCALE,
      repos: Math.max(3, Math.round(1_000 * SCALE)),
      writers: 4,
      actsMin: 300,
      samplesMax: 20,
      nowMs: () => performance.now(),
      migrate: { segments: 4, pageItems: 100, pause: turn },
    });
    const { migrations, acts, compared } = report;
    expect(migrations.map(({ name }) => name)).toEqual(['MIG-1', 'MIG-2', 'MIG-3', 'MIG-4', 'MIG-5']);
    for (const { name, count } of migrations.slice(2)) {
      expect(count, name).toMatchObject({ failed: 0 });
      expect(count?.written, name).toBeGreaterThan(0);
    }
    // The writers performed the difficult cases during the migration.
    for (const deed of ['created', 'closed', 'reopened', 'removed']) {
      expect(acts[`${deed} issues`], deed).toBeGreaterThan(0);
      expect(acts[`${deed} pullRequests`], deed).toBeGreaterThan(0);
    }
    expect(Object.keys(compared).toSorted()).toEqual(READING.toSorted());
  });
});

describe('the comparison', () => {
  const workbench = useWorkbench(quickDatabase);

  test('sees one issue that is in the wrong list, and one that is in none', async () => {
    const [definition] = tableDefinitions(github);
    const table = await workbench().createTable({ TableName: 'GitHubTable', ...definition });
    const { client } = workbench();
    const scale = 0.0005;
    await seedGitHub({ client, tableName: table.name, scale });
    const common = { client, tableName: table.name, pause: turn };
    for (const migrated of Object.values(MIGRATIONS)) {
      await runMigration(migrated, common);
    }
    const clock = new ManualClock('2020-02-01T00:00:00Z');
    const newId = (): string => 'not used';
    const site = (readers: Readers) =>
      openMigratedGitHub({ client, tableName: table.name, clock, newCommentId: newId, newGistId: newId, readers });
    const compare = async () => {
      const meant = new MemorySite(sampleSite(scale));
      return await compareSites({ filtered: site(READERS_OFF), byKey: site(READERS_ON), meant, samplesMax: 5 });
    };
    expect((await compare())['GHM-10']).toBeGreaterThan(10);

    const closed = (await table.scan('GSI4')).find(({ Status }) => Status === 'Closed') ?? {};
    await table.put({ ...closed, GSI4SK: String(closed['GSI4SK']).replace('#ISSUE#CLOSED#', 'ISSUE#OPEN#') });
    await expect(compare()).rejects.toThrow(/GHM-1[01]/);
    await table.put({ ...closed, GSI4SK: undefined });
    await expect(compare()).rejects.toThrow('GHM-11');
    await table.put(closed);
    await compare();
  });
});
