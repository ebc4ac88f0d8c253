import { RuleError } from '@singlet/model';
import { describe, expect, test } from 'vitest';
import { drawn } from '../testing/drawn.ts';
import { useWorkbench } from '../testing/workbench.ts';
import type { Access } from './access.ts';
import { allow, databases, deny, numbered, openSample, quickDatabase, type World } from './fixture.ts';
import {
  assign,
  assignRole,
  attachPolicy,
  detachPolicy,
  givePolicy,
  readAssignment,
  readRevocation,
  renameRole,
  revoke,
  revokeRole,
  withdrawPolicy,
} from './grants.ts';
import { updatePolicy } from './policy-updates.ts';
import { Worker } from './worker.ts';

async function reasonsOf({ db }: Access, userId: string, policyId: string): Promise<string[] | undefined> {
  const copy = await db.policyOfUser({ userId, policyId }, { consistent: true });
  return copy && [...copy.viaRoles].toSorted();
}

async function copiesOf({ db }: Access, userId: string): Promise<string[]> {
  const { items } = await db.policiesOfUser({ userId }, { consistent: true });
  return items.map(({ policyId, policyVersion }) => `${policyId}@${policyVersion}`);
}

async function refusal(attempt: Promise<unknown>): Promise<RuleError> {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RuleError);
  return error as RuleError;
}

/** A second role that also contains policy:1. */
async function addSecondRole({ access, queue }: World): Promise<void> {
  await access.db.createRole({ roleId: '2', roleName: 'Second role' });
  await attachPolicy(access, { roleId: '2', policyId: '1' });
  await new Worker(access, queue).drain();
  await assignRole(access, { userId: '1', roleId: '2' });
}

