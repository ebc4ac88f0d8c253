import { describe, expect, test } from 'vitest';
import { drawn } from '../testing/drawn.ts';
import { useWorkbench } from '../testing/workbench.ts';
import { BOOK, databases, openSite } from './fixture.ts';

const ALEX = { PK: 'ACCOUNT#alexdebrie', SK: 'ACCOUNT#alexdebrie' };

describe.each(drawn('accounts', databases))('accounts, $name', (database) => {
  const workbench = useWorkbench(database);

  test('GH check 2: users and organizations share one namespace (GH-18, GH-19)', async () => {
    const { accounts, table } = await openSite(workbench());
    await expect(accounts.createOrganization('alexdebrie')).rejects.toMatchObject({ code: 'AlreadyExists' });
    await expect(accounts.createUser('megacorp')).rejects.toMatchObject({ code: 'AlreadyExists' });
    expect(await table.get(ALEX)).toMatchObject({ Type: 'User' });
    expect(await table.get({ PK: 'ACCOUNT#megacorp', SK: 'ACCOUNT#megacorp' })).toEqual({
      PK: 'ACCOUNT#megacorp',
      SK: 'ACCOUNT#megacorp',
      GSI3PK: 'ACCOUNT#megacorp',
      GSI3SK: 'ACCOUNT#megacorp',
      Type: 'Organization',
      OrganizationName: 'megacorp',
      CreatedAt: '2019-10-01T00:00:00.000Z',
    });
  });

  test('an organization and its first admin are created in one transaction, both or neither (GH-19, GH-20)', async () => {
    const { accounts, table, logged } = await openSite(workbench());
    const founding = logged();
    const organization = await founding.accounts.foundOrganization('minicorp', 'sally-scala');
    expect(founding.operations).toEqual(['TransactWriteItems']);
    expect(await accounts.find('minicorp')).toEqual({ type: 'Organization', ...organization });
    expect((await accounts.membersOf('minicorp')).memberships).toMatchObject([
      { username: 'sally-scala', role: 'Admin' },
    ]);
    expect(await accounts.organizationsOf('sally-scala')).toEqual({ minicorp: 'Admin' });

    const refused = async (name: string, admin: string, code: string): Promise<void> => {
      await expect(accounts.foundOrganization(name, admin)).rejects.toMatchObject({ code });
      expect(await table.get({ PK: `ACCOUNT#${name}`, SK: `MEMBERSHIP#${admin}` })).toBeUndefined();
    };
    await refused('megacorp', 'sally-scala', 'AlreadyExists');
    await refused('danny-developer', 'sally-scala', 'AlreadyExists');
    await refused('danny-developer', 'danny-developer', 'AlreadyExists');
    await refused('headless', 'absent', 'NotFound');
    await refused('headless', 'megacorp', 'NotFound');
    expect(await accounts.find('headless')).toBeUndefined();
    for (let number = 1; number < 40; number += 1) await accounts.foundOrganization(`org-${number}.x`, 'sally-scala');
    await refused('headless', 'sally-scala', 'LimitExceeded');
    expect(await accounts.find('headless')).toBeUndefined();
  });

  test('GH check 17: a user is a member once (GH-20)', async () => {
    const { accounts, table, logged } = await openSite(workbench());
    const membershipKey = { PK: 'ACCOUNT#megacorp', SK: 'MEMBERSHIP#alexdebrie' };
    const before = await table.get(membershipKey);
    expect(before).toMatchObject({ Type: 'Membership', Role: 'Member' });
    const again = logged();
    const twice = again.accounts.addMember({ organization: 'megacorp', username: 'alexdebrie', role: 'Admin' });
    await expect(twice).rejects.toMatchObject({ code: 'AlreadyDone', entity: 'Membership' });
    expect(again.operations).toEqual(['TransactWriteItems']);
    expect(await table.get(membershipKey)).toEqual(before);
    expect(await accounts.organizationsOf('alexdebrie')).toEqual({ megacorp: 'Member' });
  });

  test('GH check 17: a user is in 40 organizations at most (GH-20)', async () => {
    const { accounts, table } = await openSite(workbench());
    const join = async (number: number): Promise<void> => {
      await accounts.createOrganization(`org-${number}.x`);
      await accounts.addMember({ organization: `org-${number}.x`, username: 'happy-harry', role: 'Member' });
    };
    for (let number = 1; number <= 40; number += 1) {
      await join(number);
    }
    await expect(join(41)).rejects.toMatchObject({ code: 'LimitExceeded' });
    expect(await table.get({ PK: 'ACCOUNT#org-41.x', SK: 'MEMBERSHIP#happy-harry' })).toBeUndefined();
    const organizations = await accounts.organizationsOf('happy-harry');
    expect(Object.keys(organizations ?? {})).toHaveLength(40);
    expect(organizations).toHaveProperty(['org-40.x'], 'Member');
  });

  test('GH check 17: only organizations have members, only users are members (GH-20)', async () => {
    const { accounts, table } = await openSite(workbench());
    const refused = async (organization: string, username: string): Promise<void> => {
      const adding = accounts.addMember({ organization, username, role: 'Member' });
      await expect(adding).rejects.toMatchObject({ code: 'NotFound' });
      expect(await table.get({ PK: `ACCOUNT#${organization}`, SK: `MEMBERSHIP#${username}` })).toBeUndefined();
    };
    await refused('sally-scala', 'danny-developer');
    await refused('nowhere', 'danny-developer');
    await refused('megacorp', 'absent');
    await refused('megacorp', 'megacorp');
    await refused('danny-developer', 'danny-developer');
    await accounts.createOrganization('minicorp');
    await refused('megacorp', 'minicorp');
    expect(await accounts.organizationsOf('danny-developer')).toEqual({});
  });

  test('GH check 18: members of an organization, organizations of a user (GH-21, GH-22)', async () => {
    const { accounts, logged } = await openSite(workbench());
    const reading = logged();
    const found = await reading.accounts.membersOf('megacorp');
    expect(found.organization?.name).toBe('megacorp');
    expect(found.memberships.map(({ username }) => username)).toEqual(['alexdebrie']);
    expect(await reading.accounts.organizationsOf('alexdebrie')).toEqual({ megacorp: 'Member' });
    expect(await reading.accounts.organizationsOf('danny-developer')).toEqual({});
    expect(reading.operations).toEqual(['Query', 'GetItem', 'GetItem']);
    expect(await accounts.organizationsOf('megacorp')).toBeUndefined();
    expect(await accounts.membersOf('alexdebrie')).toMatchObject({ organization: undefined, memberships: [] });
  });

  test('GH-21: members come in pages, in the order of their names', async () => {
    const { accounts } = await openSite(workbench());
    for (const username of ['sally-scala', 'golang-gertrude', 'danny-developer']) {
      await accounts.addMember({ organization: 'megacorp', username, role: 'Admin' });
    }
    const first = await accounts.membersOf('megacorp', { limit: 2 });
    const second = await accounts.membersOf('megacorp', { limit: 2, cursor: first.cursor });
    expect(first.organization?.name).toBe('megacorp');
    expect(second.organization).toBeUndefined();
    expect([...first.memberships, ...second.memberships].map(({ username }) => username)).toEqual([
      'alexdebrie',
      'danny-developer',
      'golang-gertrude',
      'sally-scala',
    ]);
  });

  test('GH check 19: payment plans (GH-30, GH-31)', async () => {
    const { accounts, table } = await openSite(workbench());
    const pro = { planType: 'Pro', planStartDate: '2019-10-05' } as const;
    await accounts.setPaymentPlan('alexdebrie', pro);
    expect(await accounts.find('alexdebrie')).toEqual({
      type: 'User',
      name: 'alexdebrie',
      createdAt: '2019-10-01T00:00:00.000Z',
      organizations: { megacorp: 'Member' },
      paymentPlan: pro,
    });
    expect(await table.get(ALEX)).toMatchObject({ PaymentPlan: pro });
    const team = { planType: 'Team', planStartDate: '2020-01-01' } as const;
    await accounts.setPaymentPlan('megacorp', team);
    expect(await accounts.find('megacorp')).toMatchObject({ type: 'Organization', paymentPlan: team });
    expect(await accounts.find('danny-developer')).not.toHaveProperty('paymentPlan');
    expect(await accounts.find('absent')).toBeUndefined();
    await expect(accounts.setPaymentPlan('absent', pro)).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('GH check 20: repos by latest update (GH-23, GH-24, GH-29)', async () => {
    const { accounts, repos, clock, table } = await openSite(workbench());
    const names = async (name: string): Promise<string[]> => {
      const { account, repos: found } = await accounts.reposOf(name);
      return [account?.type ?? 'absent', ...found.map(({ repo }) => repo)];
    };
    expect(await names('alexdebrie')).toEqual(['User', 'graphql-demo', 'dynamodb-book']);
    clock.setToMs(Date.parse('2019-11-20T10:00:00Z'));
    await repos.update(BOOK, { description: 'A book' });
    expect(await names('alexdebrie')).toEqual(['User', 'dynamodb-book', 'graphql-demo']);
    const entries = await table.queryIndex({ indexName: 'GSI3', attributeName: 'GSI3PK', value: 'ACCOUNT#alexdebrie' });
    expect(entries.map(({ GSI3SK }) => GSI3SK)).toEqual([
      '#2019-10-30T06:38:40.000Z',
      '#2019-11-20T10:00:00.000Z',
      'ACCOUNT#alexdebrie',
    ]);
    const { account, repos: found } = await accounts.reposOfOrganization('megacorp');
    expect([account?.type, ...found.map(({ repo }) => repo)]).toEqual(['Organization', 'mega-repo']);
    await expect(repos.update({ owner: 'alexdebrie', repo: 'no' }, {})).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('GH-23: pages of repos; the account is on the first', async () => {
    const { accounts } = await openSite(workbench());
    const first = await accounts.reposOf('alexdebrie', { limit: 1 });
    expect([first.account?.name, ...first.repos.map(({ repo }) => repo)]).toEqual(['alexdebrie', 'graphql-demo']);
    const second = await accounts.reposOf('alexdebrie', { limit: 1, cursor: first.cursor });
    expect([second.account, ...second.repos.map(({ repo }) => repo)]).toEqual([undefined, 'dynamodb-book']);
  });
});
