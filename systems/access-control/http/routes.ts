import { RuleError } from '@singlet/model';
import { z } from 'zod';
import { HttpError } from '../../http/http-error.ts';
import { orAlready } from '../../http/or-already.ts';
import { type Route, route } from '../../http/route.ts';
import { collect, DIRECTLY, type Job } from '../access.ts';
import { decide } from '../decide.ts';
import { detachPolicy, renameRole, revokeRole } from '../grants.ts';
import { earlierUpdate, type PolicyChange, type PolicyUpdate, updatePolicy } from '../policy-updates.ts';
import { existing, type Gatehouse, JOB_STATES } from './gatehouse.ts';

const TEXT_LENGTH_MAX = 200;
const STATEMENTS_MAX = 50;
const ENTRIES_MAX = 50;

/** Ids are parts of keys, whose separator is a colon. */
export const id = z.string().regex(/^[\w.@-]{1,100}$/);
const roleId = id.refine((text) => text !== DIRECTLY);
export const text = z.string().trim().min(1).max(TEXT_LENGTH_MAX);
const entries = z.array(z.string().min(1).max(TEXT_LENGTH_MAX)).min(1).max(ENTRIES_MAX);
export const policyDocument = z.object({
  statements: z
    .array(z.object({ effect: z.enum(['Allow', 'Deny']), actions: entries, resources: entries }))
    .max(STATEMENTS_MAX),
});
export const mode = z.enum(['immediate', 'queued', 'auto']);
const version = z.int().min(1);
export const question = z.object({ userId: id, action: text, resource: text });
const cursor = z.string().max(2000).optional();

const user = z.object({ userId: z.string(), userName: z.string(), orgId: z.string() });
const role = z.object({ roleId: z.string(), roleName: z.string(), roleVersion: version });
const policy = z.object({
  policyId: z.string(),
  policyName: z.string(),
  policyVersion: version,
  document: policyDocument,
});
const copy = z.object({
  userId: z.string(),
  policyId: z.string(),
  policyName: z.string(),
  policyVersion: version,
  because: z.array(z.string()),
});
const link = z.object({ roleId: z.string(), policyId: z.string(), policyName: z.string(), policyVersion: version });
const holding = z.object({ userId: z.string(), roleId: z.string(), roleName: z.string(), roleVersion: version });
const job = z.object({
  jobId: z.string(),
  type: z.string(),
  target: z.string(),
  status: z.enum(['queued', 'running', 'done', 'dead']),
  phase: z.string(),
  attempts: z.int(),
  lastError: z.string().optional(),
});
const begun = z.object({ jobId: z.string().optional() });

function listOf<Each extends z.ZodType>(each: Each) {
  return z.object({ items: z.array(each), cursor: z.string().optional() });
}

const absent = { 404: { description: 'There is no such thing' } };
const taken = { 409: { description: 'The id is taken by another' } };

/** Everything that the application does, over HTTP. */
export function routesOf(house: Gatehouse): readonly Route[] {
  return [...userRoutes(house), ...roleRoutes(house), ...policyRoutes(house), ...jobRoutes(house)];
}

