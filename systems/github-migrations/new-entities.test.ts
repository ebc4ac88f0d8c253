import { describe, expect, test } from 'vitest';
import { BOOK, databases, GRAPHQL_DEMO, MEGA_REPO } from '../github/fixture.ts';
import { inspectKsuid } from '../ksuid.ts';
import { drawn } from '../testing/drawn.ts';
import { useWorkbench } from '../testing/workbench.ts';
import { openMigrated, openYearLater } from './fixture.ts';
import { GIST_FILE_CHARACTERS_MAX, GIST_FILES_MAX } from './model.ts';
import type { AppName } from './connection.ts';

const COVENANT = {
  name: 'Contributor Covenant',
  url: 'https://www.contributor-covenant.org/version/2/0/code_of_conduct',
};
const NOWHERE = { owner: 'alexdebrie', repo: 'nowhere' };
const ANALYTICS: AppName = { account: 'alexdebrie', app: 'githubanalytics' };
/** At 2020-02-26T00:43:08 and 00:43:52 UTC. */
const GIST_IDS = ['1YK484E7V3xiMT1NMrfWIFaLPFU', '1YK4DXEfGpZrUjWxBRkPmSgFQnf'];

const byKey = (items: readonly Record<string, unknown>[]): Map<string, unknown> =>
  new Map(items.map((item) => [`${String(item['PK'])} ${String(item['SK'])}`, item]));

describe.each(drawn('codes of conduct', databases))('codes of conduct, $name', (database) => {
  const workbench = useWorkbench(database);

  test('GHM check 1: a repo may have one; nothing else is written (GHM-01, MIG-1)', async () => {
    const { repos, table, migrate, logged } = await openYearLater(workbench());
    const before = byKey(await table.scan());
    const order = (await table.scan('GSI1')).map(({ PK, SK }) => [PK, SK]);
    expect((await migrate('MIG-1')).steps).toEqual([]);
    const site = logged();
    await site.repos.setCodeOfConduct(BOOK, COVENANT);
    expect(site.operations).toEqual(['UpdateItem']);
    expect(await repos.find(BOOK)).toMatchObject({ ...BOOK, codeOfConduct: COVENANT });
    expect(await repos.find(GRAPHQL_DEMO)).not.toHaveProperty('codeOfConduct');

    const after = byKey(await table.scan());
    const key = 'REPO#alexdebrie#dynamodb-book REPO#alexdebrie#dynamodb-book';
    before.set(key, { ...(before.get(key) as object), CodeOfConduct: COVENANT });
    // The migration's own checkpoints are in the table.
    expect(new Map([...after].filter(([name]) => !name.startsWith('MIGRATION#')))).toEqual(before);
    expect((await table.scan('GSI1')).map(({ PK, SK }) => [PK, SK])).toEqual(order);
  });

  test('GHM check 1: there is no code of conduct of no repo (GHM-01)', async () => {
    const { repos, table } = await openYearLater(workbench());
    await expect(repos.setCodeOfConduct(NOWHERE, COVENANT)).rejects.toMatchObject({ code: 'NotFound' });
    await expect(repos.removeCodeOfConduct(NOWHERE)).rejects.toMatchObject({ code: 'NotFound' });
    expect(await repos.find(NOWHERE)).toBeUndefined();
    expect((await table.scan()).filter(({ PK }) => String(PK).includes('nowhere'))).toEqual([]);
  });

  test('GHM-01: it is replaced, and removed', async () => {
    const { repos, earlier } = await openYearLater(workbench());
    await repos.setCodeOfConduct(BOOK, COVENANT);
    await repos.setCodeOfConduct(BOOK, { ...COVENANT, name: 'Ours' });
    expect((await repos.find(BOOK))?.codeOfConduct?.name).toBe('Ours');
    // The earlier application does not know it, and does not change it.
    await earlier.repos.update(BOOK, { description: 'A book' });
    expect(await repos.find(BOOK)).toMatchObject({ description: 'A book', codeOfConduct: { name: 'Ours' } });
    await repos.removeCodeOfConduct(BOOK);
    await repos.removeCodeOfConduct(BOOK);
    expect(await repos.find(BOOK)).not.toHaveProperty('codeOfConduct');
    const bad = repos.setCodeOfConduct(BOOK, { name: '', url: 'nowhere' });
    await expect(bad).rejects.toMatchObject({ name: 'InputError' });
  });
});

