import { RuleError, transact, type WriteOperation } from '@singlet/model';
import type { Access, Policy } from './access.ts';
import { collect, DIRECTLY, reasonOf } from './access.ts';
import { AccessError } from './errors.ts';
import { roleJob } from './job-orders.ts';

const ACTIONS_MAX = 100;
const ATTEMPTS_MAX = 8;

/**
 * AC-W4. Attaches a policy to a role. The job gives it to the holders of the role.
 *
 * @returns the job's id.
 */
export async function attachPolicy(access: Access, link: { roleId: string; policyId: string }): Promise<string> {
  const { db } = access;
  return await repeated(link.roleId, async () => {
    const [policy, role] = await Promise.all([
      db.policy({ policyId: link.policyId }, { consistent: true }),
      db.role({ roleId: link.roleId }, { consistent: true }),
    ]);
    if (policy === undefined) throw new AccessError('no-policy', `There is no policy ${link.policyId}`);
    if (role === undefined) throw new AccessError('no-role', `There is no role ${link.roleId}`);
    const { policyId, policyName, policyVersion } = policy;
    const job = roleJob(access, 'ATTACH', { ...link, version: role.roleVersion + 1 });
    await db.attachPolicy({
      policy: { policyId, known: policyVersion },
      role: { roleId: link.roleId },
      link: { ...link, policyName, policyVersion },
      job,
    });
    return job.jobId;
  });
}

/**
 * AC-W5. Detaches a policy from a role. The job removes the reason from the copies.
 *
 * @returns the job's id.
 */
export async function detachPolicy(access: Access, link: { roleId: string; policyId: string }): Promise<string> {
  const role = await access.db.role({ roleId: link.roleId });
  const job = roleJob(access, 'DETACH', { ...link, version: (role?.roleVersion ?? 0) + 1 });
  await access.db.detachPolicy({ link, role: { roleId: link.roleId }, job });
  return job.jobId;
}

/**
 * AC-W9. Renames a role. The job writes the name on the holders' items.
 *
 * @returns the job's id.
 */
export async function renameRole(access: Access, change: { roleId: string; roleName: string }): Promise<string> {
  const role = await access.db.role({ roleId: change.roleId });
  const job = roleJob(access, 'ROLE_UPDATE', { roleId: change.roleId, version: (role?.roleVersion ?? 0) + 1 });
  await access.db.renameRole({ role: change, job });
  return job.jobId;
}

/** The items on which the decision about an assignment is based. */
export interface Assignment {
  readonly userId: string;
  readonly roleId: string;
  readonly roleName: string;
  readonly roleVersion: number;
  readonly policies: readonly Policy[];
}

/** The reads of AC-W6. The role's version is read before its list of policies, so that a later change is detected. */
export async function readAssignment(
  { db }: Access,
  { userId, roleId }: { userId: string; roleId: string },
): Promise<Assignment> {
  const role = await db.role({ roleId }, { consistent: true });
  if (role === undefined) throw new AccessError('no-role', `There is no role ${roleId}`);
  const links = await collect(db.policiesOfRole.each({ roleId }, { consistent: true }));
  const roots = await db.policyRoots(links.map(({ policyId }) => ({ policyId })));
  // Skips a policy whose root is gone: the job that deletes its copies is pending.
  return { userId, ...role, policies: roots.filter((root) => root !== undefined) };
}

/**
 * The transaction of AC-W6. It is refused if the role or one of its policies has changed since it was read.
 *
 * @returns the id of the job that writes the copies, if they are too many for one transaction.
 */
export async function assign(access: Access, assignment: Assignment): Promise<string | undefined> {
  const { db } = access;
  const { userId, roleId, roleName, roleVersion, policies } = assignment;
  const own = [
    db.userThere.op({ userId }),
    db.roleUnchanged.op({ roleId, known: roleVersion }),
    db.holdRole.op({ userId, roleId, roleName, roleVersion }),
  ];
  const copies = policies.flatMap((policy) => copyOperations(access, { userId, policy, reason: reasonOf(roleId) }));
  if (own.length + copies.length <= ACTIONS_MAX) {
    await transact(db, [...own, ...copies]);
    return undefined;
  }
  const job = roleJob(access, 'ASSIGN', { roleId, userId, version: roleVersion });
  await transact(db, [...own, db.queueJob.op(job)]);
  return job.jobId;
}

/** AC-W6. Gives a user a role, with a copy of each of its policies. */
export async function assignRole(
  access: Access,
  holding: { userId: string; roleId: string },
): Promise<string | undefined> {
  return await repeated(holding.roleId, async () => await assign(access, await readAssignment(access, holding)));
}

/** AC-W6 without a role: gives a user a policy directly. */
export async function givePolicy(access: Access, given: { userId: string; policyId: string }): Promise<void> {
  const { db } = access;
  const { userId, policyId } = given;
  await repeated(policyId, async () => {
    const policy = await db.policy({ policyId }, { consistent: true });
    if (policy === undefined) throw new AccessError('no-policy', `There is no policy ${policyId}`);
    await transact(db, [db.userThere.op({ userId }), ...copyOperations(access, { userId, policy, reason: DIRECTLY })]);
  });
}

