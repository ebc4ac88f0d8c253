import { shardNumber } from '@singlet/model';
import { z } from 'zod';
import { type Route, route } from '../../http/route.ts';
import { SHARDS } from '../model.ts';
import type { Job } from '../scheduler.ts';
import type { Office } from './office.ts';

const NAME_LENGTH_MAX = 80;
const EVERY_SECONDS_MAX = 366 * 86_400;
/** Of a list that is read from all shards. */
const JOBS_MAX = 100;

const jobId = z
  .string()
  .regex(/^[\w.:-]+$/)
  .max(100);
const lease = z.string().max(500);
const time = z.iso.datetime({ precision: 0 });
export const name = z.string().trim().min(1).max(NAME_LENGTH_MAX);
export const every = z.coerce.number().int().min(1).max(EVERY_SECONDS_MAX);
const newJob = z.object({
  id: jobId.optional(),
  name,
  inputType: name.optional(),
  due: time,
  every: z.int().min(1).max(EVERY_SECONDS_MAX).optional(),
});

const job = z.object({
  id: z.string(),
  name: z.string(),
  inputType: z.string().optional(),
  status: z.enum(['queued', 'running', 'done', 'dead', 'cancelled']),
  due: z.string().optional(),
  attempts: z.int(),
  every: z.int().optional(),
  shard: z.int(),
});
const jobs = z.object({ jobs: z.array(job), byShard: z.array(z.int()) });

const absent = { 404: { description: 'There is no such job' } };
const stale = { 409: { description: 'It has changed meanwhile, or is in no state for this' } };

/** Everything that the scheduler does, over HTTP. */
export function routesOf(office: Office): readonly Route[] {
  return [...listRoutes(office), ...jobRoutes(office), ...workerRoutes(office)];
}

function listRoutes(office: Office): readonly Route[] {
  const { scheduler } = office;
  return [
    route({
      method: 'GET',
      path: '/jobs',
      operationId: 'getJobs',
      summary: 'Jobs that wait or run and are due in a span of time',
      description: 'A job that runs is due when its lease ends.',
      tag: 'Lists',
      serves: ['JS-3'],
      query: z.object({ from: time, to: time }),
      answers: { 200: { description: 'The jobs, and how many each shard has', schema: jobs } },
      handle: async ({ query }) => {
        const { items } = await scheduler.db.jobsInWindow({ dueAt: query });
        return { status: 200, body: shown(items) };
      },
    }),
    route({
      method: 'GET',
      path: '/jobs/due',
      operationId: 'getDueJobs',
      summary: 'Jobs that are due, the longest due first',
      tag: 'Lists',
      serves: ['JS-1'],
      query: z.object({ at: time.optional(), limit: z.coerce.number().int().min(1).max(JOBS_MAX).optional() }),
      answers: { 200: { description: 'The jobs', schema: jobs } },
      handle: async ({ query: { at = office.now(), limit } }) => {
        const { items } = await scheduler.db.dueJobs({ dueAt: { to: at } }, limit === undefined ? {} : { limit });
        return { status: 200, body: shown(items) };
      },
    }),
    route({
      method: 'GET',
      path: '/jobs/next',
      operationId: 'getNextDue',
      summary: 'When to look again',
      tag: 'Lists',
      serves: ['JS-4'],
      answers: {
        200: {
          description: 'The earliest due time; none where nothing waits or runs',
          schema: z.object({ due: z.string().optional() }),
        },
      },
      handle: async () => {
        const due = await scheduler.nextDueAt();
        return { status: 200, body: due === undefined ? {} : { due } };
      },
    }),
  ];
}

