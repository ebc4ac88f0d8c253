import { randomUUID } from 'node:crypto';
import { RuleError } from '@singlet/model';
import { type Clock, MovedClock } from '../../clock.ts';
import { Costs } from '../../http/costs.ts';
import { HttpError } from '../../http/http-error.ts';
import type { HttpServer } from '../../http/node-server.ts';
import { openTable } from '../../http/open-table.ts';
import type { ApplicationStart } from '../../http/start-options.ts';
import { cursorSecret } from '../../http/sealed.ts';
import { serveApplication } from '../../http/serve-application.ts';
import { pauseWithJitter } from '../../pause.ts';
import { jobScheduler } from '../model.ts';
import { Scheduler } from '../scheduler.ts';
import { seedJobs } from '../seed.ts';
import { Office } from './office.ts';
import { actionsOf, screensOf } from './pages.ts';
import { routesOf } from './routes.ts';
import { Workers } from './workers.ts';

const LEASE_SECONDS = 20;
const WORK_MS = 6_000;
/** The sample begins with jobs that are late. */
const SAMPLE_BEGINS_SECONDS = -90;

export interface SchedulerStart extends ApplicationStart {
  /** The time, unless it is that of this machine. */
  readonly base?: Clock;
}

/** Serves the job scheduler. Scale 1 is 100,000 jobs in a day. */
export async function startScheduler(options: SchedulerStart): Promise<HttpServer> {
  const { client, scale, say, onFault, base } = options;
  const clock = new MovedClock(base);
  const costs = Costs.of(client);
  const { tableName, isNew } = await openTable(client, jobScheduler);
  const scheduler = new Scheduler({
    client,
    tableName,
    clock,
    newId: randomUUID,
    leaseSeconds: LEASE_SECONDS,
    onRequest: costs.patternsOf(jobScheduler),
  });
  const office = new Office({
    scheduler,
    clock,
    secret: cursorSecret(),
  });
  if (isNew && scale > 0) say(`${await seedJobs(scheduler, office.now(SAMPLE_BEGINS_SECONDS), scale)} jobs`);
  const workers = new Workers({
    scheduler,
    clock,
    pause: pauseWithJitter,
    workMs: WORK_MS,
    apart: async (begin) => await costs.apart(begin),
    onFault,
  });
  const pages = { office, workers, clock, leaseSeconds: LEASE_SECONDS };
  return await serveApplication(options, {
    frame: {
      name: 'Escapement',
      voice: 'instrument',
      places: [
        { path: '/', label: 'Board' },
        { path: '/schedule', label: 'Schedule' },
        { path: '/dead', label: 'Dead' },
      ],
      scripts: ['live'],
    },
    description: 'Jobs with a due time: scheduled, claimed under a lease, done, tried again, dead.',
    tint: { hue: 220, strength: 0.5 },
    style: new URL('style.css', import.meta.url),
    routes: routesOf(office),
    screens: screensOf(pages),
    actions: actionsOf(pages),
    costs,
    examples: [new URL('examples.json', import.meta.url)],
    errorOf,
    end: async () => {
      await workers.close();
    },
  });
}

function errorOf(error: unknown): HttpError | undefined {
  if (!(error instanceof RuleError)) return undefined;
  switch (error.code) {
    case 'already-exists':
      return new HttpError(409, 'taken', 'There is a job with this id.');
    case 'not-found':
      return new HttpError(404, 'not-found', 'There is no such job.');
    case 'condition-failed':
      return new HttpError(409, 'stale', 'The job has changed meanwhile. Look at it again.');
    case 'busy':
    case 'not-unique':
    case 'parent-missing':
    case 'stale-version':
      return undefined;
  }
}
