import { expect, test } from 'vitest';
import { ManualClock } from '../clock.ts';
import { quickDatabase } from '../github/fixture.ts';
import { sampleSite } from '../github/sample-site.ts';
import { createModelTable } from '../testing/model-tables.ts';
import { useWorkbench } from '../testing/workbench.ts';
import { turn } from './fixture.ts';
import { openMigratedGitHub } from './migrated-github.ts';
import { MIGRATIONS, runMigration, verifyMigration } from './migrations.ts';
import { githubMigrations } from './model.ts';
import { READERS_ON } from './readers.ts';
import { seedGitHubMigrations } from './seed.ts';

const workbench = useWorkbench(quickDatabase);
const SCALE = 0.001;

test('the sample site is as the migrations would have left it', async () => {
  const table = await createModelTable(workbench(), githubMigrations);
  const { client } = workbench();
  let written = 0;
  const onItems = (count: number): void => void (written += count);
  const tally = await seedGitHubMigrations({ client, tableName: table.name, scale: SCALE, onItems });
  const items = await table.scan();
  const stored: Record<string, number> = {};
  for (const { Type } of items) {
    stored[String(Type)] = (stored[String(Type)] ?? 0) + 1;
  }
  expect(stored).toEqual(tally);
  expect(tally).toMatchObject({ Gist: 40, GitHubApp: 1, GitHubAppInstallation: 1, Repo: 1 });
  // One repo is written again, with its code of conduct.
  expect(written).toBe(items.length + 1);
  const settings = { client, tableName: table.name, pause: turn };
  for (const name of ['MIG-3', 'MIG-4', 'MIG-5'] as const) {
    const { steps } = await runMigration(MIGRATIONS[name], { ...settings, dryRun: true });
    expect(steps.at(-1)?.count, name).toMatchObject({ written: 0 });
    expect(await verifyMigration(MIGRATIONS[name], settings), name).toMatchObject({ ok: true });
  }
  const newId = (): string => 'not used';
  const clock = new ManualClock('2020-03-01T00:00:00Z');
  const ids = { newCommentId: newId, newGistId: newId };
  const site = openMigratedGitHub({ client, tableName: table.name, clock, ...ids, readers: READERS_ON });
  const [user] = sampleSite(SCALE).users;
  const { account, gists } = await site.gists.of(user?.name ?? '');
  expect(account?.name).toBe(user?.name);
  expect(gists.map(({ gistId }) => gistId)).toEqual(
    gists
      .map(({ gistId }) => gistId)
      .toSorted()
      .toReversed(),
  );
  const [bundle] = sampleSite(SCALE).repos();
  expect(await site.repos.find(bundle!.repo)).toMatchObject({ codeOfConduct: { name: 'Contributor Covenant' } });
  expect((await site.apps.installedIn(bundle!.repo)).installations).toHaveLength(1);
});

test('it is the same in every run', async () => {
  const tables = [
    await createModelTable(workbench(), githubMigrations),
    await createModelTable(workbench(), githubMigrations),
  ];
  for (const { name } of tables) {
    await seedGitHubMigrations({ client: workbench().client, tableName: name, scale: 0.0002, repos: 3 });
  }
  const [first, second] = await Promise.all(tables.map(async (table) => await table.scan()));
  expect(first?.length).toBeGreaterThan(100);
  expect(first).toEqual(second);
});
