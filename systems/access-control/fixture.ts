import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { tableDefinitions } from '@singlet/model';
import type { Consumer } from 'singlet/consumer';
import { expect } from 'vitest';
import { ManualClock } from '../clock.ts';
import { databasesUnderTest, type DatabaseUnderTest } from '../testing/databases.ts';
import type { RawItem, RawTable } from '../testing/raw-table.ts';
import { createSentinels } from '../testing/sentinels.ts';
import type { LoggedClient, Workbench } from '../testing/workbench.ts';
import type { Access, Policy } from './access.ts';
import { openAccess } from './access.ts';
import { type JobQueue } from './job-queue.ts';
import { accessControl } from './model.ts';
import { TableQueue } from './table-queue.ts';
import { createTrigger } from './trigger.ts';

/** Over HTTP and stored in LMDB, and in this process and in memory; or the endpoint given in the environment. */
export const databases: readonly DatabaseUnderTest[] = databasesUnderTest.filter(
  ({ name }) => name !== 'HTTP and memory' && name !== 'in process and LMDB',
);

/** The fast one, for tests with many requests. */
export const quickDatabase: DatabaseUnderTest = databases.at(-1) ?? assert.fail('there is a database to test on');

export const allow = (...actions: string[]): Policy['policy'] => ({
  statements: [{ effect: 'Allow', actions, resources: ['*'] }],
});
export const deny = (...actions: string[]): Policy['policy'] => ({
  statements: [{ effect: 'Deny', actions, resources: ['*'] }],
});

const ADMIN = { policyId: '1', policyName: 'Admin', policy: allow('*') };
const POLICIES = [
  ADMIN,
  { policyId: '2', policyName: 'RejectWrites', policy: deny('*:write') },
  { policyId: '3', policyName: 'RevokeAssumeRole', policy: deny('roles:assume') },
];

/** A table with an application on it, and the means to inspect it in a test. */
export interface World {
  readonly access: Access;
  readonly queue: JobQueue;
  readonly table: RawTable;
  readonly clock: ManualClock;
  readonly pausesMs: readonly number[];
  /** The same application with its own client. */
  readonly with: (client: Workbench['client'], pause?: Access['pause']) => Access;
  readonly logged: () => LoggedClient & { readonly access: Access };
  /** Starts a trigger with its own checkpoints: it sees the whole stream. */
  readonly trigger: (queue?: JobQueue) => Promise<Consumer>;
  /** The ids of the policies that show how far a trigger has come; created on first use. */
  readonly sentinels: () => Promise<readonly string[]>;
  readonly advance: (seconds: number) => void;
}

export async function openWorld(workbench: Workbench): Promise<World> {
  const [definition] = tableDefinitions(accessControl);
  assert(definition !== undefined, 'the model has a table');
  const table = await workbench.createTable(definition);
  const clock = new ManualClock('2026-03-02T08:00:00Z');
  const pausesMs: number[] = [];
  const rest = async (milliseconds: number): Promise<void> => {
    pausesMs.push(milliseconds);
    await Promise.resolve();
  };
  const common = { tableName: table.name, clock, newId: () => randomUUID(), pause: rest };
  const access = openAccess({ ...common, client: workbench.client });
  const queue = new TableQueue(access);
  let sentinels: Promise<readonly string[]> | undefined;
  return {
    access,
    queue,
    table,
    clock,
    pausesMs,
    with: (client, pause = rest) => openAccess({ ...common, client, pause }),
    logged: () => {
      const logged = workbench.newLoggedClient();
      return { ...logged, access: openAccess({ ...common, client: logged.client }) };
    },
    trigger: async (into = queue) => {
      const consumer = createTrigger(access, into, {
        dynamodb: workbench.client,
        streams: workbench.newStreamsClient(),
        tableName: table.name,
        checkpointTable: `${table.name}-checkpoints-${randomUUID()}`,
        pollIntervalMs: 10,
      });
      await consumer.start();
      return consumer;
    },
    sentinels: async () =>
      await (sentinels ??= createSentinels(
        { streams: workbench.newStreamsClient(), tableName: table.name, idName: 'policyId' },
        async (policyId) => await access.db.createPolicy({ policyId, policyName: 'Sentinel', policy: allow() }),
      )),
    advance: (seconds) => clock.setToMs(clock.nowMs() + seconds * 1000),
  };
}

