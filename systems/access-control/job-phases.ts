import { type Page, RuleError, transact, type WriteOperation } from '@singlet/model';
import type { Access, Job } from './access.ts';
import { reasonOf } from './access.ts';
import { AccessError } from './errors.ts';
import { copyOperations, removeReason } from './grants.ts';

/** One page of a phase: how many items were repaired, and where to continue. */
export interface PageResult {
  readonly repaired: number;
  readonly cursor: string | undefined;
}

/** A part of a job that processes pages. Every page can be repeated; it then finds nothing to repair. */
export interface Phase {
  readonly name: string;
  /** Reads the table itself, strongly consistent, so that nothing must be verified later. */
  readonly isExact: boolean;
  readonly page: (cursor: string | undefined) => Promise<PageResult>;
}

const AT_ONCE = 25;
const ATTEMPTS_MAX = 8;

/** The phases of a job. */
export async function phasesOf(access: Access, job: Job): Promise<Phase[]> {
  switch (job.jobType) {
    case 'POLICY_UPDATE':
    case 'POLICY_DELETE':
      return await policyPhases(access, needed(job, 'policyId'));
    case 'ROLE_UPDATE':
      return await rolePhases(access, needed(job, 'roleId'));
    case 'ATTACH':
      return [attachPhase(access, needed(job, 'roleId'), needed(job, 'policyId'))];
    case 'DETACH':
      return [detachPhase(access, needed(job, 'roleId'), needed(job, 'policyId'))];
    case 'ASSIGN':
      return [assignPhase(access, needed(job, 'userId'), needed(job, 'roleId'))];
    case 'REVOKE':
      return [revokePhase(access, needed(job, 'userId'), needed(job, 'roleId'))];
  }
}

/** The policy's present state. A version newer than the job's is written just as well. If the policy is gone, its copies are deleted. */
async function policyPhases({ db, keeper }: Access, policyId: string): Promise<Phase[]> {
  const policy = await db.policy({ policyId }, { consistent: true });
  const names = { UserPolicy: 'users', RolePolicy: 'roles' } as Readonly<Record<string, string>>;
  if (policy !== undefined) {
    return keeper
      .copies('Policy')
      .toSorted((a, b) => order.indexOf(a.entity) - order.indexOf(b.entity))
      .map((copies) =>
        inexact(names[copies.entity] ?? copies.entity, async (cursor) => {
          const page = await keeper.page(copies, policy, { cursor });
          return { repaired: page.rewritten, cursor: page.cursor };
        }),
      );
  }
  return [
    pages(
      'users',
      false,
      async (cursor) => await db.copiesOfPolicy({ policyId }, { cursor }),
      async ({ userId }) => {
        await db.removeCopy({ userId, policyId });
        return true;
      },
    ),
    pages(
      'roles',
      false,
      async (cursor) => await db.rolesWithPolicy({ policyId }, { cursor }),
      async ({ roleId }) => {
        await db.removeLink({ roleId, policyId });
        return true;
      },
    ),
  ];
}

/** Users first, because their copies decide. */
const order = ['UserPolicy', 'RolePolicy'];

async function rolePhases({ db, keeper }: Access, roleId: string): Promise<Phase[]> {
  const role = await db.role({ roleId }, { consistent: true });
  if (role === undefined) return [];
  return keeper.copies('Role').map((copies) =>
    inexact('users', async (cursor) => {
      const page = await keeper.page(copies, role, { cursor });
      return { repaired: page.rewritten, cursor: page.cursor };
    }),
  );
}

/** The holders of the role get the policy. */
function attachPhase(access: Access, roleId: string, policyId: string): Phase {
  const read = async (cursor: string | undefined) => await access.db.holdersOfRole({ roleId }, { cursor });
  return pages('users', false, read, async ({ userId }) => await give(access, { userId, roleId, policyId }));
}

/** Copies of the policy lose the role. Found by the policy, since a user who lost the role is no longer a holder. */
function detachPhase(access: Access, roleId: string, policyId: string): Phase {
  const { db } = access;
  const read = async (cursor: string | undefined) => await db.copiesOfPolicy({ policyId }, { cursor });
  return pages('users', false, read, async ({ userId }) => {
    return await take(access, { userId, roleId, policyId }, db.policyNotAttached.op({ roleId, policyId }));
  });
}

