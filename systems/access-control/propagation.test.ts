import { describe, expect, test, vi } from 'vitest';
import { drawn } from '../testing/drawn.ts';
import { useWorkbench } from '../testing/workbench.ts';
import type { Access } from './access.ts';
import { LeaseLostError } from './errors.ts';
import {
  addHolders,
  allow,
  before,
  databases,
  deny,
  hideFromIndex,
  jobsAfterTrigger,
  numbered,
  openSample,
  quickDatabase,
  stored,
  type World,
} from './fixture.ts';
import { assignRole, attachPolicy, detachPolicy, renameRole, revokeRole } from './grants.ts';
import { MemoryQueue } from './memory-queue.ts';
import { untilSettled, updatePolicy } from './policy-updates.ts';
import { TableQueue } from './table-queue.ts';
import { Worker } from './worker.ts';

/** Versions of the copies of policy:1 under users, and the number of copies with each. */
async function versionsOf({ table }: World, policyId = '1'): Promise<Record<string, number>> {
  const versions: Record<string, number> = {};
  for (const { type, policyId: of, policyVersion } of await table.scan()) {
    if (type !== 'UserPolicy' || of !== policyId) continue;
    versions[`v${String(policyVersion)}`] = (versions[`v${String(policyVersion)}`] ?? 0) + 1;
  }
  return versions;
}

async function linkOf({ db }: Access, policyId: string): Promise<unknown> {
  return await db.policyOfRole({ roleId: '1', policyId });
}

/** Runs with a trigger on the stream, which is stopped afterwards. */
async function withTrigger<Result>(world: World, run: () => Promise<Result>, queue = world.queue): Promise<Result> {
  const trigger = await world.trigger(queue);
  try {
    return await run();
  } finally {
    await trigger.stop();
  }
}

const isPageOfCopies = ({ operation, input }: { operation: string; input: string }): boolean =>
  operation === 'Query' && input.includes('user:policy:1');

describe.each(drawn('updating a policy', databases))('updating a policy, $name', (database) => {
  const workbench = useWorkbench(database);

  test('AC-A8: AC-W11 writes the policy and its copies in one transaction', async () => {
    const world = await openSample(workbench());
    const { access, requests } = world.logged();
    const update = await updatePolicy(
      access,
      { policyId: '2', known: 1, policyName: 'DenyWrites', policy: deny('*:put') },
      { mode: 'immediate' },
    );
    expect(update).toEqual({ policyVersion: 2, mode: 'immediate', copies: 2, atomic: true, jobId: 'policy:2@2' });
    const changed = { policyId: '2', policyName: 'DenyWrites', policyVersion: 2 };
    expect(await access.db.policy({ policyId: '2' })).toEqual({ ...changed, policy: deny('*:put') });
    expect(await linkOf(access, '2')).toEqual({ roleId: '1', ...changed });
    expect(await access.db.policyOfUser({ userId: '1', policyId: '2' })).toMatchObject({
      ...changed,
      policy: deny('*:put'),
      viaRoles: new Set(['role:1']),
    });
    const transaction = requests.find(({ operation }) => operation === 'TransactWriteItems');
    expect(transaction?.input['TransactItems']).toHaveLength(3);
  });

  test('AC-A9: AC-W11 with a wrong version is cancelled and changes nothing', async () => {
    const world = await openSample(workbench());
    const untouched = await world.table.scan();
    const change = { policyId: '2', known: 7, policyName: 'DenyWrites' };
    const attempt = updatePolicy(world.access, change, { mode: 'immediate' });
    await expect(attempt).rejects.toMatchObject({
      code: 'condition-failed',
      entity: 'Policy',
      cause: { name: 'TransactionCanceledException' },
    });
    await expect(updatePolicy(world.access, change, { mode: 'queued' })).rejects.toMatchObject({
      code: 'condition-failed',
    });
    expect(await world.table.scan()).toEqual(untouched);
  });

  test('AC-A19: who edited a policy last is in no copy, and queues nothing', async () => {
    const world = await openSample(workbench());
    await withTrigger(world, async () => {
      await world.access.db.noteEditor({ policyId: '1', lastEditedBy: 'ann' });
      expect(await jobsAfterTrigger(world)).toEqual([]);
    });
  });

  test('AC-W9: a role that is renamed is renamed at its holders', async () => {
    const world = await openSample(workbench());
    await renameRole(world.access, { roleId: '1', roleName: 'Usual role' });
    await new Worker(world.access, world.queue).drain();
    expect((await world.access.db.rolesOfUser({ userId: '1' })).items).toEqual([
      { userId: '1', roleId: '1', roleName: 'Usual role', roleVersion: 2 },
    ]);
  });

  test('AC-A23: detach, revoke, then the job of the detaching', async () => {
    const { access, queue } = await openSample(workbench());
    await detachPolicy(access, { roleId: '1', policyId: '1' });
    await revokeRole(access, { userId: '1', roleId: '1' });
    await new Worker(access, queue).drain();
    expect((await access.db.policiesOfUser({ userId: '1' })).items).toEqual([]);
  });

  test('AC-W4, AC-W5: jobs give a policy to the holders of a role and take it again', async () => {
    const world = await openSample(workbench());
    const { access, queue } = world;
    await access.db.createPolicy({ policyId: '4', policyName: 'New', policy: allow('new') });
    await attachPolicy(access, { roleId: '1', policyId: '4' });
    await new Worker(access, queue).drain();
    expect(await access.db.policyOfUser({ userId: '1', policyId: '4' })).toMatchObject({
      policyName: 'New',
      policy: allow('new'),
      viaRoles: new Set(['role:1']),
    });
    await detachPolicy(access, { roleId: '1', policyId: '4' });
    await new Worker(access, queue).drain();
    expect(await access.db.policyOfUser({ userId: '1', policyId: '4' })).toBeUndefined();
  });
});