/** The sample: one user with one role of three policies. Every version is 1. */
export async function openSample(workbench: Workbench): Promise<World> {
  const world = await openWorld(workbench);
  const { db } = world.access;
  await db.seedPolicies(POLICIES);
  await db.seedRoles([{ roleId: '1', roleName: 'Default role' }]);
  await db.seedLinks(
    POLICIES.map(({ policyId, policyName }) => ({ roleId: '1', policyId, policyName, policyVersion: 1 })),
  );
  await db.seedUsers([{ userId: '1', userName: 'John Doe', orgId: 'org:1' }]);
  await db.seedHoldings([{ userId: '1', roleId: '1', roleName: 'Default role', roleVersion: 1 }]);
  await db.seedCopies(
    POLICIES.map((policy) => ({ userId: '1', ...policy, policyVersion: 1, viaRoles: new Set(['role:1']) })),
  );
  return world;
}

/** Further holders of role:1, each with a copy of policy:1 only. */
export async function addHolders({ access: { db } }: World, ids: readonly string[]): Promise<void> {
  await db.seedUsers(ids.map((userId) => ({ userId, userName: `User ${userId}`, orgId: 'org:1' })));
  await db.seedHoldings(ids.map((userId) => ({ userId, roleId: '1', roleName: 'Default role', roleVersion: 1 })));
  await db.seedCopies(ids.map((userId) => ({ userId, ...ADMIN, policyVersion: 1, viaRoles: new Set(['role:1']) })));
}

export const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => String(from + i));

/** The items of a table by entity. */
export async function stored({ table }: World, type: string): Promise<RawItem[]> {
  return (await table.scan()).filter((item) => item['type'] === type);
}

/** The jobs that the trigger has queued so far, once it has seen all earlier writes. */
export async function jobsAfterTrigger(world: World): Promise<string[]> {
  const { db } = world.access;
  const shown = (await world.sentinels()).map(async (policyId) => {
    const known = (await db.policy({ policyId }, { consistent: true }))?.policyVersion ?? 0;
    await db.changePolicy({ policyId, known, policyName: `Sentinel ${known + 1}` });
    const jobId = `policy:${policyId}@${known + 1}`;
    await expect.poll(async () => await db.job({ jobId }, { consistent: true })).toBeDefined();
  });
  await Promise.all(shown);
  const jobs = await stored(world, 'PropagationJob');
  return jobs.map((job) => String(job['jobId'])).filter((id) => !id.includes('sentinel'));
}

/** Runs a function once, before a client's next request that satisfies a predicate. */
export function before(
  client: Workbench['client'],
  test: (request: { readonly operation: string; readonly input: string }) => boolean,
  act: () => Promise<unknown>,
): void {
  let once = true;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const request = {
        operation: String(context.commandName).replace(/Command$/, ''),
        input: JSON.stringify(args.input),
      };
      if (once && test(request)) {
        once = false;
        await act();
      }
      return await next(args);
    },
    { step: 'initialize', name: `before-${randomUUID()}` },
  );
}

/** Hides an item from a client's reads of an index, like an index that lags behind. */
export function hideFromIndex(client: Workbench['client'], partitionKey: string): { readonly show: () => void } {
  let hidden = true;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      const output = result.output as { Items?: { PK?: { S?: string } }[] };
      const isIndex = (args.input as { IndexName?: string }).IndexName !== undefined;
      if (hidden && isIndex && context.commandName === 'QueryCommand' && output.Items !== undefined) {
        const Items = output.Items.filter(({ PK }) => PK?.S !== partitionKey);
        return { ...result, output: { ...output, Items } as unknown as typeof result.output };
      }
      return result;
    },
    { step: 'initialize', name: `hide-${randomUUID()}` },
  );
  return {
    show: () => {
      hidden = false;
    },
  };
}
