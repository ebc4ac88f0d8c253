import { isDeepStrictEqual } from 'node:util';
import { RuleError } from '@singlet/model';
import { collect, type Access, type Job, type Policy, timeOf } from '../access.ts';
import { epochSecondsOf } from '../../clock.ts';
import { HttpError } from '../../http/http-error.ts';
import { orAlready } from '../../http/or-already.ts';
import { opened, sealed } from '../../http/sealed.ts';
import { AccessError } from '../errors.ts';
import { assignRole, attachPolicy } from '../grants.ts';
import type { JobQueue } from '../job-queue.ts';

// What the pages and the operations share.

/** A page of a list, and the cursor of the next one. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly cursor?: string;
}

/** A worker on the queue that can be switched off. */
export interface Switch {
  isOn: boolean;
}

export const JOB_STATES = ['queued', 'lapsed', 'dead'] as const;
export type JobState = (typeof JOB_STATES)[number];

export interface GatehouseOptions {
  readonly access: Access;
  readonly queue: JobQueue;
  readonly worker: Switch;
  readonly secret: string;
}

/** Policies, the users they apply to, and the queue between them, with sign-in for visitors. */
export class Gatehouse {
  readonly access: Access;
  readonly queue: JobQueue;
  readonly worker: Switch;
  readonly #secret: string;

  constructor({ access, queue, worker, secret }: GatehouseOptions) {
    this.access = access;
    this.queue = queue;
    this.worker = worker;
    this.#secret = secret;
  }

  /** A page of a list, with a cursor that is valid for this list only. @param list - its name and subject. */
  async page<Item>(
    list: readonly string[],
    cursor: string | undefined,
    read: (
      cursor: string | undefined,
    ) => Promise<{ readonly items: readonly Item[]; readonly cursor: string | undefined }>,
  ): Promise<Listed<Item>> {
    const found = await read(cursor === undefined ? undefined : opened(this.#secret, list, cursor));
    return {
      items: found.items,
      ...(found.cursor !== undefined && { cursor: sealed(this.#secret, list, found.cursor) }),
    };
  }

  /** AC-W3, and AC-6 where the same user is there. */
  async createUser(user: { readonly userId: string; readonly userName: string; readonly orgId: string }) {
    const { db } = this.access;
    return await created(db.createUser(user), user, async () => await db.user(user, { consistent: true }));
  }

  /** AC-W2, and AC-5 where the same role is there. */
  async createRole(role: { readonly roleId: string; readonly roleName: string }) {
    const { db } = this.access;
    const asCreated = { ...role, roleVersion: 1 };
    return await created(db.createRole(role), asCreated, async () => await db.role(role, { consistent: true }));
  }

  /** AC-W1, and AC-4 where the same policy is there. */
  async createPolicy(policy: Pick<Policy, 'policyId' | 'policyName' | 'policy'>) {
    const { db } = this.access;
    const asCreated = { ...policy, policyVersion: 1 };
    return await created(db.createPolicy(policy), asCreated, async () => await db.policy(policy, { consistent: true }));
  }

  /** AC-W6. @returns the id of the job that does it, if one does; none where the user has the role already. */
  async assignRole(holding: { readonly userId: string; readonly roleId: string }): Promise<string | undefined> {
    return await unlessHeld(assignRole(this.access, holding));
  }

  /** AC-W4. @returns the id of the job that does it; none where the role has the policy already. */
  async attachPolicy(link: { readonly roleId: string; readonly policyId: string }): Promise<string | undefined> {
    return await unlessHeld(attachPolicy(this.access, link));
  }

  /** AC-14 and AC-16. Jobs that are due, whose lease has run out, or that were given up. */
  async jobs(state: JobState): Promise<readonly Job[]> {
    const { db, clock } = this.access;
    switch (state) {
      case 'queued':
        return await collect(db.dueJobs.each({ notBefore: { to: timeOf(clock) } }));
      case 'lapsed':
        return await collect(db.lapsedJobs.each({ leaseUntil: { before: epochSecondsOf(clock) } }));
      case 'dead':
        return await this.queue.dead();
    }
  }
}

/** @throws {HttpError} 404 */
export function existing<Thing>(thing: Thing | undefined, kind: string): Thing {
  if (thing === undefined) throw new HttpError(404, 'not-found', `There is no such ${kind}.`);
  return thing;
}

/** What was created, now or by an earlier attempt whose answer was lost. What has been changed since, or is another, has taken the id. */
async function created<Thing extends object>(
  creation: Promise<Thing>,
  wanted: object,
  find: () => Promise<Thing | undefined>,
): Promise<Thing> {
  const isTaken = (error: unknown): boolean => error instanceof RuleError && error.code === 'already-exists';
  return await orAlready(creation, isTaken, async () => {
    const found = await find();
    return found !== undefined && isDeepStrictEqual({ ...found, ...wanted }, found) ? found : undefined;
  });
}

async function unlessHeld(grant: Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await grant;
  } catch (error) {
    const isHeld =
      (error instanceof AccessError && error.code === 'already-held') ||
      (error instanceof RuleError && error.code === 'already-exists');
    if (isHeld) return undefined;
    throw error;
  }
}