/** AC-W7 without a role: withdraws a policy that was given directly. */
export async function withdrawPolicy(access: Access, given: { userId: string; policyId: string }): Promise<void> {
  const { db } = access;
  await repeated(given.policyId, async () => {
    const copy = await db.policyOfUser(given, { consistent: true });
    if (copy === undefined || !copy.viaRoles.has(DIRECTLY)) {
      throw new AccessError('not-held', `${given.userId} was not given ${given.policyId} directly`);
    }
    await transact(db, [removeReason(access, { ...copy, reason: DIRECTLY })]);
  });
}

/** The items on which the decision about a revocation is based. */
export interface Revocation {
  readonly userId: string;
  readonly roleId: string;
  readonly roleVersion: number;
  /** The role's policies and those of the user's copies that name it, with the reasons of each copy. */
  readonly reasons: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The reads of AC-W7. */
export async function readRevocation(
  { db }: Access,
  { userId, roleId }: { userId: string; roleId: string },
): Promise<Revocation> {
  const role = await db.role({ roleId }, { consistent: true });
  if (role === undefined) throw new AccessError('no-role', `There is no role ${roleId}`);
  const links = await collect(db.policiesOfRole.each({ roleId }, { consistent: true }));
  const copies = await collect(db.policiesOfUser.each({ userId }, { consistent: true }));
  const reasons = new Map<string, ReadonlySet<string>>(links.map(({ policyId }) => [policyId, new Set<string>()]));
  for (const { policyId, viaRoles } of copies) {
    if (reasons.has(policyId) || viaRoles.has(reasonOf(roleId))) reasons.set(policyId, viaRoles);
  }
  return { userId, roleId, roleVersion: role.roleVersion, reasons };
}

/**
 * The transaction of AC-W7. It is refused if the role or one of the copies has changed since it was read.
 *
 * @returns the id of the job that removes the copies, if they are too many for one transaction.
 */
export async function revoke(access: Access, revocation: Revocation): Promise<string | undefined> {
  const { db } = access;
  const { userId, roleId, roleVersion, reasons } = revocation;
  const reason = reasonOf(roleId);
  const drop = db.dropRole.op({ userId, roleId });
  if (2 + reasons.size <= ACTIONS_MAX) {
    const copies = [...reasons].map(([policyId, viaRoles]) =>
      viaRoles.has(reason)
        ? removeReason(access, { userId, policyId, viaRoles, reason })
        : db.noReason.op({ userId, policyId, reason }),
    );
    await transact(db, [db.roleUnchanged.op({ roleId, known: roleVersion }), drop, ...copies]);
    return undefined;
  }
  const job = roleJob(access, 'REVOKE', { roleId, userId, version: roleVersion });
  await transact(db, [drop, db.queueJob.op(job)]);
  return job.jobId;
}

/** AC-W7. Takes a role from a user, and the copies that have no other reason. */
export async function revokeRole(
  access: Access,
  holding: { userId: string; roleId: string },
): Promise<string | undefined> {
  return await repeated(holding.roleId, async () => await revoke(access, await readRevocation(access, holding)));
}

/** The copy of a policy for one more reason, if the policy is still of this version. */
export function copyOperations(
  { db }: Access,
  { userId, policy, reason }: { userId: string; policy: Policy; reason: string },
): WriteOperation[] {
  const { policyId, policyName, policyVersion } = policy;
  return [
    db.policyUnchanged.op({ policyId, known: policyVersion }),
    db.giveCopy.op({ userId, policyId, policyName, policy: policy.policy, policyVersion, reason }),
  ];
}

/** Removes one reason from a copy, and the copy itself with its last reason. */
export function removeReason(
  { db }: Access,
  copy: { userId: string; policyId: string; viaRoles: ReadonlySet<string>; reason: string },
): WriteOperation {
  const { userId, policyId, viaRoles, reason } = copy;
  return viaRoles.size === 1
    ? db.dropCopy.op({ userId, policyId, reasons: new Set([reason]) })
    : db.takeReason.op({ userId, policyId, reason });
}

/** Reads, decides and writes again if the items have changed between the read and the write. */
async function repeated<Result>(what: string, attempt: () => Promise<Result>): Promise<Result> {
  let last: unknown;
  for (let count = 0; count < ATTEMPTS_MAX; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
      const final = finalRefusal(error);
      if (final !== undefined) throw final;
      last = error;
    }
  }
  throw new AccessError('busy', `${what} is being changed by too many at once`, { cause: last });
}

/** A refusal that reading again does not change. */
function finalRefusal(error: RuleError): AccessError | undefined {
  for (const { code, entity } of error.failures) {
    if (code === 'not-found' && entity === 'User')
      return new AccessError('no-user', 'There is no such user', { cause: error });
    if (code === 'not-found' && entity === 'UserRole') {
      return new AccessError('not-held', 'The user does not have the role', { cause: error });
    }
    if (code === 'already-exists') {
      return new AccessError('already-held', `${entity === 'UserRole' ? 'The user' : 'The role'} has it already`, {
        cause: error,
      });
    }
  }
  return undefined;
}
