import { randomUUID } from 'node:crypto';
import type { ApplicationLoad, LoadSite, OpenLoad, StoredItem } from '../../http/load.ts';

interface Due {
  readonly jobs: readonly { readonly id: string; readonly due?: string }[];
}

const NAMES = ['Verbatim', 'Cut silence', 'Digest'] as const;
/** One worker in ten does not come back, and its job waits for the end of the lease. */
const LOST_SHARE = 0.1;
/** Longer than a lease, and than the longest wait after a failure. */
const SETTLE_SECONDS = 600;

/** Jobs are scheduled, and workers claim, finish and fail them; some workers do not come back. */
export const load: ApplicationLoad = {
  holds:
    'every job that was due is done or dead, none was done twice, and only jobs that are due later are in the index',
  open: async (site) => {
    const finished: string[] = [];
    let dueUntil = '';
    return await Promise.resolve({
      actions: actionsOf(site, finished),
      faultsIn: (items) => faultsIn(items, finished, dueUntil),
      settle: async () => {
        dueUntil = new Date(Date.now() + SETTLE_SECONDS * 1000).toISOString();
        await finishDue(site, finished);
      },
    });
  },
};

/** Lets time pass until the leases of lost workers have ended and failed jobs are due again, and does all that is due. */
async function finishDue(site: LoadSite, finished: string[]): Promise<void> {
  await site.send('/clock/move', {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ key: randomUUID(), seconds: String(SETTLE_SECONDS) }),
  });
  for (;;) {
    const { jobs } = await site.read<Due>('/jobs/due?limit=25');
    if (jobs.length === 0) return;
    for (const { id, due } of jobs) {
      const claimed = await site.ask('POST', `/jobs/${id}/claim`, { body: { seen: due } });
      if (!claimed.ok) continue; // it has no attempt left, and is dead
      const { lease } = (await claimed.json()) as { readonly lease: string };
      if ((await site.ask('POST', `/leases/${lease}/complete`)).ok) finished.push(id);
    }
  }
}

function actionsOf(site: LoadSite, finished: string[]): OpenLoad['actions'] {
  const ends = async (path: (lease: string) => string): Promise<Response> => {
    const { jobs } = await site.read<Due>('/jobs/due?limit=25');
    if (jobs.length === 0) return await site.ask('GET', '/jobs/next');
    const { id, due } = site.oneOf(jobs);
    const claimed = await site.ask('POST', `/jobs/${id}/claim`, { body: { seen: due } });
    if (!claimed.ok || site.random.chance(LOST_SHARE)) return claimed;
    const { lease } = (await claimed.json()) as { readonly lease: string };
    const ended = await site.ask('POST', path(lease));
    if (ended.ok && path(lease).endsWith('complete')) finished.push(id);
    return ended;
  };
  return [
    { name: 'due jobs', weight: 25, act: async () => await site.ask('GET', '/jobs/due?limit=25') },
    { name: 'when to look again', weight: 15, act: async () => await site.ask('GET', '/jobs/next') },
    {
      name: 'schedule',
      weight: 25,
      act: async () => {
        const due = new Date(Date.now() - site.random.integer(0, 60_000)).toISOString().replace(/\.\d+Z$/, 'Z');
        return await site.ask('POST', '/jobs', { body: { name: site.oneOf(NAMES), due } });
      },
    },
    {
      name: 'claim and finish',
      weight: 25,
      allows: [409], // another worker was faster
      act: async () => await ends((lease) => `/leases/${lease}/complete`),
    },
    {
      name: 'claim and fail',
      weight: 5,
      allows: [409],
      act: async () => await ends((lease) => `/leases/${lease}/fail`),
    },
    {
      name: 'schedule and cancel',
      weight: 5,
      allows: [409], // a worker has it
      act: async () => {
        const due = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
        const scheduled = await site.ask('POST', '/jobs', { body: { name: 'Not needed', due } });
        if (!scheduled.ok) return scheduled;
        const { id } = (await scheduled.json()) as { readonly id: string };
        return await site.ask('DELETE', `/jobs/${id}`);
      },
    },
  ];
}

function faultsIn(items: readonly StoredItem[], finished: readonly string[], dueUntil: string): readonly string[] {
  const jobs = items.filter(({ Type }) => Type === 'Job');
  const statusOf = new Map(jobs.map(({ jobId, status }) => [String(jobId), status]));
  const isListed = (job: StoredItem): boolean => 'GSI_1_PK' in job;
  const waits = ({ status }: StoredItem): boolean => status === 'queued' || status === 'running';
  return [
    ...finished.filter((id, at) => finished.indexOf(id) !== at).map((id) => `job ${id} was done twice`),
    ...jobs
      .filter((job) => waits(job) && String(job['GSI_1_SK']) <= dueUntil)
      .map(({ jobId, status }) => `job ${String(jobId)} is still ${String(status)}`),
    ...finished
      .filter((id) => statusOf.get(id) !== 'done')
      .map((id) => `job ${id} was finished and is ${String(statusOf.get(id))}`),
    ...jobs
      .filter((job) => isListed(job) !== waits(job))
      .map(
        (job) =>
          `job ${String(job['jobId'])} is ${String(job['status'])} and is ${isListed(job) ? '' : 'not '}in the index`,
      ),
  ];
}
