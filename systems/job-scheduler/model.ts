import { add, entity, model, ref, remove } from '@singlet/model';
import { z } from 'zod';

/** UTC, a day or a second. A day is due from its beginning: its text sorts before every time of the day. */
const DATES = 'a date is due at its midnight, and is written before the time of that midnight';
const due = z.union([z.iso.date(), z.iso.datetime({ precision: 0 })]);

/** The default number of partitions that jobs are spread over. */
export const SHARDS = 4;

/**
 * A table of jobs with a due time. Only waiting and running jobs are in the index, so that it stays as small as the backlog.
 *
 * @param shards - the number of partitions of the index: as many as peak writes need, at 1,000 each.
 */
export function jobSchedulerModel(shards: number) {
  const shard = `shard${shards}` as const;
  return model('jobScheduler')
    .entities({
      Job: entity(
        {
          jobId: z.string().min(1),
          JobName: z.string(),
          InputType: z.string().optional(),
          /** Due time while the job waits, end of its lease while it runs; absent when it is over. */
          dueAt: due.optional(),
          /** The requested due time, from which the next one of a recurring job is calculated. */
          scheduledFor: due.optional(),
          status: z.enum(['queued', 'running', 'done', 'dead', 'cancelled']).default('queued'),
          attempts: z.int().default(0),
          leaseUntil: z.string().optional(),
          leaseOwner: z.string().optional(),
          payload: z.record(z.string(), z.string()).optional(),
          /** Seconds between two runs of a recurring job. */
          schedule: z.object({ everySeconds: z.int().min(1) }).optional(),
        },
        { expects: { items: 100_000, bytes: 300 }, examples: { dueAt: ['2019-12-29', '2019-12-31T10:00:00Z'] } },
      ),
    })
    .relationships([])
    .patterns(
      {
        dueJobs: {
          id: 'JS-1',
          actor: 'worker',
          reads: ['Job'],
          where: { status: ['queued', 'running'] },
          unproven: DATES,
          range: 'dueAt',
          order: 'dueAt asc',
          limit: 25,
          rate: 10,
          volume: { typical: 5, most: 25 },
        },
        job: { id: 'JS-2', actor: 'operator', reads: 'Job', by: ['jobId'], rate: 20 },
        jobsInWindow: {
          id: 'JS-3',
          actor: 'operator',
          reads: ['Job'],
          where: { status: ['queued', 'running'] },
          unproven: DATES,
          range: 'dueAt',
          order: 'dueAt asc',
          limit: 100,
          rate: 0.1,
        },
        nextJob: {
          id: 'JS-4',
          actor: 'timer',
          note: 'when to look again',
          reads: ['Job'],
          where: { status: ['queued', 'running'] },
          unproven: DATES,
          order: 'dueAt asc',
          limit: 1,
          rate: 1,
          volume: { typical: 1 },
        },
        schedule: { id: 'JS-W1', actor: 'application', creates: 'Job', rate: 20 },
        claim: {
          id: 'JS-W2',
          actor: 'worker',
          note: 'the lease is the due time of a running job: when it runs out, the job is due again',
          updates: 'Job',
          by: ['jobId'],
          sets: ['leaseOwner', 'leaseUntil', 'dueAt'],
          takes: { seen: due },
          changes: { status: 'running', attempts: add(1) },
          given: { dueAt: ref('seen') },
          returns: 'new',
          rate: 20,
        },
        bury: {
          actor: 'worker',
          note: 'instead of a claim, where the attempts are used up',
          updates: 'Job',
          by: ['jobId'],
          takes: { seen: due },
          changes: { status: 'dead', dueAt: remove() },
          given: { dueAt: ref('seen') },
          rate: 0.01,
        },
        complete: {
          id: 'JS-W3',
          actor: 'worker',
          updates: 'Job',
          by: ['jobId'],
          takes: { me: z.string() },
          changes: { status: 'done', dueAt: remove(), leaseOwner: remove(), leaseUntil: remove() },
          given: { leaseOwner: ref('me') },
          rate: 20,
        },
        fail: {
          id: 'JS-W4',
          actor: 'worker',
          updates: 'Job',
          by: ['jobId'],
          sets: ['dueAt'],
          takes: { me: z.string() },
          changes: { status: 'queued', leaseOwner: remove(), leaseUntil: remove() },
          given: { leaseOwner: ref('me') },
          rate: 0.5,
        },
        giveUp: {
          actor: 'worker',
          note: 'after the last attempt',
          updates: 'Job',
          by: ['jobId'],
          takes: { me: z.string() },
          changes: { status: 'dead', dueAt: remove(), leaseOwner: remove(), leaseUntil: remove() },
          given: { leaseOwner: ref('me') },
          rate: 0.01,
        },
        repeat: {
          id: 'JS-W5',
          actor: 'worker',
          updates: 'Job',
          by: ['jobId'],
          sets: ['dueAt', 'scheduledFor'],
          takes: { me: z.string() },
          changes: { status: 'queued', attempts: 0, leaseOwner: remove(), leaseUntil: remove() },
          given: { leaseOwner: ref('me') },
          rate: 5,
        },
        cancel: {
          id: 'JS-W6',
          actor: 'application',
          updates: 'Job',
          by: ['jobId'],
          changes: { status: 'cancelled', dueAt: remove() },
          given: { status: 'queued' },
          rate: 0.1,
        },
        reschedule: {
          id: 'JS-W7',
          actor: 'application',
          updates: 'Job',
          by: ['jobId'],
          sets: ['dueAt', 'scheduledFor'],
          changes: { status: 'queued' },
          given: { status: 'queued' },
          rate: 0.1,
        },
        seedJobs: {
          actor: 'seed',
          puts: ['Job'],
          accepts: { 'put-replaces': 'sample data goes into an empty table' },
        },
      },
      { work: { actor: 'worker', takes: ['dueJobs', 'claim', 'bury', 'complete', 'repeat', 'fail', 'giveUp'] } },
    )
    .tables({ jobs: { key: ['PK', 'SK'], indexes: { GSI_1: ['GSI_1_PK', 'GSI_1_SK'] } } })
    .keys(
      {
        Job: {
          jobs: ['job:{jobId}', 'root'],
          GSI_1: { when: { status: ['queued', 'running'] }, key: [`Shard#{jobId:${shard}}`, '{dueAt}'] },
        },
      },
      { Job: { stored: { dueAt: 'GSI_1_SK' } } },
    )
    .served({
      dueJobs: { query: 'GSI_1', fanOut: shards },
      job: 'GetItem',
      jobsInWindow: { query: 'GSI_1', fanOut: shards },
      nextJob: { query: 'GSI_1', fanOut: shards },
      schedule: 'PutItem',
      claim: 'UpdateItem',
      bury: 'UpdateItem',
      complete: 'UpdateItem',
      fail: 'UpdateItem',
      giveUp: 'UpdateItem',
      repeat: 'UpdateItem',
      cancel: 'UpdateItem',
      reschedule: 'UpdateItem',
      seedJobs: 'BatchWriteItem',
    });
}

export const jobScheduler = jobSchedulerModel(SHARDS);