function userRoutes(house: Gatehouse): readonly Route[] {
  const { access } = house;
  return [
    route({
      method: 'POST',
      path: '/decisions',
      operationId: 'decide',
      summary: 'May this user do that?',
      tag: 'Decisions',
      serves: ['AC-13'],
      body: question,
      answers: {
        200: {
          description: 'The answer, and the policies that led to it',
          schema: z.object({ allow: z.boolean(), because: z.array(z.string()) }),
        },
      },
      handle: async ({ body }) => {
        const { allowed, by } = await decide(access, body);
        return { status: 200, body: { allow: allowed, because: by } };
      },
    }),
    route({
      method: 'POST',
      path: '/users',
      operationId: 'createUser',
      summary: 'Create a user',
      tag: 'Users',
      serves: ['AC-W3'],
      body: z.object({ userId: id, userName: text, org: id }),
      answers: { 201: { description: 'The user', schema: user }, ...taken },
      handle: async ({ body: { org, ...named } }) => ({
        status: 201,
        body: await house.createUser({ ...named, orgId: `org:${org}` }),
      }),
    }),
    route({
      method: 'GET',
      path: '/users/{userId}',
      operationId: 'getUser',
      summary: 'A user',
      tag: 'Users',
      pathSchemas: { userId: id },
      serves: ['AC-6'],
      answers: { 200: { description: 'The user', schema: user }, ...absent },
      handle: async ({ path }) => ({ status: 200, body: existing(await access.db.user(path), 'user') }),
    }),
    route({
      method: 'GET',
      path: '/users/{userId}/all',
      operationId: 'getUserWithAll',
      summary: 'A user with roles and policies, in one request',
      tag: 'Users',
      pathSchemas: { userId: id },
      serves: ['AC-8'],
      answers: {
        200: {
          description: 'The user',
          schema: z.object({ user, roles: z.array(holding), policies: z.array(copy) }),
        },
        ...absent,
      },
      handle: async ({ path }) => {
        const found = await access.db.userAggregate(path);
        return {
          status: 200,
          body: {
            user: existing(found.user, 'user'),
            roles: found.roles,
            policies: found.policies.map(copyShown),
          },
        };
      },
    }),
    route({
      method: 'GET',
      path: '/users/{userId}/policies',
      operationId: 'getPoliciesOfUser',
      summary: 'The policies that apply to a user',
      tag: 'Users',
      pathSchemas: { userId: id },
      serves: ['AC-1'],
      answers: { 200: { description: 'The copies', schema: listOf(copy) } },
      handle: async ({ path }) => ({
        status: 200,
        body: { items: (await collect(access.db.policiesOfUser.each(path))).map(copyShown) },
      }),
    }),
    route({
      method: 'GET',
      path: '/users/{userId}/policies/{policyId}',
      operationId: 'getPolicyOfUser',
      summary: 'Whether a policy applies to a user, and why',
      tag: 'Users',
      pathSchemas: { userId: id, policyId: id },
      serves: ['AC-12'],
      answers: { 200: { description: 'The copy', schema: copy }, ...absent },
      handle: async ({ path }) => ({
        status: 200,
        body: copyShown(existing(await access.db.policyOfUser(path), 'policy of this user')),
      }),
    }),
    route({
      method: 'GET',
      path: '/users/{userId}/roles',
      operationId: 'getRolesOfUser',
      summary: 'The roles of a user',
      tag: 'Users',
      pathSchemas: { userId: id },
      serves: ['AC-7'],
      answers: { 200: { description: 'The roles', schema: listOf(holding) } },
      handle: async ({ path }) => ({
        status: 200,
        body: { items: await collect(access.db.rolesOfUser.each(path)) },
      }),
    }),
    route({
      method: 'PUT',
      path: '/users/{userId}/roles/{roleId}',
      operationId: 'assignRole',
      summary: 'Give a user a role, with a copy of each of its policies',
      tag: 'Users',
      pathSchemas: { userId: id, roleId },
      serves: ['AC-W6'],
      answers: {
        200: { description: 'Done; or the job that does it', schema: begun },
        ...absent,
      },
      handle: async ({ path }) => ({ status: 200, body: { jobId: await house.assignRole(path) } }),
    }),
    route({
      method: 'DELETE',
      path: '/users/{userId}/roles/{roleId}',
      operationId: 'revokeRole',
      summary: 'Take a role from a user, with the copies that nothing else brought',
      tag: 'Users',
      pathSchemas: { userId: id, roleId },
      serves: ['AC-W7'],
      answers: { 200: { description: 'Done; or the job that does it', schema: begun }, ...absent },
      handle: async ({ path }) => ({ status: 200, body: { jobId: await revokeRole(access, path) } }),
    }),
    route({
      method: 'PUT',
      path: '/users/{userId}/org',
      operationId: 'moveUser',
      summary: 'Move a user to another organisation',
      tag: 'Users',
      pathSchemas: { userId: id },
      serves: ['AC-W8'],
      body: z.object({ org: id }),
      answers: { 204: { description: 'Moved' }, ...absent },
      handle: async ({ path, body: { org } }) => {
        await access.db.moveUser({ ...path, orgId: `org:${org}` });
        return { status: 204 };
      },
    }),
    route({
      method: 'GET',
      path: '/orgs/{org}/users',
      operationId: 'getUsersOfOrganisation',
      summary: 'The users of an organisation',
      tag: 'Users',
      pathSchemas: { org: id },
      serves: ['AC-3'],
      query: z.object({ cursor }),
      answers: { 200: { description: 'A page', schema: listOf(user) } },
      handle: async ({ path: { org }, query }) => ({
        status: 200,
        body: await house.page(
          ['users', org],
          query.cursor,
          async (at) => await access.db.usersOfOrganisation({ orgId: `org:${org}` }, { cursor: at }),
        ),
      }),
    }),
  ];
}