async function assignRoleToTwo(access: Access): Promise<void> {
  await access.db.createUser({ userId: '2', userName: 'Jane Roe', orgId: 'org:1' });
  await assignRole(access, { userId: '2', roleId: '1' });
}

describe.each(drawn('propagation by the stream and the queue', databases))(
  'propagation by the stream and the queue, $name',
  (database) => {
    const workbench = useWorkbench(database);

    test('AC-A14: what a worker writes queues nothing (AC-P2)', async () => {
      const world = await openSample(workbench());
      await withTrigger(world, async () => {
        await updatePolicy(world.access, { policyId: '1', known: 1, policyName: 'Root' }, { mode: 'queued' });
        await assignRoleToTwo(world.access);
        expect(await jobsAfterTrigger(world)).toEqual(['policy:1@2']);
        await new Worker(world.access, world.queue).drain();
        expect(await versionsOf(world)).toEqual({ v2: 2 });
        expect(await jobsAfterTrigger(world)).toEqual(['policy:1@2']);
      });
    });

    test('AC-W10: the copies of a policy that is deleted go with the job', async () => {
      const world = await openSample(workbench());
      await withTrigger(world, async () => {
        await world.access.db.deletePolicy({ policyId: '1' });
        expect(await jobsAfterTrigger(world)).toEqual(['policy:1@deleted']);
      });
      await new Worker(world.access, world.queue).drain();
      expect((await stored(world, 'UserPolicy')).map(({ policyId }) => policyId)).toEqual(['2', '3']);
      expect((await stored(world, 'RolePolicy')).map(({ policyId }) => policyId)).toEqual(['2', '3']);
      await expect(world.access.db.deletePolicy({ policyId: '1' })).rejects.toMatchObject({ code: 'not-found' });
    });

    test('AC-A10, AC-A11: 250 users get the new version by one job, and the stream read again adds none', async () => {
      const world = await openSample(workbench());
      await addHolders(world, numbered(101, 349));
      await withTrigger(world, async () => {
        const update = await updatePolicy(
          world.access,
          { policyId: '1', known: 1, policy: allow('a') },
          { mode: 'auto' },
        );
        expect(update).toMatchObject({ mode: 'queued', copies: 0, jobId: 'policy:1@2' });
        expect(await jobsAfterTrigger(world)).toEqual(['policy:1@2']);
      });
      expect(await versionsOf(world)).toEqual({ v1: 250 });

      const { access, requests } = world.logged();
      const jobCount = 1 + (await world.sentinels()).length;
      expect(await new Worker(access, new TableQueue(access), { settleMs: 2000 }).drain()).toBe(jobCount);
      expect(await versionsOf(world)).toEqual({ v2: 250 });
      expect(await linkOf(access, '1')).toMatchObject({ policyVersion: 2 });
      const pages = requests.filter(({ operation, input }) =>
        isPageOfCopies({ operation, input: JSON.stringify(input) }),
      );
      expect(pages.slice(0, 3).map(({ output }) => output?.['Count'])).toEqual([100, 100, 50]);
      // Three pages for the users, and three to verify them.
      expect(pages).toHaveLength(6);
      expect(world.pausesMs).toContain(2000);
      const job = await untilSettled(access, 'policy:1@2');
      expect(job).toMatchObject({ status: 'done', attempts: 1 });
      expect(job.ttl).toBe(world.clock.nowMs() / 1000 + 7 * 86_400);

      const written = await world.table.scan();
      await withTrigger(world, async () => {
        expect(await jobsAfterTrigger(world)).toEqual(['policy:1@2']);
      });
      await new Worker(access, world.queue).drain();
      const copies = (items: readonly { type?: unknown }[]): unknown[] =>
        items.filter(({ type }) => type === 'UserPolicy');
      expect(copies(await world.table.scan())).toEqual(copies(written));
    });

    test('AC-A12: jobs of two versions in the wrong order end at the newer one', async () => {
      const world = await openSample(workbench());
      await addHolders(world, numbered(101, 104));
      const { db } = world.access;
      await db.changePolicy({ policyId: '1', known: 1, policyName: 'Two' });
      const [older, newer] = [world.with(workbench().newClient()), world.with(workbench().newClient())];
      // The worker has loaded the older version; then the newer one arrives and is done first.
      await withTrigger(world, async () => expect(await jobsAfterTrigger(world)).toEqual(['policy:1@2']));
      const { client, access } = world.logged();
      let newest: Promise<unknown> | undefined;
      before(client, isPageOfCopies, async () => {
        await db.changePolicy({ policyId: '1', known: 2, policyName: 'Three' });
        const queue = new MemoryQueue(world.clock);
        await queue.send(jobOf(newer, '1', 3));
        newest = new Worker(newer, queue).drain();
        await newest;
      });
      expect(await new Worker(access, new TableQueue(access)).drain()).toBeGreaterThan(0);
      expect(newest).toBeDefined();
      expect(await versionsOf(world)).toEqual({ v3: 5 });
      expect((await older.db.policyOfUser({ userId: '1', policyId: '1' }))?.policyName).toBe('Three');
      expect(await linkOf(older, '1')).toMatchObject({ policyName: 'Three', policyVersion: 3 });
    });

    test('AC-A13: another worker continues from where one was killed', async () => {
      const world = await openSample(workbench());
      await addHolders(world, numbered(101, 349));
      await world.access.db.changePolicy({ policyId: '1', known: 1, policyName: 'Root' });
      await world.queue.send(jobOf(world.access, '1', 2));
      // The claim, a page of copies and a checkpoint. Then the connection breaks, and the worker stops.
      const dying = world.with(workbench().newBreakingClient({ operation: 'UpdateItem', requestsMax: 102 }));
      await expect(new Worker(dying, new TableQueue(dying)).runOne()).rejects.toMatchObject({
        name: 'ConnectionLostError',
      });
      expect(await versionsOf(world)).toEqual({ v1: 150, v2: 100 });
      const half = await world.access.db.job({ jobId: 'policy:1@2' });
      expect(half).toMatchObject({ status: 'running', phase: 'users' });
      expect(half?.cursor).toBeDefined();

      world.advance(60);
      expect(await new Worker(world.access, world.queue).runOne()).toBe(false);
      world.advance(1);
      const { access, requests } = world.logged();
      expect(await new Worker(access, new TableQueue(access)).drain()).toBe(1);
      const [first] = requests.filter(({ operation, input }) =>
        isPageOfCopies({ operation, input: JSON.stringify(input) }),
      );
      expect(first?.input).toHaveProperty('ExclusiveStartKey');
      expect(await versionsOf(world)).toEqual({ v2: 250 });
      expect(await linkOf(access, '1')).toMatchObject({ policyVersion: 2 });
      expect(await access.db.job({ jobId: 'policy:1@2' })).toMatchObject({ status: 'done', attempts: 2 });
    });

    test('AC-A13: a worker whose lease has passed on stops at its next checkpoint', async () => {
      const world = await openSample(workbench());
      await addHolders(world, numbered(101, 250));
      await world.access.db.changePolicy({ policyId: '1', known: 1, policyName: 'Root' });
      await world.queue.send(jobOf(world.access, '1', 2));
      const { client, access: slow, requests } = world.logged();
      before(client, isPageOfCopies, async () => {
        world.advance(61);
        await new Worker(world.access, world.queue).drain();
      });
      expect(await new Worker(slow, new TableQueue(slow)).runOne()).toBe(true);
      expect(requests.at(-1)).toMatchObject({ operation: 'UpdateItem', errorName: 'ConditionalCheckFailedException' });
      expect(await world.access.db.job({ jobId: 'policy:1@2' })).toMatchObject({ status: 'done', attempts: 2 });
      expect(await versionsOf(world)).toEqual({ v2: 151 });
    });

    test('AC-A17: a copy that the index does not show yet is repaired by the verify pass (AC-P5)', async () => {
      const world = await openSample(workbench());
      await addHolders(world, numbered(101, 119));
      await world.access.db.changePolicy({ policyId: '1', known: 1, policyName: 'Root' });
      await world.queue.send(jobOf(world.access, '1', 2));
      const client = workbench().newClient();
      const index = hideFromIndex(client, 'user:107');
      const settled: Record<string, number>[] = [];
      const access = world.with(client, async () => {
        settled.push(await versionsOf(world));
        index.show();
      });
      await new Worker(access, new TableQueue(access)).drain();
      // A pass that repairs something is followed by another.
      expect(settled).toEqual([{ v1: 1, v2: 19 }, { v2: 20 }]);
      expect(await versionsOf(world)).toEqual({ v2: 20 });
    });

    test('AC-A18: after five attempts a job is dead, until somebody redrives it (AC-P6, AC-16)', async () => {
      const world = await openSample(workbench());
      const { db } = world.access;
      await db.changePolicy({ policyId: '1', known: 1, policyName: 'Root' });
      await world.queue.send(jobOf(world.access, '1', 2));
      const waits: number[] = [];
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        const client = workbench().newClient();
        before(client, isPageOfCopies, async () => await Promise.reject(new RangeError('no such page')));
        const access = world.with(client);
        expect(await new Worker(access, new TableQueue(access)).runOne()).toBe(true);
        expect(await new Worker(access, new TableQueue(access)).runOne()).toBe(false);
        const job = await db.job({ jobId: 'policy:1@2' });
        waits.push((Date.parse(job?.notBefore ?? '') - world.clock.nowMs()) / 1000);
        world.advance(300);
      }
      expect(waits.slice(0, 4)).toEqual([2, 4, 8, 16]);
      expect(await world.queue.dead()).toMatchObject([
        { jobId: 'policy:1@2', status: 'dead', attempts: 5, lastError: 'RangeError: no such page' },
      ]);
      const late = new Date(world.clock.nowMs() + 86_400_000).toISOString();
      expect((await db.dueJobs({ notBefore: { to: late } })).items).toEqual([]);
      expect((await db.lapsedJobs({})).items).toEqual([]);
      await expect(untilSettled(world.access, 'policy:1@2')).rejects.toMatchObject({ code: 'job-dead' });

      await world.queue.redrive('policy:1@2');
      await expect(world.queue.redrive('policy:1@2')).rejects.toMatchObject({ code: 'job-not-dead' });
      await new Worker(world.access, world.queue).drain();
      expect(await versionsOf(world)).toEqual({ v2: 1 });
      expect(await world.queue.dead()).toEqual([]);
    });

    test('AC-P4: a job that kills its worker each time dies, too', async () => {
      const world = await openSample(workbench());
      await world.access.db.changePolicy({ policyId: '1', known: 1, policyName: 'Root' });
      await world.queue.send(jobOf(world.access, '1', 2));
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        const dying = world.with(workbench().newBreakingClient({ operation: 'UpdateItem', requestsMax: 1 }));
        await expect(new Worker(dying, new TableQueue(dying)).runOne()).rejects.toThrow();
        world.advance(61);
      }
      expect(await new Worker(world.access, world.queue).drain()).toBe(0);
      expect(await world.queue.dead()).toMatchObject([{ jobId: 'policy:1@2', attempts: 5 }]);
    });

    test('AC-P4: of two workers that claim one job, one gets it', async () => {
      const world = await openSample(workbench());
      await world.queue.send(jobOf(world.access, '1', 2));
      const queues = [1, 2, 3].map(() => new TableQueue(world.with(workbench().newClient())));
      const deliveries = await Promise.all(queues.map(async (queue) => await queue.receive()));
      expect(deliveries.filter((delivery) => delivery !== undefined)).toHaveLength(1);
    });

    test('AC-P4: a worker whose lease has passed on neither completes the job, nor gives it back, nor keeps its place', async () => {
      const world = await openSample(workbench());
      await world.queue.send(jobOf(world.access, '1', 2));
      const slow = (await world.queue.receive())!;
      const asSlow = [
        async () => await slow.complete(),
        async () => await slow.fail(new RangeError('late')),
        async () => await slow.checkpoint({ phase: 'users', cursor: 'user:7' }),
      ];
      const expectRefused = async (): Promise<void> => {
        const before = await stored(world, 'PropagationJob');
        for (const act of asSlow) await expect(act()).rejects.toBeInstanceOf(LeaseLostError);
        expect(await stored(world, 'PropagationJob')).toEqual(before);
      };
      world.advance(61);
      const quick = (await world.queue.receive())!;
      expect(await stored(world, 'PropagationJob')).toMatchObject([{ status: 'running', attempts: 2 }]);
      await expectRefused();
      await quick.fail(new RangeError('no'));
      await expectRefused();
      world.advance(300);
      await (await world.queue.receive())!.complete();
      await expectRefused();
    });

    test('AC-P4: a worker whose last attempt was given up does not bury the job that was redriven', async () => {
      const world = await openSample(workbench());
      await world.queue.send(jobOf(world.access, '1', 2));
      let slow = (await world.queue.receive())!;
      for (let attempt = 2; attempt <= 5; attempt += 1) {
        world.advance(61);
        slow = (await world.queue.receive())!;
      }
      expect(slow.job.attempts).toBe(5);
      world.advance(61);
      expect(await world.queue.receive()).toBeUndefined();
      await world.queue.redrive('policy:1@2');
      expect((await world.queue.receive())?.job.jobId).toBe('policy:1@2');
      await expect(slow.fail(new RangeError('late'))).rejects.toBeInstanceOf(LeaseLostError);
      expect(await world.queue.dead()).toEqual([]);
    });

    test('AC-A22: a role that is revoked while a worker is about to give its policy leaves no copy', async () => {
      const world = await openSample(workbench());
      await world.access.db.createPolicy({ policyId: '4', policyName: 'New', policy: allow('new') });
      await attachPolicy(world.access, { roleId: '1', policyId: '4' });
      const { client, access } = world.logged();
      before(
        client,
        ({ operation, input }) => operation === 'TransactWriteItems' && input.includes('user:1'),
        async () => await revokeRole(world.access, { userId: '1', roleId: '1' }),
      );
      await new Worker(access, new TableQueue(access)).drain();
      expect(await stored(world, 'UserPolicy')).toEqual([]);
    });

    test('AC-A24: detached and attached again, the attaching done first', async () => {
      const world = await openSample(workbench());
      await addHolders(world, numbered(101, 104));
      const { access } = world;
      const detaching = await detachPolicy(access, { roleId: '1', policyId: '1' });
      world.advance(1);
      const attaching = await attachPolicy(access, { roleId: '1', policyId: '1' });
      const jobs = await Promise.all([attaching, detaching].map(async (jobId) => await access.db.job({ jobId })));
      for (const job of jobs) {
        const queue = new MemoryQueue(world.clock);
        await queue.send(job!);
        expect(await new Worker(access, queue).drain()).toBe(1);
      }
      expect(await versionsOf(world)).toEqual({ v1: 5 });
      const copies = await access.db.copiesOfPolicy({ policyId: '1' });
      expect(copies.items.every(({ viaRoles }) => viaRoles.has('role:1'))).toBe(true);
    });

    test('AC-A26: a role renamed twice, the newer job first, keeps the newest name', async () => {
      const world = await openSample(workbench());
      await addHolders(world, numbered(101, 104));
      await renameRole(world.access, { roleId: '1', roleName: 'Second' });
      const { client, access: older } = world.logged();
      before(
        client,
        ({ operation, input }) => operation === 'Query' && input.includes('"role:1"'),
        async () => {
          world.advance(1);
          await renameRole(world.access, { roleId: '1', roleName: 'Third' });
          expect(await new Worker(world.access, world.queue).runOne()).toBe(true);
          const { items } = await world.access.db.holdersOfRole({ roleId: '1' });
          expect(items.every(({ roleName }) => roleName === 'Third')).toBe(true);
        },
      );
      await new Worker(older, new TableQueue(older)).drain();
      const { items } = await world.access.db.holdersOfRole({ roleId: '1' });
      expect(items.map(({ roleName, roleVersion }) => `${roleName} ${roleVersion}`)).toEqual(Array(5).fill('Third 3'));
    });

    test('AC-A27: an immediate update that the index hid a copy from is finished by the job of the trigger', async () => {
      const world = await openSample(workbench());
      await addHolders(world, ['2']);
      const client = workbench().newClient();
      hideFromIndex(client, 'user:2');
      const access = world.with(client);
      await withTrigger(world, async () => {
        const change = { policyId: '1', known: 1, policyName: 'Root' };
        const { copies, jobId } = await updatePolicy(access, change, { mode: 'immediate' });
        expect(copies).toBe(2);
        expect(await versionsOf(world)).toEqual({ v1: 1, v2: 1 });
        expect(await jobsAfterTrigger(world)).toEqual([jobId]);
        await new Worker(world.access, world.queue).drain();
        expect(await untilSettled(world.access, jobId)).toMatchObject({ status: 'done' });
      });
      expect(await versionsOf(world)).toEqual({ v2: 2 });
    });

    test('AC-W11: more copies than a transaction takes are written in hundreds, and counted', async () => {
      const world = await openSample(workbench());
      await addHolders(world, numbered(101, 249));
      const { access, operations } = world.logged();
      const change = { policyId: '1', known: 1, policyName: 'Root' };
      const update = await updatePolicy(access, change, { mode: 'immediate' });
      expect(update).toMatchObject({ copies: 151, atomic: false });
      expect(operations.filter((name) => name === 'TransactWriteItems')).toHaveLength(2);
      expect(await versionsOf(world)).toEqual({ v2: 150 });
      expect(await linkOf(access, '1')).toMatchObject({ policyName: 'Root', policyVersion: 2 });
    });

    test('auto: at once up to 99 copies, by the queue beyond', async () => {
      const world = await openSample(workbench());
      await addHolders(world, numbered(101, 197));
      const first = await updatePolicy(world.access, { policyId: '1', known: 1, policyName: 'Root' });
      expect(first).toMatchObject({ mode: 'immediate', copies: 99, atomic: true });
      await addHolders(world, ['198']);
      const second = await updatePolicy(world.access, { policyId: '1', known: 2, policyName: 'Admin' });
      expect(second).toMatchObject({ mode: 'queued', copies: 0 });
    });

    test('untilSettled waits for a job that comes later, and not for ever', async () => {
      const world = await openSample(workbench());
      await expect(untilSettled(world.access, 'policy:1@9', { pollsMax: 3 })).rejects.toMatchObject({
        code: 'job-missing',
      });
      const access = world.with(workbench().newClient(), async () => {
        await world.queue.send(jobOf(world.access, '1', 9));
        await new Worker(world.access, world.queue).drain();
      });
      expect(await untilSettled(access, 'policy:1@9')).toMatchObject({ status: 'done' });
    });
  },
);

