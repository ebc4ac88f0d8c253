import { randomUUID } from 'node:crypto';
import { tableDefinitions } from '@singlet/model';
import { anyOf, given, type MeasuredSystem, newNames } from '../measurement/pattern-calls.ts';
import { pauseWithJitter } from '../pause.ts';
import { createTable } from '../table-lifecycle.ts';
import { type Access, collect, openAccess, timeOf } from './access.ts';
import { decide } from './decide.ts';
import { assignRole, attachPolicy, detachPolicy, renameRole, revokeRole } from './grants.ts';
import { roleJob } from './job-orders.ts';
import { accessControl } from './model.ts';
import { updatePolicy } from './policy-updates.ts';
import { seedAccessControl } from './seed.ts';

const TABLE_NAME = 'access-control';
const USERS = 10_000;
const JOBS = 12;
const POLICY = { statements: [{ effect: 'Allow' as const, actions: ['cranes:move'], resources: ['site-1/*'] }] };
const OF_WORKERS = 'what workers do with a job: as long as the list of its copies';

/** A call of each access pattern of access control. */
export const accessControlCalls: MeasuredSystem = {
  model: accessControl,
  scales: { usual: 0.5, full: 1 },
  load: async ({ client, scale, onItems }) => {
    await createTable(client, { ...tableDefinitions(accessControl)[0], TableName: TABLE_NAME });
    const { items } = await seedAccessControl(accessOn(client).db, scale);
    onItems(items);
  },
  open: async ({ client, scale, random }) => {
    const access = accessOn(client);
    const { db, clock } = access;
    const userId = (): string => `u${random.integer(1, Math.round(USERS * scale))}`;
    const users = await Promise.all(Array.from({ length: 100 }, async () => db.user({ userId: userId() })));
    const organisations = users.flatMap((user) => user?.orgId ?? []);
    const held = (
      await Promise.all(Array.from({ length: 50 }, async () => collect(db.policiesOfUser.each({ userId: userId() }))))
    ).flat();
    const holdings = (
      await Promise.all(Array.from({ length: 50 }, async () => collect(db.rolesOfUser.each({ userId: userId() }))))
    ).flat();
    const policyId = (): string => anyOf(random, held).policyId;
    const roleId = (): string => anyOf(random, holdings).roleId;
    const newName = newNames('new-');
    const newJob = () => roleJob(access, 'ASSIGN', { roleId: newName(), userId: userId(), version: 1 });
    const jobIds: string[] = [];
    for (let made = 0; made < JOBS; made += 1) jobIds.push((await db.queueJob(newJob())).jobId);
    const newPolicy = async (): Promise<string> => {
      const created = { policyId: newName(), policyName: 'May move cranes', policy: POLICY };
      return (await db.createPolicy(created)).policyId;
    };
    const newRole = async (): Promise<string> =>
      (await db.createRole({ roleId: newName(), roleName: 'Operator' })).roleId;
    const newUser = async (): Promise<string> => {
      const created = { userId: newName(), userName: 'Ada Abbott', orgId: anyOf(random, organisations) };
      return (await db.createUser(created)).userId;
    };
    const newPair = async () => ({ roleId: await newRole(), policyId: await newPolicy() });
    return {
      'AC-1': given(userId, (id) => collect(db.policiesOfUser.each({ userId: id }))),
      'AC-2': given(roleId, (id) => collect(db.policiesOfRole.each({ roleId: id }))),
      'AC-3': given(
        () => anyOf(random, organisations),
        (orgId) => db.usersOfOrganisation({ orgId }),
      ),
      'AC-4': given(policyId, (id) => db.policy({ policyId: id })),
      'AC-5': given(roleId, (id) => db.role({ roleId: id })),
      'AC-6': given(userId, (id) => db.user({ userId: id })),
      'AC-7': given(userId, (id) => db.rolesOfUser({ userId: id })),
      'AC-8': given(userId, (id) => db.userAggregate({ userId: id })),
      'AC-9': given(roleId, (id) => db.holdersOfRole({ roleId: id })),
      'AC-10': given(policyId, (id) => db.copiesOfPolicy({ policyId: id })),
      'AC-11': given(policyId, (id) => db.rolesWithPolicy({ policyId: id })),
      'AC-12': given(
        () => anyOf(random, held),
        ({ userId: id, policyId: policy }) => db.policyOfUser({ userId: id, policyId: policy }),
      ),
      'AC-13': given(userId, (id) => decide(access, { userId: id, action: 'cranes:move', resource: 'site-1/crane-7' })),
      'AC-14': given(
        () => timeOf(clock),
        (time) => db.dueJobs({ notBefore: { to: time } }),
      ),
      'AC-14 lapsed': given(
        () => Math.floor(clock.nowMs() / 1000),
        (time) => db.lapsedJobs({ leaseUntil: { before: time } }),
      ),
      'AC-15': given(
        () => anyOf(random, jobIds),
        (jobId) => db.job({ jobId }),
      ),
      'AC-16': given(
        () => undefined,
        () => db.deadJobs({}),
      ),
      'AC-W1': given(newName, (id) => db.createPolicy({ policyId: id, policyName: 'May move', policy: POLICY })),
      'AC-W2': given(newName, (id) => db.createRole({ roleId: id, roleName: 'Operator' })),
      'AC-W3': given(newName, (id) =>
        db.createUser({ userId: id, userName: 'Ada Abbott', orgId: anyOf(random, organisations) }),
      ),
      'AC-W4': given(newPair, (link) => attachPolicy(access, link)),
      'AC-W5': given(
        async () => {
          const link = await newPair();
          await attachPolicy(access, link);
          return link;
        },
        (link) => detachPolicy(access, link),
      ),
      'AC-W6': given(newUser, (id) => assignRole(access, { userId: id, roleId: roleId() })),
      'AC-W7': given(
        async () => {
          const holding = { userId: await newUser(), roleId: roleId() };
          await assignRole(access, holding);
          return holding;
        },
        (holding) => revokeRole(access, holding),
      ),
      'AC-W8': given(newUser, (id) => db.moveUser({ userId: id, orgId: anyOf(random, organisations) })),
      'AC-W9': given(newRole, (id) => renameRole(access, { roleId: id, roleName: 'Other' })),
      'AC-W10': given(newPolicy, (id) => db.deletePolicy({ policyId: id })),
      'AC-W11': given(newPolicy, (id) =>
        updatePolicy(access, { policyId: id, known: 1, policyName: 'Other' }, { mode: 'immediate' }),
      ),
      'AC-W12': given(newPolicy, (id) =>
        updatePolicy(access, { policyId: id, known: 1, policyName: 'Other' }, { mode: 'queued' }),
      ),
      'AC-P1': given(newPolicy, (id) => db.changePolicy({ policyId: id, known: 1, policyName: 'Other' })),
      'AC-P3': given(newJob, (job) => db.queueJob(job)),
    };
  },
  unmeasured: {
    'AC-P2': 'follows from the stream, one AC-P3 for each change',
    'AC-P4': OF_WORKERS,
    'AC-P5': OF_WORKERS,
    'AC-P6': OF_WORKERS,
    'AC-P7': OF_WORKERS,
    'AC-P8': OF_WORKERS,
  },
};

function accessOn(client: Parameters<typeof openAccess>[0]['client']): Access {
  return openAccess({
    client,
    tableName: TABLE_NAME,
    clock: { nowMs: () => Date.now() },
    newId: randomUUID,
    pause: pauseWithJitter,
  });
}