function roleRoutes(house: Gatehouse): readonly Route[] {
  const { access } = house;
  const linkPath = { roleId, policyId: id };
  return [
    route({
      method: 'POST',
      path: '/roles',
      operationId: 'createRole',
      summary: 'Create a role',
      tag: 'Roles',
      serves: ['AC-W2'],
      body: z.object({ roleId, roleName: text }),
      answers: { 201: { description: 'The role', schema: role }, ...taken },
      handle: async ({ body }) => ({ status: 201, body: await house.createRole(body) }),
    }),
    route({
      method: 'GET',
      path: '/roles/{roleId}',
      operationId: 'getRole',
      summary: 'A role',
      tag: 'Roles',
      pathSchemas: { roleId },
      serves: ['AC-5'],
      answers: { 200: { description: 'The role', schema: role }, ...absent },
      handle: async ({ path }) => ({ status: 200, body: existing(await access.db.role(path), 'role') }),
    }),
    route({
      method: 'PATCH',
      path: '/roles/{roleId}',
      operationId: 'renameRole',
      summary: 'Rename a role; a job writes the name at its holders',
      tag: 'Roles',
      pathSchemas: { roleId },
      serves: ['AC-W9'],
      body: z.object({ roleName: text }),
      answers: { 202: { description: 'The job', schema: begun }, ...absent },
      handle: async ({ path, body }) => ({
        status: 202,
        body: { jobId: await renameRole(access, { ...path, ...body }) },
      }),
    }),
    route({
      method: 'GET',
      path: '/roles/{roleId}/policies',
      operationId: 'getPoliciesOfRole',
      summary: 'The policies of a role',
      tag: 'Roles',
      pathSchemas: { roleId },
      serves: ['AC-2'],
      answers: { 200: { description: 'The policies', schema: listOf(link) } },
      handle: async ({ path }) => ({
        status: 200,
        body: { items: await collect(access.db.policiesOfRole.each(path)) },
      }),
    }),
    route({
      method: 'GET',
      path: '/roles/{roleId}/users',
      operationId: 'getHoldersOfRole',
      summary: 'The holders of a role',
      tag: 'Roles',
      pathSchemas: { roleId },
      serves: ['AC-9'],
      query: z.object({ cursor }),
      answers: { 200: { description: 'A page', schema: listOf(holding) } },
      handle: async ({ path, query }) => ({
        status: 200,
        body: await house.page(
          ['holders', path.roleId],
          query.cursor,
          async (at) => await access.db.holdersOfRole(path, { cursor: at }),
        ),
      }),
    }),
    route({
      method: 'PUT',
      path: '/roles/{roleId}/policies/{policyId}',
      operationId: 'attachPolicy',
      summary: 'Attach a policy to a role; a job gives it to the holders',
      tag: 'Roles',
      pathSchemas: linkPath,
      serves: ['AC-W4'],
      answers: { 202: { description: 'The job; none where the role has the policy', schema: begun }, ...absent },
      handle: async ({ path }) => ({ status: 202, body: { jobId: await house.attachPolicy(path) } }),
    }),
    route({
      method: 'DELETE',
      path: '/roles/{roleId}/policies/{policyId}',
      operationId: 'detachPolicy',
      summary: 'Detach a policy from a role; a job takes it from the holders',
      tag: 'Roles',
      pathSchemas: linkPath,
      serves: ['AC-W5'],
      answers: { 202: { description: 'The job', schema: begun }, ...absent },
      handle: async ({ path }) => ({ status: 202, body: { jobId: await detachPolicy(access, path) } }),
    }),
  ];
}

