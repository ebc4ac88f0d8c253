import { RuleError } from '@singlet/model';
import { check } from '@singlet/model/check';
import { describe, expect, test } from 'vitest';
import { drawn } from '../testing/drawn.ts';
import { expectChartsInReadme } from '../testing/readme.ts';
import { useWorkbench } from '../testing/workbench.ts';
import { collect } from './access.ts';
import { decide } from './decide.ts';
import { addHolders, allow, databases, deny, openSample, openWorld, quickDatabase } from './fixture.ts';
import { accessControl } from './model.ts';
import { seedAccessControl } from './seed.ts';

const ids = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i + 1}`);

describe('the model', () => {
  test('is proven, with every pattern, write and job of the specification', () => {
    const { ok, findings, patterns, procedures } = check(accessControl);
    expect(findings.filter(({ level }) => level !== 'accepted')).toEqual([]);
    expect(ok).toBe(true);
    const found = [...patterns, ...procedures].flatMap(({ id }) => (id === undefined ? [] : [id]));
    expect(new Set(found)).toEqual(new Set([...ids('AC-', 16), ...ids('AC-W', 12), ...ids('AC-P', 8)]));
  });

  test('is what the README shows', async () => {
    await expectChartsInReadme(import.meta.url, accessControl);
  });
});

describe.each(drawn('access control', databases))('access control, $name', (database) => {
  const workbench = useWorkbench(database);

  test('AC-A1: AC-1 gives the policies of a user, with their documents', async () => {
    const { access, logged } = await openSample(workbench());
    const { items } = await access.db.policiesOfUser({ userId: '1' });
    expect(items.map(({ policyId, policyName }) => [policyId, policyName])).toEqual([
      ['1', 'Admin'],
      ['2', 'RejectWrites'],
      ['3', 'RevokeAssumeRole'],
    ]);
    expect(items[0]?.policy).toEqual(allow('*'));
    const { access: watched, requests } = logged();
    await watched.db.policiesOfUser({ userId: '1' });
    expect(requests).toMatchObject([
      { operation: 'Query', input: { ExpressionAttributeValues: { ':p0': { S: 'user:1' }, ':a': { S: 'policy:' } } } },
    ]);
  });

  test('AC-A2: AC-2 gives the policies of a role, without documents', async () => {
    const { access } = await openSample(workbench());
    const { items } = await access.db.policiesOfRole({ roleId: '1' });
    expect(items).toEqual(
      ['Admin', 'RejectWrites', 'RevokeAssumeRole'].map((policyName, i) => ({
        roleId: '1',
        policyId: String(i + 1),
        policyName,
        policyVersion: 1,
      })),
    );
  });

  test('AC-A3: AC-3 gives the users of an organisation whole, and nothing else', async () => {
    const { access, table } = await openSample(workbench());
    const john = { userId: '1', userName: 'John Doe', orgId: 'org:1' };
    expect((await access.db.usersOfOrganisation({ orgId: 'org:1' })).items).toEqual([john]);
    expect(await table.queryIndex({ indexName: 'GSI_1', attributeName: 'GSI_1_PK', value: 'org:1' })).toEqual([
      { PK: 'user:1', SK: 'root', GSI_1_PK: 'org:1', type: 'User', ...john },
    ]);
  });

  test('AC-A4: AC-3 tells organisations apart, and follows a user who moves (AC-W3, AC-W8)', async () => {
    const { access } = await openSample(workbench());
    await access.db.createUser({ userId: '2', userName: 'Jane Roe', orgId: 'org:1' });
    await access.db.createUser({ userId: '3', userName: 'Max Poe', orgId: 'org:2' });
    const usersOf = async (orgId: string): Promise<string[]> =>
      (await access.db.usersOfOrganisation({ orgId })).items.map(({ userId }) => userId);
    expect(await usersOf('org:1')).toEqual(['1', '2']);
    expect(await usersOf('org:2')).toEqual(['3']);
    await access.db.moveUser({ userId: '2', orgId: 'org:2' });
    expect([await usersOf('org:1'), await usersOf('org:2')]).toEqual([['1'], ['2', '3']]);
    await expect(access.db.moveUser({ userId: '9', orgId: 'org:2' })).rejects.toMatchObject({ code: 'not-found' });
  });

  test('AC-A5: AC-8 gives the aggregate descending: root, roles, policies', async () => {
    const { logged } = await openSample(workbench());
    const { access, requests } = logged();
    const { user, roles, policies, cursor } = await access.db.userAggregate({ userId: '1' });
    expect(user?.userName).toBe('John Doe');
    expect(roles.map(({ roleId }) => roleId)).toEqual(['1']);
    expect(policies.map(({ policyId }) => policyId)).toEqual(['3', '2', '1']);
    expect(cursor).toBeUndefined();
    const [request] = requests;
    const items = request?.output?.['Items'] as { SK: { S: string } }[];
    expect(items.map(({ SK }) => SK.S)).toEqual(['root', 'role:1', 'policy:3', 'policy:2', 'policy:1']);
    expect(requests).toHaveLength(1);
  });

  test('AC-A6: AC-9 gives the holders of a role, and none of its policies', async () => {
    const { access, table } = await openSample(workbench());
    expect((await access.db.holdersOfRole({ roleId: '1' })).items).toEqual([
      { userId: '1', roleId: '1', roleName: 'Default role', roleVersion: 1 },
    ]);
    const inIndex = await table.queryIndex({ indexName: 'GSI_1', attributeName: 'GSI_1_PK', value: 'role:1' });
    expect(inIndex.map(({ PK, SK }) => [PK, SK])).toEqual([['user:1', 'role:1']]);
    await expect(access.db.createRole({ roleId: 'policy:1', roleName: 'x' })).rejects.toMatchObject({
      code: 'invalid',
    });
  });

  test('AC-A7: AC-10 and AC-11 give the copies of a policy and the roles with it', async () => {
    const { access } = await openSample(workbench());
    const copies = await access.db.copiesOfPolicy({ policyId: '1' });
    expect(copies.items).toMatchObject([{ userId: '1', policyId: '1', viaRoles: new Set(['role:1']) }]);
    const links = await access.db.rolesWithPolicy({ policyId: '1' });
    expect(links.items).toMatchObject([{ roleId: '1', policyId: '1' }]);
  });

  test('AC-4 to AC-7 and AC-12: single items and the roles of a user', async () => {
    const { access } = await openSample(workbench());
    const { db } = access;
    expect(await db.policy({ policyId: '2' })).toMatchObject({ policyName: 'RejectWrites', policyVersion: 1 });
    expect(await db.role({ roleId: '1' })).toEqual({ roleId: '1', roleName: 'Default role', roleVersion: 1 });
    expect(await db.user({ userId: '1' })).toMatchObject({ userName: 'John Doe' });
    expect((await db.rolesOfUser({ userId: '1' })).items.map(({ roleId }) => roleId)).toEqual(['1']);
    expect(await db.policyOfUser({ userId: '1', policyId: '3' })).toMatchObject({ policyName: 'RevokeAssumeRole' });
    expect(await db.policyOfUser({ userId: '1', policyId: '4' })).toBeUndefined();
  });

  test('AC-13: an explicit deny outweighs any allow, and what is not allowed is denied', async () => {
    const { logged, access } = await openSample(workbench());
    const watched = logged();
    const may = async (userId: string, action: string) =>
      await decide(watched.access, { userId, action, resource: 'site-1/crane-7' });
    expect(await may('1', 'cranes:read')).toEqual({ allowed: true, by: ['Admin'] });
    expect(await may('1', 'cranes:write')).toEqual({ allowed: false, by: ['RejectWrites'] });
    expect(await may('1', 'roles:assume')).toEqual({ allowed: false, by: ['RevokeAssumeRole'] });
    expect(await may('absent', 'cranes:read')).toEqual({ allowed: false, by: [] });
    expect(new Set(watched.operations)).toEqual(new Set(['Query']));
    expect(watched.requests[0]?.input).toMatchObject({ ConsistentRead: true });

    await access.db.createUser({ userId: '2', userName: 'Jane Roe', orgId: 'org:1' });
    const policy = {
      statements: [{ effect: 'Allow' as const, actions: ['cranes:*:now'], resources: ['site-*/crane-*'] }],
    };
    await access.db.seedCopies([
      { userId: '2', policyId: '9', policyName: 'Cranes', policy, policyVersion: 1, viaRoles: new Set(['direct']) },
    ]);
    expect((await may('2', 'cranes:move:now')).allowed).toBe(true);
    expect((await may('2', 'cranes:now')).allowed).toBe(false);
    expect((await decide(access, { userId: '2', action: 'cranes:a:now', resource: 'site-1/dozer-1' })).allowed).toBe(
      false,
    );
  });

  test('AC-W1 to AC-W3: what exists is not created again', async () => {
    const { access } = await openSample(workbench());
    const policy = { policyId: '1', policyName: 'Other', policy: deny('*') };
    for (const again of [
      () => access.db.createPolicy(policy),
      () => access.db.createRole({ roleId: '1', roleName: 'Other' }),
      () => access.db.createUser({ userId: '1', userName: 'Other', orgId: 'org:2' }),
    ]) {
      const error: unknown = await again().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(RuleError);
      expect(error).toMatchObject({ code: 'already-exists' });
    }
    expect(await access.db.createPolicy({ ...policy, policyId: '7' })).toMatchObject({ policyVersion: 1 });
    expect(await access.db.createRole({ roleId: '7', roleName: 'Seven' })).toMatchObject({ roleVersion: 1 });
  });
});

describe('many', () => {
  const workbench = useWorkbench(quickDatabase);

  test('AC-3, AC-9: pages of a hundred', async () => {
    const world = await openSample(workbench());
    await addHolders(
      world,
      Array.from({ length: 149 }, (_, i) => String(1000 + i)),
    );
    const { db } = world.access;
    const first = await db.usersOfOrganisation({ orgId: 'org:1' });
    const second = await db.usersOfOrganisation({ orgId: 'org:1' }, { cursor: first.cursor });
    expect([first.items.length, second.items.length]).toEqual([100, 50]);
    expect(await collect(db.holdersOfRole.each({ roleId: '1' }))).toHaveLength(150);
  });

  test('the seed is whole: every copy follows from the edges, and the other way round', async () => {
    const world = await openWorld(workbench());
    const { users, items } = await seedAccessControl(world.access.db, 0.005);
    const all = await world.table.scan();
    expect(all).toHaveLength(items);
    expect(all.filter(({ type }) => type === 'User')).toHaveLength(users);
    const contained = new Map<unknown, unknown[]>();
    for (const { type, roleId, policyId } of all) {
      if (type === 'RolePolicy') contained.set(roleId, [...(contained.get(roleId) ?? []), policyId]);
    }
    const due = all
      .filter(({ type }) => type === 'UserRole')
      .flatMap(({ userId, roleId }) =>
        (contained.get(roleId) ?? []).map((policyId) => [userId, policyId, `role:${String(roleId)}`].join(' ')),
      );
    const there = all
      .filter(({ type }) => type === 'UserPolicy')
      .flatMap(({ userId, policyId, viaRoles }) =>
        [...(viaRoles as Set<string>)].map((via) => [userId, policyId, via].join(' ')),
      );
    expect(there.toSorted()).toEqual(due.toSorted());
  });
});
