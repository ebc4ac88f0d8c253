import { isDeepStrictEqual } from 'node:util';
import { RuleError } from '@singlet/model';
import { changeOf, type ItemChange, streamFilter } from '@singlet/model/propagate';
import { type Consumer, type ConsumerOptions, createConsumer } from 'singlet/consumer';
import { epochSecondsOf } from '../clock.ts';
import type { Access, Job, Policy } from './access.ts';
import type { JobQueue } from './job-queue.ts';
import { policyDeleteJob, policyUpdateJob } from './job-orders.ts';

/**
 * AC-P2. A consumer of the table's stream that queues a job for each policy whose name or document has changed, or that was
 * deleted. Nothing else queues a job, so the workers' own writes start none.
 */
export function createTrigger(
  access: Access,
  queue: JobQueue,
  options: Omit<ConsumerOptions, 'handler' | 'filters'>,
): Consumer {
  const watched = queue.isTable ? ['Policy'] : ['Policy', 'PropagationJob'];
  return createConsumer({
    ...options,
    filters: watched.map((entity) => streamFilter(access.db, entity)),
    handler: async (records) => {
      for (const record of records) await queueChange(access, queue, changeOf(access.db, record));
    },
  });
}

/** The job that a change of an item queues. */
async function queueChange(access: Access, queue: JobQueue, change: ItemChange | undefined): Promise<void> {
  const { entity, before, after } = change ?? {};
  if (entity === 'Policy' && before !== undefined) {
    await queuePolicyChange(access, queue, before as Policy, after as Policy | undefined);
  }
  if (entity === 'PropagationJob' && before === undefined && after !== undefined) {
    await forward(access, queue, after as Job);
  }
}

async function queuePolicyChange(
  access: Access,
  queue: JobQueue,
  before: Policy,
  after: Policy | undefined,
): Promise<void> {
  const { policyId, policyVersion } = after ?? before;
  if (after === undefined) await queue.send(policyDeleteJob(access, policyId, policyVersion));
  else if (before.policyName !== after.policyName || !isDeepStrictEqual(before.policy, after.policy)) {
    await queue.send(policyUpdateJob(access, policyId, policyVersion));
  }
}

/** Forwards a job that was written to the table with its change to the external queue, and settles it in the table. */
async function forward({ db, clock }: Access, queue: JobQueue, job: Job): Promise<void> {
  await queue.send(job);
  try {
    await db.forwardJob({ jobId: job.jobId, ttl: epochSecondsOf(clock) + 7 * 86_400 });
  } catch (error) {
    if (!(error instanceof RuleError)) throw error; // already forwarded
  }
}
