import assert from 'node:assert/strict';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { tableDefinitions } from '@singlet/model';
import { ManualClock } from '../clock.ts';
import type { AccessPattern, Demo, Stage } from '../demo/demo.ts';
import { pauseWithJitter } from '../pause.ts';
import { deleteTable } from '../table-lifecycle.ts';
import { type Access, collect, openAccess } from './access.ts';
import { decide } from './decide.ts';
import { assignRole, attachPolicy, detachPolicy, renameRole, revokeRole } from './grants.ts';
import { accessControl } from './model.ts';
import { untilSettled, updatePolicy } from './policy-updates.ts';
import { seedAccessControl } from './seed.ts';
import { TableQueue } from './table-queue.ts';
import { createTrigger } from './trigger.ts';
import { Worker } from './worker.ts';

const PATTERNS: readonly AccessPattern[] = [
  { id: 'AC-1', title: 'Policies of a user' },
  { id: 'AC-2', title: 'Policies of a role' },
  { id: 'AC-3', title: 'Users of an organisation' },
  { id: 'AC-4', title: 'Policy' },
  { id: 'AC-5', title: 'Role' },
  { id: 'AC-6', title: 'User' },
  { id: 'AC-7', title: 'Roles of a user' },
  { id: 'AC-8', title: 'The whole user' },
  { id: 'AC-9', title: 'Holders of a role' },
  { id: 'AC-10', title: 'Copies of a policy' },
  { id: 'AC-11', title: 'Roles with a policy' },
  { id: 'AC-12', title: 'Does a policy apply to a user' },
  { id: 'AC-13', title: 'May this user do that' },
  { id: 'AC-15', title: 'State of a job' },
  { id: 'AC-16', title: 'Dead jobs' },
  { id: 'AC-W1', title: 'Create policy' },
  { id: 'AC-W2', title: 'Create role' },
  { id: 'AC-W3', title: 'Create user' },
  { id: 'AC-W4', title: 'Attach policy to role' },
  { id: 'AC-W5', title: 'Detach policy from role' },
  { id: 'AC-W6', title: 'Assign role to user' },
  { id: 'AC-W7', title: 'Revoke role from user' },
  { id: 'AC-W8', title: 'Move user' },
  { id: 'AC-W9', title: 'Rename role' },
  { id: 'AC-W10', title: 'Delete policy' },
  { id: 'AC-W11', title: 'Update policy with its copies' },
  { id: 'AC-W12', title: 'Update policy, copies by the queue' },
  { id: 'AC-P4', title: 'Worker: claim, rewrite, verify' },
];

export interface AccessControlDemoOptions {
  /** The size of the company in the morning: 1 is 10,000 users. */
  readonly scale?: number;
}

/** A morning of an administrator, with a policy that half the company has. */
export function accessControlDemo({ scale = 0.02 }: AccessControlDemoOptions = {}): Demo {
  const [table] = tableDefinitions(accessControl);
  assert(table !== undefined, 'the model has a table');
  return {
    title: 'Access control: who may do what, and how a change reaches every copy',
    table,
    patterns: PATTERNS,
    play: async (stage) => {
      await play(stage, scale);
    },
  };
}

async function play(stage: Stage, scale: number): Promise<void> {
  const { terminal, client, tableName, ledger } = stage;
  const clock = new ManualClock('2026-11-02T08:00:00Z');
  let ids = 0;
  const newId = (): string => `id${(ids += 1)}`;
  const access = openAccess({ client, tableName, clock, newId, pause: pauseWithJitter });
  const { db } = access;
  const seeded = await seedAccessControl(db, scale);
  terminal.line(
    `${seeded.users} users, ${seeded.roles} roles and ${seeded.policies} policies; with their links and copies ${seeded.items} items.`,
  );
  const streams = new DynamoDBStreamsClient(stage.clientConfig);
  const queue = new TableQueue(access);
  const checkpointTable = `${tableName}-checkpoints`;
  const trigger = createTrigger(access, queue, {
    dynamodb: client,
    streams,
    tableName,
    checkpointTable,
    startingPosition: 'LATEST',
    pollIntervalMs: 20,
  });
  await trigger.start();
  const worker = new Worker(access, queue, { settleMs: 50 });
  const say = (text: string): void => terminal.line(text);
  /** A request under its pattern, unless the demo is being stopped. */
  const during = async <Result>(id: string, call: () => Promise<Result>): Promise<Result> => {
    stage.signal.throwIfAborted();
    return await ledger.during(id, call);
  };
  try {
    await playMorning({ access, during, say, work: async () => await worker.drain() });
  } finally {
    await trigger.stop();
    streams.destroy();
    await deleteTable(client, checkpointTable);
  }
}

interface Morning {
  readonly access: Access;
  readonly during: <Result>(id: string, call: () => Promise<Result>) => Promise<Result>;
  readonly say: (text: string) => void;
  readonly work: () => Promise<number>;
}