function jobRoutes(office: Office): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/jobs',
      operationId: 'schedule',
      summary: 'Schedule a job',
      description: 'A job without an id gets one; with an Idempotency-Key the same key schedules one job.',
      takesKey: true,
      tag: 'Jobs',
      serves: ['JS-W1', 'JS-2'],
      body: newJob,
      answers: { 201: { description: 'The job', schema: job }, 409: { description: 'The id is taken' } },
      handle: async ({ body, key }) => ({
        status: 201,
        body: jobShown(await office.schedule(body, key)),
      }),
    }),
    route({
      method: 'GET',
      path: '/jobs/{id}',
      operationId: 'getJob',
      summary: 'One job',
      tag: 'Jobs',
      pathSchemas: { id: jobId },
      serves: ['JS-2'],
      answers: { 200: { description: 'The job', schema: job }, ...absent },
      handle: async ({ path: { id } }) => ({ status: 200, body: jobShown(await office.job(id)) }),
    }),
    route({
      method: 'PUT',
      path: '/jobs/{id}/due',
      operationId: 'reschedule',
      summary: 'Move a job that waits',
      tag: 'Jobs',
      pathSchemas: { id: jobId },
      serves: ['JS-W7', 'JS-2'],
      body: z.object({ due: time }),
      answers: { 200: { description: 'The job', schema: job }, ...absent, ...stale },
      handle: async ({ path: { id }, body: { due } }) => ({
        status: 200,
        body: jobShown(await office.reschedule(id, due)),
      }),
    }),
    route({
      method: 'DELETE',
      path: '/jobs/{id}',
      operationId: 'cancel',
      summary: 'Cancel a job that waits',
      tag: 'Jobs',
      pathSchemas: { id: jobId },
      serves: ['JS-W6', 'JS-2'],
      answers: { 204: { description: 'Cancelled' }, ...absent, ...stale },
      handle: async ({ path: { id } }) => {
        await office.cancel(id);
        return { status: 204 };
      },
    }),
  ];
}

function workerRoutes(office: Office): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/jobs/{id}/claim',
      operationId: 'claim',
      summary: 'Claim a job as it was read',
      description:
        'Until its lease ends it is hidden from other workers; then it is due again. With an Idempotency-Key the same key has one lease.',
      takesKey: true,
      tag: 'Workers',
      pathSchemas: { id: jobId },
      serves: ['JS-W2', 'JS-2'],
      body: z.object({ seen: time }),
      answers: {
        201: { description: 'The lease', schema: z.object({ lease: z.string(), until: z.string() }) },
        ...absent,
        ...stale,
      },
      handle: async ({ path: { id }, body: { seen }, key }) => ({
        status: 201,
        body: await office.claim(id, seen, key),
      }),
    }),
    route({
      method: 'POST',
      path: '/leases/{lease}/complete',
      operationId: 'complete',
      summary: 'The job is done; one that comes again is due at its next time',
      tag: 'Workers',
      pathSchemas: { lease },
      serves: ['JS-W3', 'JS-W5', 'JS-2'],
      answers: { 200: { description: 'The job', schema: job }, ...absent, ...stale },
      handle: async ({ path }) => ({ status: 200, body: jobShown(await office.complete(path.lease)) }),
    }),
    route({
      method: 'POST',
      path: '/leases/{lease}/fail',
      operationId: 'fail',
      summary: 'The job has failed; it comes again later, or is dead after its last attempt',
      tag: 'Workers',
      pathSchemas: { lease },
      serves: ['JS-W4', 'JS-2'],
      answers: { 200: { description: 'The job', schema: job }, ...absent, ...stale },
      handle: async ({ path }) => ({ status: 200, body: jobShown(await office.fail(path.lease)) }),
    }),
  ];
}

/** The shard of a job in the index. */
export function shardOf({ jobId: id }: Pick<Job, 'jobId'>): number {
  return shardNumber(id, SHARDS);
}

function shown(items: readonly Job[]): z.output<typeof jobs> {
  const byShard = Array.from({ length: SHARDS }, (_, at) => items.filter((each) => shardOf(each) === at).length);
  return { jobs: items.map(jobShown), byShard };
}

function jobShown({ jobId: id, JobName, InputType, dueAt, status, attempts, schedule }: Job): z.output<typeof job> {
  return {
    id,
    name: JobName,
    status,
    attempts,
    shard: shardOf({ jobId: id }),
    ...(InputType !== undefined && { inputType: InputType }),
    ...(dueAt !== undefined && { due: dueAt }),
    ...(schedule !== undefined && { every: schedule.everySeconds }),
  };
}
