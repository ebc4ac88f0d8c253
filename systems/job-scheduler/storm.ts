/** The job scheduler in a storm: every scheduled job is done, by workers some of which do not come back. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { StormStory } from '../testing/storm.ts';
import { jobScheduler } from './model.ts';
import { Scheduler } from './scheduler.ts';

const ROUNDS_MAX = 60;
const LEASE_SECONDS = 60;

export const story: StormStory = {
  model: jobScheduler,
  invariant: 'no job is lost, and none is repeated after its end',
  play: async (storm) => {
    const { client, clock } = storm;
    // A claim whose answer is lost counts as an attempt, and the job waits for the end of the lease, so many attempts are allowed here.
    const options = { client, tableName: 'jobs', clock, newId: randomUUID, attemptsMax: 1_000 };
    const scheduler = new Scheduler({ ...options, leaseSeconds: LEASE_SECONDS });
    const scheduled = new Set<string>();
    await storm.callers(12, async (number) => {
      const job = { jobId: `job${number}`, JobName: 'mail', dueAt: '2026-03-02T07:00:00Z' };
      if ((await storm.insist(async () => scheduler.schedule(job))) !== 'unknown') scheduled.add(job.jobId);
    });
    const acted = new Map<string, number>();
    const ended = new Set<string>();
    const wrong: string[] = [];
    const finishes = async (): Promise<boolean> => {
      const left = await Promise.all(
        [...scheduled].map(
          async (jobId) => (await scheduler.db.job({ jobId }, { consistent: true }))?.status !== 'done',
        ),
      ).catch(() => [true]);
      return !left.includes(true);
    };
    for (let round = 0; round < ROUNDS_MAX && !(await finishes()); round += 1) {
      await storm.callers(8, async () => {
        const work = async (): Promise<void> => {
          const claim = await scheduler.claimNext();
          if (claim === undefined) return;
          const { jobId } = claim.job;
          if (ended.has(jobId)) wrong.push(`${jobId} was handed out again after its end`);
          acted.set(jobId, (acted.get(jobId) ?? 0) + 1);
          if (storm.below(5) === 0) return; // The worker does not come back.
          if ((await storm.attempt(async () => scheduler.complete(claim))) === 'done') ended.add(jobId);
        };
        await storm.attempt(work);
      });
      clock.setToMs(clock.nowMs() + (LEASE_SECONDS + 1) * 1000);
    }
    await storm.over();

    expect(wrong).toEqual([]);
    expect(await scheduler.dueBy()).toEqual([]);
    const jobs = await storm.table('jobs').scan();
    expect(jobs.map(({ jobId, status }) => `${String(jobId)} ${String(status)}`).toSorted()).toEqual(
      [...scheduled].map((jobId) => `${jobId} done`).toSorted(),
    );
    expect([...scheduled].filter((jobId) => !acted.has(jobId))).toEqual([]);
  },
};