async function playMorning({ access, during, say, work }: Morning): Promise<void> {
  const { db } = access;
  await during('AC-W3', async () => await db.createUser({ userId: 'nora', userName: 'Nora North', orgId: 'org:1' }));
  await during('AC-W2', async () => await db.createRole({ roleId: 'crew', roleName: 'Crew' }));
  const lifting = { actions: ['cranes:lift'], resources: ['site-1/*'] };
  const lift = { statements: [{ effect: 'Allow' as const, ...lifting }] };
  await during('AC-W1', async () => await db.createPolicy({ policyId: 'lift', policyName: 'May lift', policy: lift }));
  await during('AC-W4', async () => await attachPolicy(access, { roleId: 'crew', policyId: 'lift' }));
  await during('AC-W6', async () => await assignRole(access, { userId: 'nora', roleId: 'crew' }));
  const users = await during('AC-3', async () => await collect(db.usersOfOrganisation.each({ orgId: 'org:1' })));
  for (const { userId } of users.slice(0, 30)) {
    if (userId !== 'nora') await during('AC-W6', async () => await assignRole(access, { userId, roleId: 'crew' }));
  }
  await during('AC-P4', work);
  const question = { userId: 'nora', action: 'cranes:lift', resource: 'site-1/crane-3' };
  const asked = await during('AC-13', async () => await decide(access, question));
  say(`May Nora lift on site 1? ${answer(asked)}`);

  const forbidden = { statements: [{ effect: 'Deny' as const, ...lifting }] };
  const change = { policyId: 'lift', known: 1, policyName: 'Must not lift', policy: forbidden };
  const immediate = await during('AC-W11', async () => await updatePolicy(access, change, { mode: 'immediate' }));
  say(
    `The policy is turned round, with ${immediate.copies} copies in ${immediate.atomic ? 'one transaction' : 'several'}.`,
  );
  say(`May Nora lift now? ${answer(await during('AC-13', async () => await decide(access, question)))}`);

  const back = { ...change, known: 2, policyName: 'May lift', policy: lift };
  const queued = await during('AC-W12', async () => await updatePolicy(access, back, { mode: 'queued' }));
  say(`Turned back by the queue: the call returns at once, and Nora is told ${answer(await decide(access, question))}`);
  await during('AC-P4', async () => await workUntil(access, queued.jobId, work));
  const job = await during('AC-15', async () => await db.job({ jobId: queued.jobId }));
  say(`${queued.jobId} is ${job?.status ?? 'lost'}. May Nora lift? ${answer(await decide(access, question))}`);

  const policies = await during('AC-1', async () => await collect(db.policiesOfUser.each({ userId: 'nora' })));
  await during('AC-2', async () => await collect(db.policiesOfRole.each({ roleId: 'crew' })));
  await during('AC-4', async () => await db.policy({ policyId: 'lift' }));
  await during('AC-5', async () => await db.role({ roleId: 'crew' }));
  await during('AC-6', async () => await db.user({ userId: 'nora' }));
  await during('AC-7', async () => await db.rolesOfUser({ userId: 'nora' }));
  await during('AC-8', async () => await db.userAggregate({ userId: 'u1' }));
  const holders = await during('AC-9', async () => await collect(db.holdersOfRole.each({ roleId: 'crew' })));
  await during('AC-10', async () => await db.copiesOfPolicy({ policyId: 'lift' }, { limit: 10 }));
  await during('AC-11', async () => await db.rolesWithPolicy({ policyId: 'lift' }));
  await during('AC-12', async () => await db.policyOfUser({ userId: 'nora', policyId: 'lift' }, { consistent: true }));
  say(`Nora has ${policies.length} policy; the crew are ${holders.length}.`);

  await during('AC-W8', async () => await db.moveUser({ userId: 'nora', orgId: 'org:2' }));
  await during('AC-W9', async () => await renameRole(access, { roleId: 'crew', roleName: 'Lifting crew' }));
  await during('AC-W7', async () => await revokeRole(access, { userId: 'nora', roleId: 'crew' }));
  await during('AC-W5', async () => await detachPolicy(access, { roleId: 'crew', policyId: 'lift' }));
  await during('AC-W10', async () => await db.deletePolicy({ policyId: 'lift' }));
  await during('AC-P4', async () => await workUntil(access, 'policy:lift@deleted', work));
  const left = await collect(db.copiesOfPolicy.each({ policyId: 'lift' }));
  const dead = await during('AC-16', async () => await collect(db.deadJobs.each({})));
  say(`Detached and deleted: ${left.length} copies are left, and ${dead.length} jobs are dead.`);
}

/** Works until a job is done, which the trigger may not even have queued yet. */
async function workUntil(access: Access, jobId: string, work: () => Promise<number>): Promise<void> {
  await work();
  const working = {
    ...access,
    pause: async (milliseconds: number) =>
      await access
        .pause(milliseconds / 10)
        .then(work)
        .then(() => undefined),
  };
  await untilSettled(working, jobId);
}

function answer({ allowed, by }: { readonly allowed: boolean; readonly by: readonly string[] }): string {
  return `${allowed ? 'yes' : 'no'}${by.length > 0 ? `, by "${by.join('", "')}"` : ''}.`;
}