describe.each(drawn('gists', databases))('gists, $name', (database) => {
  const workbench = useWorkbench(database);

  test('GHM check 2: gists of a user, the newest first (GHM-02, GHM-03, GHM-04, MIG-2)', async () => {
    const { gists, migrate, logged, table } = await openYearLater(workbench(), { gistIds: GIST_IDS });
    expect((await migrate('MIG-2')).steps).toEqual([]);
    expect(GIST_IDS.map((id) => inspectKsuid(id).time.toISOString())).toEqual([
      '2020-02-26T00:43:08.000Z',
      '2020-02-26T00:43:52.000Z',
    ]);
    await gists.create('alexdebrie', { title: 'First', files: { 'a.ts': 'export {}' } });
    await gists.create('alexdebrie', { title: 'Second' });
    const [first = '', second = ''] = GIST_IDS;
    const site = logged();
    const all = await site.gists.of('alexdebrie');
    expect(all.account).toMatchObject({ type: 'User', name: 'alexdebrie' });
    expect(all.gists.map(({ gistId }) => gistId)).toEqual([second, first]);
    expect(site.operations).toEqual(['Query']);

    const page = await gists.of('alexdebrie', { limit: 1 });
    expect([page.account?.name, ...page.gists.map(({ gistId }) => gistId)]).toEqual(['alexdebrie', second]);
    const next = await gists.of('alexdebrie', { limit: 1, cursor: page.cursor });
    expect([next.account, ...next.gists.map(({ gistId }) => gistId)]).toEqual([undefined, first]);

    expect(await gists.find({ username: 'alexdebrie', gistId: first })).toEqual({
      username: 'alexdebrie',
      gistId: first,
      title: 'First',
      files: { 'a.ts': 'export {}' },
      createdAt: '2020-02-26T00:43:08.000Z',
      updatedAt: '2020-02-26T00:43:08.000Z',
    });
    expect(await gists.find({ username: 'alexdebrie', gistId: second })).toMatchObject({ title: 'Second', files: {} });
    expect(await table.get({ PK: 'ACCOUNT#alexdebrie', SK: `#GIST#${first}` })).toMatchObject({
      Type: 'Gist',
      Username: 'alexdebrie',
      GistTitle: 'First',
      DateCreated: '2020-02-26T00:43:08.000Z',
    });
    const nobodys = await gists.of('danny-developer');
    expect([nobodys.account?.name, nobodys.gists]).toEqual(['danny-developer', []]);
    expect((await gists.of('absent')).account).toBeUndefined();
  });

  test('GHM check 3: without its leading #, a gist would come after its user', async () => {
    const { gists, table } = await openYearLater(workbench(), { gistIds: GIST_IDS });
    await gists.create('alexdebrie', { title: 'First' });
    const collection = (await table.scan()).filter(({ PK }) => PK === 'ACCOUNT#alexdebrie').map(({ SK }) => String(SK));
    expect(collection).toEqual([`#GIST#${GIST_IDS[0]}`, 'ACCOUNT#alexdebrie']);
    const bare = collection.map((key) => key.replace(/^#/, ''));
    expect(bare.toSorted((left, right) => (left < right ? -1 : 1))).toEqual(bare.toReversed());
  });

  test('GHM check 4: an organization owns no gists, and its members stay what they are (GHM-02, GH-21)', async () => {
    const { gists, accounts, table, logged } = await openYearLater(workbench());
    const before = await table.scan();
    const site = logged();
    await expect(site.gists.create('megacorp', { title: 'No' })).rejects.toMatchObject({
      code: 'NotFound',
      entity: 'User',
    });
    expect(site.operations).toEqual(['TransactWriteItems']);
    await expect(gists.create('absent', { title: 'No' })).rejects.toMatchObject({ code: 'NotFound' });
    expect(await table.scan()).toEqual(before);
    const { organization, memberships } = await accounts.membersOf('megacorp');
    expect([organization?.name, ...memberships.map(({ username }) => username)]).toEqual(['megacorp', 'alexdebrie']);
    // For gists, an organization is returned alone.
    expect(await gists.of('megacorp')).toMatchObject({ account: { type: 'Organization' }, gists: [] });
  });

  test('GHM-04, GHM-16: a gist is updated; accounts are found beside gists as before', async () => {
    const { gists, accounts, clock } = await openYearLater(workbench(), { gistIds: GIST_IDS });
    const { gistId } = await gists.create('alexdebrie', { title: 'First' });
    clock.setToMs(Date.parse('2020-03-01T12:00:00Z'));
    const updated = await gists.update({ username: 'alexdebrie', gistId }, { files: { 'b.ts': '' } });
    expect(updated).toMatchObject({ title: 'First', files: { 'b.ts': '' }, updatedAt: '2020-03-01T12:00:00.000Z' });
    const missing = { username: 'alexdebrie', gistId: GIST_IDS[1] ?? '' };
    await expect(gists.update(missing, { title: 'x' })).rejects.toMatchObject({ code: 'NotFound' });
    expect(await gists.find(missing)).toBeUndefined();
    expect(await accounts.find('alexdebrie')).toMatchObject({ type: 'User', name: 'alexdebrie' });
    const members = await accounts.membersOf('alexdebrie');
    expect(members.memberships).toEqual([]);
    expect((await accounts.reposOf('alexdebrie')).repos).toHaveLength(2);
  });

  test('GHM-02: what a gist holds is bounded', async () => {
    const { gists } = await openYearLater(workbench());
    const files = Object.fromEntries(Array.from({ length: GIST_FILES_MAX + 1 }, (_, index) => [`${index}`, '']));
    await expect(gists.create('alexdebrie', { title: 'x', files })).rejects.toMatchObject({ name: 'InputError' });
    const long = { a: 'x'.repeat(GIST_FILE_CHARACTERS_MAX + 1) };
    await expect(gists.create('alexdebrie', { title: 'x', files: long })).rejects.toThrow();
    expect((await gists.of('alexdebrie')).gists).toEqual([]);
  });
});

describe.each(drawn('apps', databases))('apps, $name', (database) => {
  const workbench = useWorkbench(database);

  test('GHM check 5: accounts are decorated (GHM-06, MIG-3)', async () => {
    const { apps, table, migrate, verify, readers, logged } = await openYearLater(workbench());
    const inCollection = async (name: string): Promise<unknown[]> => {
      const entries = await table.queryIndex({
        indexName: 'GSI1',
        attributeName: 'GSI1PK',
        value: `ACCOUNT#${name}`,
      });
      return entries.map(({ Type }) => Type);
    };
    const accounts = (await table.scan()).filter(({ Type }) => Type === 'User' || Type === 'Organization');
    expect(accounts).toHaveLength(6);
    expect(accounts.filter((account) => 'GSI1PK' in account || 'GSI1SK' in account)).toEqual([]);
    expect(await inCollection('alexdebrie')).toEqual([]);
    // Until the pattern is enabled, an account that is missing from its collection is read by its key.
    const before = logged();
    expect(await before.apps.of('megacorp')).toMatchObject({ account: { type: 'Organization' }, apps: [] });
    expect(before.operations).toEqual(['Query', 'GetItem']);

    const report = await migrate('MIG-3', { segments: 3 });
    expect(report.steps).toMatchObject([{ count: { matched: 6, written: 6 } }]);
    expect(await inCollection('alexdebrie')).toEqual(['User']);
    expect(await inCollection('megacorp')).toEqual(['Organization']);
    expect(await table.get({ PK: 'ACCOUNT#megacorp', SK: 'ACCOUNT#megacorp' })).toMatchObject({
      GSI1PK: 'ACCOUNT#megacorp',
      GSI1SK: 'ACCOUNT#megacorp',
    });
    expect(await verify('MIG-3')).toMatchObject({
      ok: true,
      indexes: { GSI1: { User: { items: 5, entries: 5 }, Organization: { items: 1, entries: 1 } } },
    });
    readers.accountWithApps = true;
    const after = logged();
    expect(await after.apps.of('alexdebrie')).toMatchObject({ account: { type: 'User' }, apps: [] });
    expect((await apps.of('absent')).account).toBeUndefined();
    expect(after.operations).toEqual(['Query']);
  });

  test('MIG-3, during the run: accounts are made with the new keys', async () => {
    const { accounts, table } = await openYearLater(workbench());
    await accounts.createUser('new-user');
    await accounts.createOrganization('new-org');
    for (const name of ['new-user', 'new-org']) {
      const key = `ACCOUNT#${name}`;
      expect(await table.get({ PK: key, SK: key })).toMatchObject({ GSI1PK: key, GSI1SK: key, GSI3PK: key });
    }
  });

  test('MIG-3, lazily: an account is decorated by its first app (GHM-05)', async () => {
    const { apps, logged, table } = await openYearLater(workbench());
    const site = logged();
    await site.apps.create('megacorp', { name: 'CI/CD' });
    // There is no user of that name.
    expect(site.operations).toEqual(['TransactWriteItems', 'TransactWriteItems']);
    expect(await table.get({ PK: 'ACCOUNT#megacorp', SK: 'ACCOUNT#megacorp' })).toMatchObject({
      Type: 'Organization',
      GSI1PK: 'ACCOUNT#megacorp',
      GSI1SK: 'ACCOUNT#megacorp',
    });
    const found = logged();
    const { account, apps: own } = await found.apps.of('megacorp');
    expect([account?.type, ...own.map(({ app }) => app)]).toEqual(['Organization', 'cicd']);
    expect(found.operations).toEqual(['Query']);
    await expect(apps.create('absent', { name: 'CI/CD' })).rejects.toMatchObject({ code: 'NotFound' });
    expect((await table.scan()).filter(({ PK }) => String(PK).includes('absent'))).toEqual([]);
  });

  test('GHM check 6: apps of an account (GHM-05, GHM-06)', async () => {
    const { apps, table } = await openMigrated(workbench());
    await apps.create('alexdebrie', { name: 'GitHub Analytics', description: 'Counts' });
    await apps.create('alexdebrie', { name: 'CICD' });
    const { account, apps: own } = await apps.of('alexdebrie');
    expect([account?.type, ...own.map(({ app }) => app)]).toEqual(['User', 'cicd', 'githubanalytics']);
    expect(own[1]).toEqual({
      ...ANALYTICS,
      name: 'GitHub Analytics',
      description: 'Counts',
      createdAt: '2019-11-02T08:00:00.000Z',
    });
    expect(await table.get({ PK: 'APP#alexdebrie#cicd', SK: 'APP#alexdebrie#cicd' })).toMatchObject({
      Type: 'GitHubApp',
      GSI1PK: 'ACCOUNT#alexdebrie',
      GSI1SK: 'APP#cicd',
      AccountName: 'alexdebrie',
      AppName: 'CICD',
      AppSlug: 'cicd',
    });
    await apps.create('megacorp', { name: 'CICD' });
    expect((await apps.of('megacorp')).apps.map(({ app }) => app)).toEqual(['cicd']);
    // The same letters and digits are the same app.
    await expect(apps.create('alexdebrie', { name: 'ci-cd' })).rejects.toMatchObject({ code: 'AlreadyExists' });
    await expect(apps.create('alexdebrie', { name: '!' })).rejects.toMatchObject({ name: 'InputError' });
    expect((await apps.of('alexdebrie')).apps[0]).toMatchObject({ name: 'CICD' });

    await apps.describe(ANALYTICS, 'Counts everything');
    expect((await apps.installationsOf(ANALYTICS)).app).toMatchObject({ description: 'Counts everything' });
    const missing = apps.describe({ ...ANALYTICS, app: 'missing' }, 'x');
    await expect(missing).rejects.toMatchObject({ code: 'NotFound' });
    const first = await apps.of('alexdebrie', { limit: 1 });
    const second = await apps.of('alexdebrie', { limit: 1, cursor: first.cursor });
    expect([second.account, ...second.apps.map(({ app }) => app)]).toEqual([undefined, 'githubanalytics']);
  });

  test('GHM check 7: an app is installed in a repo once (GHM-07, GHM-08, GHM-09)', async () => {
    const { apps, table, logged } = await openMigrated(workbench());
    await apps.create('alexdebrie', { name: 'GitHub Analytics' });
    const site = logged();
    await site.apps.install(ANALYTICS, BOOK);
    const installed = await site.apps.installationsOf(ANALYTICS);
    const inBook = await site.apps.installedIn(BOOK);
    expect(site.operations).toEqual(['TransactWriteItems', 'Query', 'Query']);
    const installation = { ...ANALYTICS, ...BOOK, installedAt: '2019-11-02T08:00:00.000Z' };
    expect(installed).toMatchObject({ app: { name: 'GitHub Analytics' }, installations: [installation] });
    expect(inBook).toMatchObject({ repo: BOOK, installations: [installation] });
    expect(
      await table.get({ PK: 'APP#alexdebrie#githubanalytics', SK: 'REPO#alexdebrie#dynamodb-book' }),
    ).toMatchObject({
      GSI1PK: 'REPO#alexdebrie#dynamodb-book',
      GSI1SK: 'REPOAPP#alexdebrie#githubanalytics',
      AccountName: 'alexdebrie',
      AppName: 'githubanalytics',
    });
    expect(await apps.installedIn(GRAPHQL_DEMO)).toMatchObject({ repo: GRAPHQL_DEMO, installations: [] });

    const before = await table.scan();
    await expect(apps.install(ANALYTICS, BOOK)).rejects.toMatchObject({ code: 'AlreadyDone' });
    await expect(apps.install({ ...ANALYTICS, app: 'unknown' }, BOOK)).rejects.toMatchObject({
      code: 'NotFound',
      entity: 'GitHubApp',
    });
    await expect(apps.install(ANALYTICS, NOWHERE)).rejects.toMatchObject({ code: 'NotFound', entity: 'Repo' });
    expect(await table.scan()).toEqual(before);

    await apps.install(ANALYTICS, MEGA_REPO);
    const page = await apps.installationsOf(ANALYTICS, { limit: 1 });
    const next = await apps.installationsOf(ANALYTICS, { limit: 1, cursor: page.cursor });
    expect([next.app, ...next.installations.map(({ repo }) => repo)]).toEqual([undefined, 'mega-repo']);
  });

  test('GHM check 8: pull requests and installations are on two sides of the repo (GHM-09, GHM-16, GH-08)', async () => {
    const { apps, issues, pullRequests, earlier } = await openMigrated(workbench());
    const say = { title: 'x', author: 'happy-harry' };
    for (const kind of [issues, issues, pullRequests, pullRequests]) {
      await kind.create(BOOK, say);
    }
    await apps.create('alexdebrie', { name: 'GitHub Analytics' });
    await apps.install(ANALYTICS, BOOK);
    const { repo, installations } = await apps.installedIn(BOOK);
    expect([repo?.repo, ...installations.map(({ app }) => app)]).toEqual(['dynamodb-book', 'githubanalytics']);
    // The old pattern, also of the old application: it must not read items that it does not know.
    for (const site of [{ pullRequests }, earlier]) {
      const found = await site.pullRequests.of(BOOK);
      expect([found.repo?.repo, ...found.pullRequests.map(({ number }) => number)]).toEqual(['dynamodb-book', 4, 3]);
    }
  });

  test('GHM-05, GHM-07: of ten that make or install an app at once, one does', async () => {
    const { apps, another } = await openMigrated(workbench());
    const clients = Array.from({ length: 5 }, () => another().apps);
    const attempt = async (act: (own: typeof apps) => Promise<unknown>): Promise<number> => {
      const attempts = await Promise.allSettled([...clients, ...clients].map(act));
      return attempts.filter(({ status }) => status === 'fulfilled').length;
    };
    expect(await attempt(async (own) => await own.create('megacorp', { name: 'CICD' }))).toBe(1);
    const app = { account: 'megacorp', app: 'cicd' };
    expect(await attempt(async (own) => await own.install(app, BOOK))).toBe(1);
    expect((await apps.installationsOf(app)).installations).toHaveLength(1);
  });
});