describe('AC-P8: a queue outside the table', () => {
  const workbench = useWorkbench(quickDatabase);

  test('gets changes of policies and the jobs that are in the table, each once', async () => {
    const world = await openSample(workbench());
    await addHolders(world, numbered(101, 110));
    const { access } = world;
    const queue = new MemoryQueue(world.clock);
    const send = vi.spyOn(queue, 'send');
    const updateSent = async (times: number) =>
      await expect.poll(() => send.mock.calls.filter(([{ jobId }]) => jobId === 'policy:1@2')).toHaveLength(times);
    const trigger = await world.trigger(queue);
    await updatePolicy(access, { policyId: '1', known: 1, policyName: 'Root' }, { mode: 'queued' });
    const jobId = await renameRole(access, { roleId: '1', roleName: 'Usual role' });
    expect(await untilSettled(world.with(workbench().newClient(), nextTurn), jobId)).toMatchObject({ status: 'done' });
    await updateSent(1);
    await trigger.stop();
    // The stream once more: the queue has seen the jobs, and the table has been settled.
    const again = await world.trigger(queue);
    const marked = await renameRole(access, { roleId: '1', roleName: 'Usual' });
    await untilSettled(world.with(workbench().newClient(), nextTurn), marked);
    await updateSent(2);
    await again.stop();

    expect(await new Worker(access, queue).drain()).toBe(3);
    expect(await versionsOf(world)).toEqual({ v2: 11 });
    const { items } = await access.db.holdersOfRole({ roleId: '1' });
    expect(items.map(({ roleName }) => roleName)).toEqual(Array(11).fill('Usual'));
    expect((await access.db.dueJobs({})).items).toEqual([]);
  });

  test('hides what is received, gives it to another when the time is over, and keeps what is dead', async () => {
    const world = await openSample(workbench());
    const queue = new MemoryQueue(world.clock);
    const job = jobOf(world.access, '1', 2);
    await queue.send(job);
    await queue.send(job);
    const first = await queue.receive();
    expect(first?.job).toMatchObject({ jobId: job.jobId, attempts: 1 });
    expect(await queue.receive()).toBeUndefined();
    await first?.checkpoint({ phase: 'roles', cursor: 'c' });
    world.advance(60);
    const second = await queue.receive();
    expect(second?.job).toMatchObject({ attempts: 2, phase: 'roles', cursor: { after: 'c' } });
    await expect(first?.complete()).rejects.toMatchObject({ name: 'LeaseLostError' });
    await second?.fail(new RangeError('no'));
    expect(await queue.receive()).toBeUndefined();
    for (let attempt = 3; attempt <= 5; attempt += 1) {
      world.advance(300);
      await (await queue.receive())?.fail('no');
    }
    expect(await queue.dead()).toMatchObject([{ jobId: job.jobId, attempts: 5, lastError: 'no' }]);
    await queue.redrive(job.jobId);
    await expect(queue.redrive(job.jobId)).rejects.toMatchObject({ code: 'job-not-dead' });
    const last = await queue.receive();
    await last?.complete();
    await expect(last?.complete()).rejects.toMatchObject({ name: 'LeaseLostError' });
    expect(await queue.receive()).toBeUndefined();
  });
});

async function nextTurn(): Promise<void> {
  await new Promise((resume) => setImmediate(resume));
}

function jobOf(access: Access, policyId: string, version: number) {
  const now = new Date(access.clock.nowMs()).toISOString();
  return {
    jobId: `policy:${policyId}@${version}`,
    jobType: 'POLICY_UPDATE' as const,
    targetId: `policy:${policyId}`,
    targetVersion: version,
    policyId,
    notBefore: now,
    createdAt: now,
  };
}
