import { tableDefinitions } from '@singlet/model';
import { ManualClock } from '../clock.ts';
import { given, type MeasuredSystem, newNames } from '../measurement/pattern-calls.ts';
import { createTable } from '../table-lifecycle.ts';
import { jobSchedulerModel, SHARDS } from './model.ts';
import { type Claim, type Job, type NewJob, Scheduler } from './scheduler.ts';
import { seedJobs } from './seed.ts';

const TABLE_NAME = 'jobs';
const JOBS = 100_000;
const STARTS_AT = '2026-01-05T00:00:00Z';
const NOON = '2026-01-05T12:00:00Z';
const HOUR_LATER = '2026-01-05T13:00:00Z';
/** Of each shard, so that a page is full at any scale. */
const WINDOW_PAGE = 10;
const DAY_SECONDS = 86_400;
const clock = new ManualClock(NOON);

/** A call of each access pattern of the job scheduler. */
export const jobSchedulerCalls: MeasuredSystem = {
  model: jobSchedulerModel(SHARDS),
  scales: { usual: 0.5, full: 1 },
  load: async ({ client, scale, onItems }) => {
    await createTable(client, { ...tableDefinitions(jobSchedulerModel(SHARDS))[0], TableName: TABLE_NAME });
    onItems(
      await seedJobs(new Scheduler({ client, tableName: TABLE_NAME, clock, newId: newNames('') }), STARTS_AT, scale),
    );
  },
  open: ({ client, scale, random }) => {
    const scheduler = new Scheduler({ client, tableName: TABLE_NAME, clock, newId: newNames('worker-') });
    const { db } = scheduler;
    const anyJob = (): string => String(random.integer(1, Math.round(JOBS * scale)));
    const newName = newNames('new-');
    const newJob = (): NewJob => ({ jobId: newName(), JobName: 'Verbatim', InputType: 'mp3', dueAt: NOON });
    const scheduled = async (job = newJob()): Promise<string> => {
      await scheduler.schedule(job);
      return job.jobId;
    };
    const waiting = async (job = newJob()): Promise<Job> => {
      const found = await db.job({ jobId: await scheduled(job) }, { consistent: true });
      if (found === undefined) throw new ReferenceError(`${job.jobId} has just been scheduled`);
      return found;
    };
    const claimed = async (job = newJob()): Promise<Claim> => {
      const claim = await scheduler.claim(await waiting(job));
      if (claim === undefined) throw new ReferenceError(`${job.jobId} has not been tried yet`);
      return claim;
    };
    return {
      'JS-1': given(
        () => NOON,
        (time) => scheduler.dueBy(time),
      ),
      'JS-2': given(anyJob, (jobId) => db.job({ jobId })),
      'JS-3': given(
        () => ({ from: NOON, to: HOUR_LATER }),
        (dueAt) => db.jobsInWindow({ dueAt }, { limit: WINDOW_PAGE }),
      ),
      'JS-4': given(
        () => undefined,
        () => scheduler.nextDueAt(),
      ),
      'JS-W1': given(newJob, (job) => scheduler.schedule(job)),
      'JS-W2': given(waiting, (job) => scheduler.claim(job)),
      'JS-W3': given(claimed, (claim) => scheduler.complete(claim)),
      'JS-W4': given(claimed, (claim) => scheduler.fail(claim)),
      'JS-W5': given(
        () => claimed({ ...newJob(), schedule: { everySeconds: DAY_SECONDS } }),
        (claim) => scheduler.complete(claim),
      ),
      'JS-W6': given(scheduled, (jobId) => scheduler.cancel(jobId)),
      'JS-W7': given(scheduled, (jobId) => scheduler.reschedule(jobId, HOUR_LATER)),
    };
  },
};
