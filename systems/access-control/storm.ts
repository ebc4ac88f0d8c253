/** Access control in a storm: when all jobs are done, every user has exactly the policies of their roles, in their latest version. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { eventually } from '../testing/consume.ts';
import type { StormStory } from '../testing/storm.ts';
import { type Access, collect, DIRECTLY, openAccess, reasonOf } from './access.ts';
import { allow } from './fixture.ts';
import { assignRole, attachPolicy, detachPolicy, givePolicy, revokeRole } from './grants.ts';
import { accessControl } from './model.ts';
import { updatePolicy } from './policy-updates.ts';
import { TableQueue } from './table-queue.ts';
import { createTrigger } from './trigger.ts';
import { Worker } from './worker.ts';

const USERS = ['u1', 'u2', 'u3'];
const ROLES = ['r1', 'r2'];
const POLICIES = ['p1', 'p2', 'p3'];
/** Longer than the lease of a job and its pauses between attempts. */
const STEP_MS = 400_000;

export const story: StormStory = {
  model: accessControl,
  invariant: 'the copies of policies agree with roles and users',
  play: async (storm) => {
    const { client, streams, clock } = storm;
    const turn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));
    const access = openAccess({ client, clock, tableName: 'access-control', newId: randomUUID, pause: turn });
    const { db } = access;
    for (const policyId of POLICIES) {
      await storm.insist(async () => db.createPolicy({ policyId, policyName: policyId, policy: allow('*') }));
    }
    for (const roleId of ROLES) await storm.insist(async () => db.createRole({ roleId, roleName: roleId }));
    for (const userId of USERS)
      await storm.insist(async () => db.createUser({ userId, userName: userId, orgId: 'o:1' }));
    const queue = new TableQueue(access);
    const reading = { dynamodb: client, streams, tableName: 'access-control', pollIntervalMs: 5 };
    const stop = await storm.started(() => createTrigger(access, queue, reading));
    const worker = new Worker(access, queue, { settleMs: 0 });
    try {
      await storm.callers(12, async (number) => {
        const [userId, roleId, policyId] = [storm.oneOf(USERS), storm.oneOf(ROLES), storm.oneOf(POLICIES)];
        const acts = [
          async () => attachPolicy(access, { roleId, policyId }),
          async () => detachPolicy(access, { roleId, policyId }),
          async () => assignRole(access, { userId, roleId }),
          async () => assignRole(access, { userId, roleId }),
          async () => revokeRole(access, { userId, roleId }),
          async () => givePolicy(access, { userId, policyId }),
          async () => changePolicy(access, policyId, `${policyId} ${number}`),
        ];
        await storm.attempt(storm.oneOf(acts));
        if (number % 5 === 4) await storm.attempt(async () => worker.runOne());
      });
      await storm.over();
      // The trigger sees the last changes, and the workers finish the jobs. Jobs that failed too often are queued again.
      await eventually(async () => {
        clock.setToMs(clock.nowMs() + STEP_MS);
        for (const { jobId } of await queue.dead()) await queue.redrive(jobId);
        await worker.drain();
        await expectAgreement(access);
      });
    } finally {
      await stop();
    }
  },
};

async function changePolicy(access: Access, policyId: string, policyName: string): Promise<void> {
  const known = (await access.db.policy({ policyId }, { consistent: true }))?.policyVersion ?? 0;
  await updatePolicy(access, { policyId, known, policyName });
}

/** Compares every copy with the policy, and its reasons with the roles that contain it. */
async function expectAgreement({ db }: Access): Promise<void> {
  const links = new Map<string, readonly string[]>();
  for (const roleId of ROLES) {
    const policies = await collect(db.policiesOfRole.each({ roleId }, { consistent: true }));
    links.set(
      roleId,
      policies.map(({ policyId }) => policyId),
    );
  }
  for (const userId of USERS) {
    const roles = await collect(db.rolesOfUser.each({ userId }, { consistent: true }));
    const copies = await collect(db.policiesOfUser.each({ userId }, { consistent: true }));
    const found = copies.map(({ policyId, viaRoles }) => [policyId, [...viaRoles].filter((each) => each !== DIRECTLY)]);
    const expected = POLICIES.map((policyId) => [
      policyId,
      roles.filter(({ roleId }) => links.get(roleId)?.includes(policyId)).map(({ roleId }) => reasonOf(roleId)),
    ]);
    const brought = ([, reasons]: readonly unknown[]): boolean => (reasons as readonly string[]).length > 0;
    expect([userId, found.filter(brought)]).toEqual([userId, expected.filter(brought)]);
    for (const { policyId, policyName, policyVersion } of copies) {
      const policy = await db.policy({ policyId }, { consistent: true });
      expect([policyName, policyVersion]).toEqual([policy?.policyName, policy?.policyVersion]);
    }
  }
}