function policyRoutes(house: Gatehouse): readonly Route[] {
  const { access } = house;
  const pathSchemas = { policyId: id };
  return [
    route({
      method: 'POST',
      path: '/policies',
      operationId: 'createPolicy',
      summary: 'Create a policy',
      tag: 'Policies',
      serves: ['AC-W1'],
      body: z.object({ policyId: id, policyName: text, document: policyDocument }),
      answers: { 201: { description: 'The policy', schema: policy }, ...taken },
      handle: async ({ body: { document, ...named } }) => ({
        status: 201,
        body: policyShown(await house.createPolicy({ ...named, policy: document })),
      }),
    }),
    route({
      method: 'GET',
      path: '/policies/{policyId}',
      operationId: 'getPolicy',
      summary: 'A policy',
      tag: 'Policies',
      pathSchemas,
      serves: ['AC-4'],
      answers: { 200: { description: 'The policy', schema: policy }, ...absent },
      handle: async ({ path }) => ({
        status: 200,
        body: policyShown(existing(await access.db.policy(path), 'policy')),
      }),
    }),
    route({
      method: 'PUT',
      path: '/policies/{policyId}',
      operationId: 'updatePolicy',
      summary: 'Change a policy, with its copies at once or by the queue',
      description: 'The same change again, while nothing else has changed the policy, is answered as the first one.',
      tag: 'Policies',
      pathSchemas,
      serves: ['AC-P1', 'AC-P2', 'AC-P3', 'AC-W11', 'AC-W12'],
      body: z.object({ document: policyDocument, policyName: text.optional(), version, mode: mode.default('auto') }),
      answers: {
        200: {
          description: 'What was written',
          schema: z.object({
            version,
            mode: z.enum(['immediate', 'queued']),
            copies: z.int(),
            atomic: z.boolean(),
            jobId: z.string(),
          }),
        },
        ...absent,
        409: { description: 'The policy is of another version' },
      },
      handle: async ({ path, body }) => ({ status: 200, body: await changedOnce(house, { ...path, ...body }) }),
    }),
    route({
      method: 'DELETE',
      path: '/policies/{policyId}',
      operationId: 'deletePolicy',
      summary: 'Delete a policy; its copies go by the queue',
      tag: 'Policies',
      pathSchemas,
      serves: ['AC-W10'],
      answers: { 204: { description: 'Deleted' }, ...absent },
      handle: async ({ path }) => {
        await access.db.deletePolicy(path);
        return { status: 204 };
      },
    }),
    route({
      method: 'GET',
      path: '/policies/{policyId}/copies',
      operationId: 'getCopiesOfPolicy',
      summary: 'Those to whom a policy applies, with the version that they have',
      tag: 'Policies',
      pathSchemas,
      serves: ['AC-10'],
      query: z.object({ cursor }),
      answers: { 200: { description: 'A page', schema: listOf(copy) } },
      handle: async ({ path, query }) => {
        const page = await house.page(
          ['copies', path.policyId],
          query.cursor,
          async (at) => await access.db.copiesOfPolicy(path, { cursor: at }),
        );
        return { status: 200, body: { ...page, items: page.items.map(copyShown) } };
      },
    }),
    route({
      method: 'GET',
      path: '/policies/{policyId}/roles',
      operationId: 'getRolesWithPolicy',
      summary: 'The roles that contain a policy',
      tag: 'Policies',
      pathSchemas,
      serves: ['AC-11'],
      query: z.object({ cursor }),
      answers: { 200: { description: 'A page', schema: listOf(link) } },
      handle: async ({ path, query }) => ({
        status: 200,
        body: await house.page(
          ['roles', path.policyId],
          query.cursor,
          async (at) => await access.db.rolesWithPolicy(path, { cursor: at }),
        ),
      }),
    }),
  ];
}

