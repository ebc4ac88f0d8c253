import assert from 'node:assert/strict';
import { tableDefinitions } from '@singlet/model';
import { isoSeconds, ManualClock } from '../clock.ts';
import type { Demo, Stage } from '../demo/demo.ts';
import { jobScheduler } from './model.ts';
import { Scheduler } from './scheduler.ts';
import { seedJobs } from './seed.ts';

const STARTS_AT = '2026-11-02T00:00:00Z';
const QUARTER_SECONDS = 900;
const QUARTERS = 96;

export interface JobSchedulerDemoOptions {
  /** The scale of the day's jobs: 1 is 100,000. */
  readonly scale?: number;
}

/** A day of two workers: jobs that fail, a worker that dies, a job that recurs every hour. */
export function jobSchedulerDemo({ scale = 0.005 }: JobSchedulerDemoOptions = {}): Demo {
  const [table] = tableDefinitions(jobScheduler);
  assert(table !== undefined, 'the model has a table');
  return {
    title: 'Job scheduler: a day of jobs',
    table,
    patterns: [
      { id: 'JS-1', title: 'Jobs that are due' },
      { id: 'JS-2', title: 'Job' },
      { id: 'JS-3', title: 'Jobs due in a window' },
      { id: 'JS-4', title: 'Next due time' },
      { id: 'JS-W1', title: 'Schedule' },
      { id: 'JS-W2', title: 'Claim' },
      { id: 'JS-W3', title: 'Complete' },
      { id: 'JS-W4', title: 'Fail' },
      { id: 'JS-W5', title: 'Complete a recurring job' },
      { id: 'JS-W6', title: 'Cancel' },
      { id: 'JS-W7', title: 'Reschedule' },
    ],
    play: async (stage) => {
      await play(stage, scale);
    },
  };
}

async function play({ terminal, client, tableName, ledger, signal }: Stage, scale: number): Promise<void> {
  const clock = new ManualClock(STARTS_AT);
  let ids = 0;
  const scheduler = new Scheduler({ client, tableName, clock, newId: () => `claim${(ids += 1)}`, attemptsMax: 5 });
  const { db } = scheduler;
  const seeded = await seedJobs(scheduler, STARTS_AT, scale);
  const day = { jobId: 'report', JobName: 'Report', dueAt: isoSeconds(clock.nowMs() / 1000) };
  await ledger.during('JS-W1', async () => await scheduler.schedule({ ...day, schedule: { everySeconds: 3600 } }));
  terminal.line(`${seeded} jobs are due in the course of a day, and a report every hour. One attempt in twenty fails.`);
  await ledger.during('JS-W6', async () => await scheduler.cancel('1'));
  await ledger.during('JS-W7', async () => await scheduler.reschedule('2', '2026-11-02T23:59:00Z'));
  await ledger.during(
    'JS-3',
    async () => await db.jobsInWindow({ dueAt: { from: STARTS_AT, to: '2026-11-02T00:30:00Z' } }),
  );

  const tally = { done: 0, failed: 0, reports: 0, died: 0 };
  const progress = terminal.progress(QUARTERS);
  try {
    for (let quarter = 1; quarter <= QUARTERS; quarter += 1) {
      signal.throwIfAborted();
      clock.setToMs(Date.parse(STARTS_AT) + quarter * QUARTER_SECONDS * 1000);
      await workQuarter();
      progress.step(isoSeconds(clock.nowMs() / 1000));
    }
  } finally {
    progress.finish();
  }
  const report = await ledger.during('JS-2', async () => await db.job({ jobId: 'report' }));
  terminal.line();
  terminal.line(
    `${tally.done} jobs were done, ${tally.failed} attempts failed, ${tally.died} workers died; ${tally.reports} reports, the next at ${report?.dueAt ?? 'no time'}.`,
  );

  /** All jobs that are due by now, until the next due time is in the future. */
  async function workQuarter(): Promise<void> {
    const now = isoSeconds(clock.nowMs() / 1000);
    while (((await ledger.during('JS-4', async () => await scheduler.nextDueAt())) ?? '9') <= now) {
      for (const job of await ledger.during('JS-1', async () => await scheduler.dueBy())) {
        const claim = await ledger.during('JS-W2', async () => await scheduler.claim(job));
        if (claim === undefined) continue;
        const turn = ids % 20;
        if (turn === 7) {
          // Its lease runs out, and the job becomes due again without further action.
          tally.died += 1;
        } else if (turn === 13) {
          await ledger.during('JS-W4', async () => await scheduler.fail(claim));
          tally.failed += 1;
        } else {
          const recurring = claim.job.schedule !== undefined;
          await ledger.during(recurring ? 'JS-W5' : 'JS-W3', async () => await scheduler.complete(claim));
          tally[recurring ? 'reports' : 'done'] += 1;
        }
      }
    }
  }
}