describe.each(drawn('roles and policies of users', databases))('roles and policies of users, $name', (database) => {
  const workbench = useWorkbench(database);

  test('AC-A15: an assignment decided on an old policy is cancelled, and succeeds with the new one (AC-W6)', async () => {
    const { access } = await openSample(workbench());
    await access.db.createUser({ userId: '2', userName: 'Jane Roe', orgId: 'org:1' });
    const read = await readAssignment(access, { userId: '2', roleId: '1' });
    await updatePolicy(access, { policyId: '2', known: 1, policyName: 'DenyWrites' }, { mode: 'queued' });

    const error = await refusal(assign(access, read));
    expect(error.cause).toMatchObject({ name: 'TransactionCanceledException' });
    expect(error.failures).toMatchObject([{ code: 'condition-failed', entity: 'Policy' }]);
    expect(await copiesOf(access, '2')).toEqual([]);
    expect((await access.db.rolesOfUser({ userId: '2' })).items).toEqual([]);

    await assignRole(access, { userId: '2', roleId: '1' });
    expect(await copiesOf(access, '2')).toEqual(['1@1', '2@2', '3@1']);
  });

  test('AC-A16: a copy goes with its last reason (AC-W7)', async () => {
    const world = await openSample(workbench());
    await addSecondRole(world);
    const { access } = world;
    expect(await reasonsOf(access, '1', '1')).toEqual(['role:1', 'role:2']);
    await revokeRole(access, { userId: '1', roleId: '1' });
    expect(await reasonsOf(access, '1', '1')).toEqual(['role:2']);
    expect(await copiesOf(access, '1')).toEqual(['1@1']);
    await revokeRole(access, { userId: '1', roleId: '2' });
    expect(await copiesOf(access, '1')).toEqual([]);
    expect((await access.db.rolesOfUser({ userId: '1' })).items).toEqual([]);
    await expect(revokeRole(access, { userId: '1', roleId: '2' })).rejects.toMatchObject({ code: 'not-held' });
  });

  test('AC-A20: a policy that is attached between the reads and the transaction is not missed', async () => {
    const { access } = await openSample(workbench());
    await access.db.createUser({ userId: '2', userName: 'Jane Roe', orgId: 'org:1' });
    await access.db.createPolicy({ policyId: '4', policyName: 'Late', policy: allow('late') });
    const read = await readAssignment(access, { userId: '2', roleId: '1' });
    await attachPolicy(access, { roleId: '1', policyId: '4' });

    const error = await refusal(assign(access, read));
    expect(error.failures).toMatchObject([{ code: 'condition-failed', entity: 'Role' }]);
    await assignRole(access, { userId: '2', roleId: '1' });
    expect(await copiesOf(access, '2')).toEqual(['1@1', '2@1', '3@1', '4@1']);
  });

  test('AC-A21: of two revocations that read the same, one is cancelled and repeated', async () => {
    const world = await openSample(workbench());
    await addSecondRole(world);
    const { access } = world;
    const other = world.with(workbench().newClient());
    const [first, second] = await Promise.all([
      readRevocation(access, { userId: '1', roleId: '1' }),
      readRevocation(other, { userId: '1', roleId: '2' }),
    ]);
    const outcomes = await Promise.allSettled([revoke(access, first), revoke(other, second)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await reasonsOf(access, '1', '1')).toHaveLength(1);

    const again = outcomes[0]?.status === 'rejected' ? '1' : '2';
    await revokeRole(access, { userId: '1', roleId: again });
    expect(await reasonsOf(access, '1', '1')).toBeUndefined();
    expect(await copiesOf(access, '1')).toEqual([]);
  });

  test('AC-A21: two that revoke at once, each on its own', async () => {
    const world = await openSample(workbench());
    await addSecondRole(world);
    const other = world.with(workbench().newClient());
    await Promise.all([
      revokeRole(world.access, { userId: '1', roleId: '1' }),
      revokeRole(other, { userId: '1', roleId: '2' }),
    ]);
    expect(await copiesOf(world.access, '1')).toEqual([]);
  });

  test('AC-A25: a job is in the queue as soon as its change is written (AC-W5, AC-14)', async () => {
    const world = await openSample(workbench());
    const jobId = await detachPolicy(world.access, { roleId: '1', policyId: '1' });
    const afterwards = world.with(workbench().newClient());
    const { items } = await afterwards.db.dueJobs({ notBefore: { to: new Date(world.clock.nowMs()).toISOString() } });
    expect(items).toMatchObject([{ jobId, jobType: 'DETACH', roleId: '1', policyId: '1', status: 'queued' }]);
    expect(await afterwards.db.role({ roleId: '1' })).toMatchObject({ roleVersion: 2 });
  });

  test('AC-W6 without a role: given directly, withdrawn alone', async () => {
    const world = await openSample(workbench());
    const { access } = world;
    await access.db.createPolicy({ policyId: '4', policyName: 'Extra', policy: allow('extra') });
    await givePolicy(access, { userId: '1', policyId: '4' });
    await givePolicy(access, { userId: '1', policyId: '1' });
    expect(await reasonsOf(access, '1', '4')).toEqual(['direct']);
    expect(await reasonsOf(access, '1', '1')).toEqual(['direct', 'role:1']);
    await revokeRole(access, { userId: '1', roleId: '1' });
    expect(await copiesOf(access, '1')).toEqual(['1@1', '4@1']);
    for (const policyId of ['1', '4']) await withdrawPolicy(access, { userId: '1', policyId });
    expect(await copiesOf(access, '1')).toEqual([]);
    await expect(withdrawPolicy(access, { userId: '1', policyId: '1' })).rejects.toMatchObject({ code: 'not-held' });
  });

  test('AC-W4 to AC-W7: what is not there is said', async () => {
    const { access } = await openSample(workbench());
    const no = async (attempt: Promise<unknown>, code: string): Promise<void> =>
      await expect(attempt).rejects.toMatchObject({ code });
    await no(assignRole(access, { userId: '1', roleId: '9' }), 'no-role');
    await no(assignRole(access, { userId: '9', roleId: '1' }), 'no-user');
    await no(assignRole(access, { userId: '1', roleId: '1' }), 'already-held');
    await no(revokeRole(access, { userId: '1', roleId: '9' }), 'no-role');
    await no(attachPolicy(access, { roleId: '1', policyId: '9' }), 'no-policy');
    await no(attachPolicy(access, { roleId: '9', policyId: '1' }), 'no-role');
    await no(attachPolicy(access, { roleId: '1', policyId: '1' }), 'already-held');
    await no(detachPolicy(access, { roleId: '1', policyId: '9' }), 'not-found');
    await no(renameRole(access, { roleId: '9', roleName: 'x' }), 'not-found');
    await no(givePolicy(access, { userId: '1', policyId: '9' }), 'no-policy');
    expect(await access.db.role({ roleId: '1' })).toMatchObject({ roleVersion: 1 });
    expect((await access.db.dueJobs({})).items).toEqual([]);
  });

  test('a policy whose root is gone is skipped when its role is given (AC-W6, AC-W10)', async () => {
    const { access } = await openSample(workbench());
    await access.db.createUser({ userId: '2', userName: 'Jane Roe', orgId: 'org:1' });
    await access.db.deletePolicy({ policyId: '2' });
    await assignRole(access, { userId: '2', roleId: '1' });
    expect(await copiesOf(access, '2')).toEqual(['1@1', '3@1']);
  });
});

describe('more policies than a transaction takes', () => {
  const workbench = useWorkbench(quickDatabase);

  test('AC-W6 beyond 48 and AC-W7 beyond 98 leave the copies to jobs, which page the table itself', async () => {
    const world = await openSample(workbench());
    const { access, queue } = world;
    const policies = numbered(101, 220).map((policyId) => ({
      policyId,
      policyName: `P${policyId}`,
      policy: deny('x'),
    }));
    await access.db.createRole({ roleId: '3', roleName: 'Much' });
    await access.db.seedPolicies(policies);
    await access.db.seedLinks(
      policies.map(({ policyId, policyName }) => ({ roleId: '3', policyId, policyName, policyVersion: 1 })),
    );
    const assigning = await assignRole(access, { userId: '1', roleId: '3' });
    expect(assigning).toMatch(/^assign:/);
    expect(await copiesOf(access, '1')).toHaveLength(3);
    expect(await new Worker(access, queue).drain()).toBe(1);
    expect(await copiesOf(access, '1')).toHaveLength(123);

    const revoking = await revokeRole(access, { userId: '1', roleId: '3' });
    expect(revoking).toMatch(/^revoke:/);
    expect(await copiesOf(access, '1')).toHaveLength(123);
    await new Worker(access, queue).drain();
    expect(await copiesOf(access, '1')).toHaveLength(3);
    // Strong reads leave nothing to verify later.
    expect(world.pausesMs).toEqual([]);
    expect(await access.db.job({ jobId: revoking! })).toMatchObject({ status: 'done', attempts: 1 });
  });

  test('AC-W6: 48 policies are one transaction of a hundred less one', async () => {
    const world = await openSample(workbench());
    const policies = numbered(101, 148).map((policyId) => ({
      policyId,
      policyName: `P${policyId}`,
      policy: deny('x'),
    }));
    const { db } = world.access;
    await db.createRole({ roleId: '3', roleName: 'Much' });
    await db.seedPolicies(policies);
    await db.seedLinks(
      policies.map(({ policyId, policyName }) => ({ roleId: '3', policyId, policyName, policyVersion: 1 })),
    );
    const { access, requests } = world.logged();
    expect(await assignRole(access, { userId: '1', roleId: '3' })).toBeUndefined();
    expect(requests.map(({ operation }) => operation)).toEqual([
      'GetItem',
      'Query',
      'BatchGetItem',
      'TransactWriteItems',
    ]);
    expect(requests.at(-1)?.input['TransactItems']).toHaveLength(99);
    expect(requests.slice(0, 2)).toMatchObject([
      { input: { ConsistentRead: true } },
      { input: { ConsistentRead: true } },
    ]);
  });
});