function jobRoutes(house: Gatehouse): readonly Route[] {
  const jobPath = { jobId: z.string().min(1).max(300) };
  return [
    route({
      method: 'GET',
      path: '/jobs',
      operationId: 'getJobs',
      summary: 'Jobs that are due, whose worker has not come back, or that were given up',
      tag: 'Queue',
      serves: ['AC-14', 'AC-16'],
      query: z.object({ state: z.enum(JOB_STATES) }),
      answers: { 200: { description: 'The jobs', schema: listOf(job) } },
      handle: async ({ query }) => ({
        status: 200,
        body: { items: (await house.jobs(query.state)).map(jobShown) },
      }),
    }),
    route({
      method: 'GET',
      path: '/jobs/{jobId}',
      operationId: 'getJob',
      summary: 'How far a job is',
      tag: 'Queue',
      pathSchemas: jobPath,
      serves: ['AC-15'],
      answers: { 200: { description: 'The job', schema: job }, ...absent },
      handle: async ({ path }) => ({
        status: 200,
        body: jobShown(existing(await house.access.db.job(path, { consistent: true }), 'job')),
      }),
    }),
    route({
      method: 'POST',
      path: '/jobs/{jobId}/redrive',
      operationId: 'redrive',
      summary: 'Give a dead job five more attempts',
      tag: 'Queue',
      pathSchemas: jobPath,
      serves: ['AC-P6'],
      answers: { 204: { description: 'Queued' }, 409: { description: 'It is not dead' } },
      handle: async ({ path }) => {
        await house.queue.redrive(path.jobId);
        return { status: 204 };
      },
    }),
    route({
      method: 'PUT',
      path: '/worker',
      operationId: 'switchWorker',
      summary: 'Let the worker of this process work, or stop it',
      tag: 'Queue',
      serves: ['AC-P4', 'AC-P5', 'AC-P7'],
      body: z.object({ isOn: z.boolean() }),
      answers: { 204: { description: 'Switched' } },
      handle: async ({ body }) => {
        house.worker.isOn = body.isOn;
        return await Promise.resolve({ status: 204 });
      },
    }),
  ];
}

/** A change of a policy as requested. */
export interface WantedChange {
  readonly policyId: string;
  readonly document: z.output<typeof policyDocument>;
  readonly policyName?: string | undefined;
  /** The version that was read. */
  readonly version: number;
  readonly mode: z.output<typeof mode>;
}

type ShownUpdate = Omit<PolicyUpdate, 'policyVersion'> & { readonly version: number };

/** AC-W11 and AC-W12. @throws {HttpError} 409 if the policy has changed since it was read. */
export async function changed({ access }: Gatehouse, wanted: WantedChange): Promise<ShownUpdate> {
  const { policyId, mode: how } = wanted;
  existing(await access.db.policy({ policyId }, { consistent: true }), 'policy');
  try {
    return updateShown(await updatePolicy(access, changeOf(wanted), { mode: how }));
  } catch (error) {
    if (!(error instanceof RuleError) || error.code === 'busy') throw error;
    const detail = 'The policy was changed meanwhile. Look at it again.';
    throw new HttpError(409, 'stale', detail, {}, [{ field: 'version', detail: 'is not that of the policy' }]);
  }
}

/** The same; if an earlier attempt has made this change and its answer was lost, the answer to that. */
async function changedOnce(house: Gatehouse, wanted: WantedChange): Promise<ShownUpdate> {
  const isStale = (error: unknown): boolean => error instanceof HttpError && error.code === 'stale';
  return await orAlready(changed(house, wanted), isStale, async () => {
    const earlier = await earlierUpdate(house.access, changeOf(wanted), { mode: wanted.mode });
    return earlier && updateShown(earlier);
  });
}

function changeOf({ policyId, document, policyName, version: known }: WantedChange): PolicyChange {
  return { policyId, known, policy: document, ...(policyName !== undefined && { policyName }) };
}

function updateShown({ policyVersion, ...done }: PolicyUpdate): ShownUpdate {
  return { version: policyVersion, ...done };
}

function policyShown({
  policy: document,
  policyId,
  policyName,
  policyVersion,
}: {
  policy: z.output<typeof policyDocument>;
  policyId: string;
  policyName: string;
  policyVersion: number;
}): z.output<typeof policy> {
  return { policyId, policyName, policyVersion, document };
}

function copyShown({
  userId,
  policyId,
  policyName,
  policyVersion,
  viaRoles,
}: {
  userId: string;
  policyId: string;
  policyName: string;
  policyVersion: number;
  viaRoles: ReadonlySet<string>;
}): z.output<typeof copy> {
  return { userId, policyId, policyName, policyVersion, because: [...viaRoles] };
}

function jobShown({ jobId, jobType, targetId, status, phase, attempts, lastError }: Job): z.output<typeof job> {
  return {
    jobId,
    type: jobType,
    target: targetId,
    status,
    phase,
    attempts,
    ...(lastError !== undefined && { lastError }),
  };
}