/** The user gets the policies of the role. */
function assignPhase(access: Access, userId: string, roleId: string): Phase {
  const read = async (cursor: string | undefined) =>
    await access.db.policiesOfRole({ roleId }, { cursor, consistent: true, limit: 100 });
  return pages('policies', true, read, async ({ policyId }) => await give(access, { userId, roleId, policyId }));
}

/** The user's copies lose the role. */
function revokePhase(access: Access, userId: string, roleId: string): Phase {
  const { db } = access;
  const read = async (cursor: string | undefined) =>
    await db.policiesOfUser({ userId }, { cursor, consistent: true, limit: 100 });
  return pages('policies', true, read, async ({ policyId }) => {
    return await take(access, { userId, roleId, policyId }, db.roleNotHeld.op({ userId, roleId }));
  });
}

interface Edge {
  readonly userId: string;
  readonly roleId: string;
  readonly policyId: string;
}

/**
 * Writes the role as a reason of a copy, if both edges exist: the user holds the role, and the role contains the policy. An
 * index page alone is not sufficient evidence.
 *
 * @returns whether there was anything to write.
 */
async function give(access: Access, { userId, roleId, policyId }: Edge): Promise<boolean> {
  const { db } = access;
  const reason = reasonOf(roleId);
  return await untilDecided(policyId, async () => {
    const copy = await db.policyOfUser({ userId, policyId }, { consistent: true });
    if (copy?.viaRoles.has(reason) === true) return false;
    const policy = await db.policy({ policyId }, { consistent: true });
    if (policy === undefined) return false;
    try {
      await transact(db, [
        db.roleHeld.op({ userId, roleId }),
        db.policyAttached.op({ roleId, policyId }),
        ...copyOperations(access, { userId, policy, reason }),
      ]);
      return true;
    } catch (error) {
      return failedOn(error, 'UserRole', 'RolePolicy') ? false : again(error);
    }
  });
}

/**
 * Removes the role from the reasons of a copy, if one of the edges is missing, which `absence` checks.
 *
 * @returns whether there was anything to remove.
 */
async function take(access: Access, { userId, roleId, policyId }: Edge, absence: WriteOperation): Promise<boolean> {
  const { db } = access;
  const reason = reasonOf(roleId);
  return await untilDecided(policyId, async () => {
    const copy = await db.policyOfUser({ userId, policyId }, { consistent: true });
    if (copy === undefined || !copy.viaRoles.has(reason)) return false;
    try {
      await transact(db, [absence, removeReason(access, { ...copy, reason })]);
      return true;
    } catch (error) {
      return failedOn(error, 'UserRole', 'RolePolicy') ? false : again(error);
    }
  });
}

function failedOn(error: unknown, ...entities: readonly string[]): boolean {
  return error instanceof RuleError && error.failures.some(({ entity }) => entities.includes(entity));
}

/** Returns undefined if an item has changed, so that the caller reads again. */
function again(error: unknown): undefined {
  if (!(error instanceof RuleError)) throw error;
}

async function untilDecided(what: string, attempt: () => Promise<boolean | undefined>): Promise<boolean> {
  for (let count = 0; count < ATTEMPTS_MAX; count += 1) {
    const decided = await attempt();
    if (decided !== undefined) return decided;
  }
  throw new AccessError('busy', `Copies of ${what} are being changed by too many at once`);
}

function inexact(name: string, page: Phase['page']): Phase {
  return { name, isExact: false, page };
}

/** A phase that processes each item of each page. */
function pages<Item>(
  name: string,
  isExact: boolean,
  read: (cursor: string | undefined) => Promise<Page<Item>>,
  each: (item: Item) => Promise<boolean>,
): Phase {
  const page = async (from: string | undefined): Promise<PageResult> => {
    const { items, cursor } = await read(from);
    let repaired = 0;
    for (let at = 0; at < items.length; at += AT_ONCE) {
      const done = await Promise.all(items.slice(at, at + AT_ONCE).map(each));
      repaired += done.filter(Boolean).length;
    }
    return { repaired, cursor };
  };
  return { name, isExact, page };
}

function needed(job: Job, name: 'policyId' | 'roleId' | 'userId'): string {
  const value = job[name];
  if (value === undefined) throw new AccessError('job-missing', `${job.jobId} does not say its ${name}`);
  return value;
}
