import { isDeepStrictEqual } from 'node:util';
import { type Access, collect, type Job, type Policy } from './access.ts';
import { AccessError } from './errors.ts';
import { policyJobId } from './job-orders.ts';

/** All copies together with the change, or the change alone and the copies through the queue. `auto`: together for up to 99 copies. */
export type UpdateMode = 'immediate' | 'queued' | 'auto';

/** A change of a policy that still has the version `known`. */
export interface PolicyChange {
  readonly policyId: string;
  readonly known: number;
  readonly policyName?: string;
  readonly policy?: Policy['policy'];
}

/** The result of an update. */
export interface PolicyUpdate {
  readonly policyVersion: number;
  readonly mode: 'immediate' | 'queued';
  /** Copies written with the change. */
  readonly copies: number;
  /** Whether the change and its copies were one transaction. */
  readonly atomic: boolean;
  /** The job that the trigger queues for the change, also for an immediate one: it finds copies that an index did not show. */
  readonly jobId: string;
}

const IMMEDIATE_COPIES_MAX = 99;

/**
 * AC-W11 and AC-W12 behind one call.
 *
 * @throws {RuleError} if the policy has another version than `known`, or is gone. Then nothing is written.
 */
export async function updatePolicy(
  access: Access,
  change: PolicyChange,
  { mode = 'auto' }: { readonly mode?: UpdateMode } = {},
): Promise<PolicyUpdate> {
  const policyVersion = change.known + 1;
  const jobId = policyJobId(change.policyId, policyVersion);
  const chosen = mode === 'auto' ? await chooseMode(access, change.policyId) : mode;
  if (chosen === 'queued') {
    await access.db.changePolicy(change);
    return { policyVersion, mode: chosen, copies: 0, atomic: false, jobId };
  }
  const root = await access.db.policy({ policyId: change.policyId }, { consistent: true });
  const { known: _, ...changed } = change;
  const after = { ...root, ...changed, policyVersion };
  const written = await access.keeper.together(access.db.changePolicy.op(change), 'Policy', after);
  return { policyVersion, mode: chosen, ...written, jobId };
}

/**
 * The result of the same change, if an earlier attempt made it and nothing has changed the policy since.
 *
 * @returns undefined if the policy is in another state. `copies` are those that there are now.
 */
export async function earlierUpdate(
  access: Access,
  change: PolicyChange,
  { mode = 'auto' }: { readonly mode?: UpdateMode } = {},
): Promise<PolicyUpdate | undefined> {
  const { policyId, known, ...changed } = change;
  const policyVersion = known + 1;
  const found = await access.db.policy({ policyId }, { consistent: true });
  if (found === undefined || !isDeepStrictEqual({ ...found, ...changed, policyVersion }, found)) return undefined;
  const jobId = policyJobId(policyId, policyVersion);
  const chosen = mode === 'auto' ? await chooseMode(access, policyId) : mode;
  if (chosen === 'queued') return { policyVersion, mode: chosen, copies: 0, atomic: false, jobId };
  const [copies, links] = await Promise.all([
    collect(access.db.copiesOfPolicy.each({ policyId })),
    collect(access.db.rolesWithPolicy.each({ policyId })),
  ]);
  const count = copies.length + links.length;
  return { policyVersion, mode: chosen, copies: count, atomic: count <= IMMEDIATE_COPIES_MAX, jobId };
}

async function chooseMode({ db }: Access, policyId: string): Promise<'immediate' | 'queued'> {
  const limit = IMMEDIATE_COPIES_MAX + 1;
  const [copies, links] = await Promise.all([
    db.copiesOfPolicy({ policyId }, { limit }),
    db.rolesWithPolicy({ policyId }, { limit }),
  ]);
  return copies.items.length + links.items.length <= IMMEDIATE_COPIES_MAX ? 'immediate' : 'queued';
}

const POLL_MS = 250;
const POLLS_MAX = 2400;

/**
 * Waits until the job of a change is done. From then on no copy shows the old state.
 *
 * @throws {AccessError} `job-dead` for a job that was given up, `job-missing` for one that does not appear or does not end.
 */
export async function untilSettled(
  { db, pause }: Access,
  jobId: string,
  { pollsMax = POLLS_MAX }: { readonly pollsMax?: number } = {},
): Promise<Job> {
  for (let polls = 0; polls < pollsMax; polls += 1) {
    const job = await db.job({ jobId }, { consistent: true });
    if (job?.status === 'done') return job;
    if (job?.status === 'dead') throw new AccessError('job-dead', `${jobId} was given up: ${job.lastError ?? ''}`);
    await pause(POLL_MS);
  }
  throw new AccessError('job-missing', `${jobId} has not been done in time`);
}
