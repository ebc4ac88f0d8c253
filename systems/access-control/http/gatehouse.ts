import { collect, type Access, type Job, timeOf } from '../access.ts';
import { epochSecondsOf } from '../../clock.ts';
import { HttpError } from '../../http/http-error.ts';
import { opened, sealed } from '../../http/sealed.ts';
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
