import { z } from 'zod';
import { epochSecondsOf, type MovedClock } from '../../clock.ts';
import { HttpError } from '../../http/http-error.ts';
import { html, type Markup } from '../../http/markup.ts';
import { field, form, live, picture } from '../../http/page-frame.ts';
import { type Action, action, type Screen, screen } from '../../http/screens.ts';
import { ATTEMPTS_MAX, type Job } from '../scheduler.ts';
import { AHEAD_SECONDS, board, secondsOf, timeText } from './board.ts';
import type { Office } from './office.ts';
import { every, name, shardOf } from './routes.ts';
import { type Ending, type Workers, type WorkerView, WORKERS_MAX } from './workers.ts';

export interface PagesOptions {
  readonly office: Office;
  readonly workers: Workers;
  readonly clock: MovedClock;
  readonly leaseSeconds: number;
}

const LISTED_MAX = 8;
const DEAD_SHOWN_MAX = 10;
const AHEAD_SECONDS_MAX = 30 * 86_400;
const MOVED_SECONDS_MAX = 86_400;

const STATES: Readonly<Record<Job['status'], readonly [label: string, sign: string]>> = {
  queued: ['Waits', ''],
  running: ['Runs', 'half'],
  done: ['Done', 'full'],
  dead: ['Dead', 'gone'],
  cancelled: ['Cancelled', 'gone'],
};

const OUTCOMES: Readonly<Record<Ending['outcome'], readonly [label: string, sign: string]>> = {
  done: ['Done', 'full'],
  again: ['Done, comes again', 'full'],
  failed: ['Failed, comes again', 'half'],
  dead: ['Dead', 'gone'],
  'taken over': ['Too late: taken over', 'gone'],
};

const inSeconds = z.coerce.number().int().min(0).max(AHEAD_SECONDS_MAX);

/** The screens: the board, one job, a form, the dead. */
export function screensOf(options: PagesOptions): readonly Screen[] {
  return [boardScreen(options), ...jobScreens(options)];
}

function boardScreen({ office, workers, clock, leaseSeconds }: PagesOptions): Screen {
  const { scheduler } = office;
  return screen({
    path: '/',
    serves: ['JS-3'],
    query: z.object({ still: z.string().optional() }),
    show: async ({ query: { still } }) => {
      const now = epochSecondsOf(clock);
      const { items } = await scheduler.db.jobsInWindow({ dueAt: { to: office.now(AHEAD_SECONDS) } });
      return {
        title: 'Board',
        teaches:
          'A lane is a partition of the index, and the way along it is the sort key. A claim moves the key to the end of the lease, so that what a killed worker held is due again by the passing of time alone.',
        main: html`<div class="inline hands">
            ${form('/workers', html`<button>Start a worker</button>`)}<span
              >It claims what has been due for longest, for ${leaseSeconds} seconds. Kill it while it works, and see its
              job come back.</span
            >
          </div>
          ${live(
            'board',
            html`<div class="gauges">
                <p class="figure">${timeText(now)}</p>
                ${gauges(items, now)}
              </div>
              ${board(items, now)}
              <div class="columns three">
                <section>
                  <h2>Due now</h2>
                  ${dueNow(items, now)}
                </section>
                <section>
                  <h2>Workers</h2>
                  ${workerList(workers.list(), { now, leaseSeconds })}
                </section>
                <section>
                  <h2>Ended</h2>
                  ${endingList(workers.endings())}
                </section>
              </div>`,
            { still: still !== undefined },
          )}
          <div>
            <section>
              <h2>Clock</h2>
              ${form(
                '/clock/move',
                html`${field('seconds', 'Seconds to move on', { type: 'number', value: String(leaseSeconds) })}<button
                    class="second"
                  >
                    Move the clock
                  </button>`,
                'Move the clock',
              )}
            </section>
          </div>`,
      };
    },
  });
}

function jobScreens({ office, workers }: PagesOptions): readonly Screen[] {
  return [
    screen({
      path: '/jobs/{id}',
      serves: ['JS-2'],
      show: async ({ path, refused }) => {
        const job = await office.job(path.id);
        const at = `/jobs/${encodeURIComponent(job.jobId)}`;
        return {
          title: job.JobName,
          teaches:
            'A job has one key of its own, and none in the index once it is over: the index is as small as what waits and runs.',
          main: html`${picture('wave', job.jobId, 372, 46)} ${facts(job)}
          ${
            job.status === 'queued' &&
            html`<h2>Change it</h2>
              ${form(
                `${at}/move`,
                html`${field('in', 'Due in seconds', { refused, type: 'number', value: '0' })}<button>Move</button>`,
                'Move',
              )}
              <p></p>
              ${form(`${at}/cancel`, html`<button class="second">Cancel the job</button>`)}`
          }`,
        };
      },
    }),
    screen({
      path: '/schedule',
      serves: ['JS-W1'],
      show: async ({ refused }) =>
        await Promise.resolve({
          title: 'Schedule a job',
          teaches:
            'The shard follows from the id of the job, so that a later write needs no look at it. The id follows from the key of this form: sent twice, it schedules one job.',
          main: form(
            '/schedule',
            html`${field('name', 'Name', { refused, hint: 'what is to be done' })}${field('in', 'Due in seconds', {
                refused,
                type: 'number',
                value: '0',
              })}${field('every', 'Again every so many seconds', {
                refused,
                type: 'number',
                hint: 'empty for once',
              })}${field('end', 'In the hands of our workers it', {
                refused,
                choices: [
                  ['succeeds', 'succeeds'],
                  ['fails', 'fails'],
                ],
              })}<button>Schedule</button>`,
            'Schedule a job',
          ),
        }),
    }),
    screen({
      path: '/dead',
      serves: ['JS-2'],
      show: async () => {
        const ids = workers.endings().flatMap(({ jobId, outcome }) => (outcome === 'dead' ? [jobId] : []));
        const jobs = await Promise.all(
          [...new Set(ids)].slice(0, DEAD_SHOWN_MAX).map(async (id) => await office.job(id)),
        );
        return {
          title: 'Dead jobs',
          teaches:
            'A dead job has left the index, so no query finds it: this page keeps the ids that its workers have reported, and reads each job by its key.',
          main:
            jobs.length === 0
              ? html`<p>No job has died in the hands of our workers.</p>`
              : html`<ul class="rows">
                  ${jobs.map(
                    (job) =>
                      html`<li>
                        <span class="grow">${jobLink(job)}</span>${stateOf(job)}<span
                          >tried ${job.attempts} times of ${ATTEMPTS_MAX}</span
                        >
                      </li>`,
                  )}
                </ul>`,
        };
      },
    }),
  ];
}

/** What the forms do. */
export function actionsOf({ office, workers, clock }: PagesOptions): readonly Action[] {
  return [
    action({
      path: '/workers',
      of: '/',
      form: z.object({}),
      act: async () => {
        if (workers.start() === undefined) {
          throw new HttpError(409, 'limit', `${WORKERS_MAX} workers are alive, which is the most. Kill one first.`);
        }
        return await Promise.resolve({ to: '/' });
      },
    }),
    action({
      path: '/workers/{worker}/kill',
      of: '/',
      form: z.object({}),
      act: async ({ path }) => {
        if (!workers.kill(path.worker)) throw new HttpError(404, 'not-found', 'No such worker is alive.');
        return await Promise.resolve({ to: '/' });
      },
    }),
    action({
      path: '/clock/move',
      of: '/',
      form: z.object({ seconds: z.coerce.number().int().min(1).max(MOVED_SECONDS_MAX) }),
      act: async ({ form: { seconds } }) => {
        clock.moveOn(seconds * 1000);
        return await Promise.resolve({ to: '/' });
      },
    }),
    action({
      path: '/schedule',
      of: '/schedule',
      form: z.object({
        name,
        in: inSeconds,
        every: z.union([z.literal('').transform(() => undefined), every]),
        end: z.enum(['succeeds', 'fails']),
      }),
      act: async ({ form: wanted, key }) => {
        const due = office.now(wanted.in);
        const fails = wanted.end === 'fails';
        const { jobId } = await office.schedule({ name: wanted.name, due, every: wanted.every, fails }, key);
        return { to: `/jobs/${encodeURIComponent(jobId)}` };
      },
    }),
    action({
      path: '/jobs/{id}/move',
      of: '/jobs/{id}',
      form: z.object({ in: inSeconds }),
      act: async ({ path: { id }, form: wanted }) => {
        await office.reschedule(id, office.now(wanted.in));
        return { to: `/jobs/${encodeURIComponent(id)}` };
      },
    }),
    action({
      path: '/jobs/{id}/cancel',
      of: '/jobs/{id}',
      form: z.object({}),
      act: async ({ path: { id } }) => {
        await office.cancel(id);
        return { to: `/jobs/${encodeURIComponent(id)}` };
      },
    }),
  ];
}

function gauges(items: readonly Job[], now: number): Markup {
  const next = items.find(({ dueAt }) => secondsOf(dueAt) > now);
  const running = items.filter(({ status, dueAt }) => status === 'running' && secondsOf(dueAt) > now);
  const gauge = (label: string, value: string | number): Markup =>
    html`<div>
      <dt>${label}</dt>
      <dd>${value}</dd>
    </div>`;
  return html`<dl>
    ${gauge('next is due in', next === undefined ? '–' : `${secondsOf(next.dueAt) - now} s`)}
    ${gauge('due now', items.filter(({ dueAt }) => secondsOf(dueAt) <= now).length)} ${gauge('running', running.length)}
    ${gauge('in view', items.length)}
  </dl>`;
}

function dueNow(items: readonly Job[], now: number): Markup {
  const due = items.filter(({ dueAt }) => secondsOf(dueAt) <= now);
  if (due.length === 0) return html`<p>Nothing is due.</p>`;
  return html`<ul class="rows">
      ${due
        .slice(0, LISTED_MAX)
        .map(
          (job) =>
            html`<li>
              <span class="mono">${timeText(secondsOf(job.dueAt))}</span><span class="grow">${jobLink(job)}</span
              ><small>${now - secondsOf(job.dueAt)} s late, shard ${shardOf(job)}</small>
            </li>`,
        )}
    </ul>
    ${due.length > LISTED_MAX && html`<p>and ${due.length - LISTED_MAX} more</p>`}`;
}

function workerList(
  workers: readonly WorkerView[],
  { now, leaseSeconds }: { readonly now: number; readonly leaseSeconds: number },
): Markup {
  if (workers.length === 0) return html`<p>No worker is alive.</p>`;
  return html`<ul class="rows">
    ${workers
      .toReversed()
      .slice(0, LISTED_MAX)
      .map(({ name: worker, isAlive, claim }) => {
        const left = Math.max(0, secondsOf(claim?.job.leaseUntil) - now);
        return html`<li>
          ${picture('machine', worker, 28)}<span class="grow"
            >${worker}<br /><span class="state ${isAlive ? (claim === undefined ? '' : 'half') : 'gone'}"
              >${isAlive ? (claim === undefined ? 'Waits' : 'Works') : 'Killed'}</span
            >${claim !== undefined && html`: ${claim.job.JobName}`}</span
          >${
            claim !== undefined &&
            html`<progress max="${leaseSeconds}" value="${left}" aria-label="Lease of ${worker}"></progress
              ><small>${left > 0 ? `${left} s left of its lease` : 'its lease has ended'}</small>`
          }${
            isAlive &&
            form(`/workers/${worker}/kill`, html`<button class="second" aria-label="Kill ${worker}">Kill</button>`)
          }
        </li>`;
      })}
  </ul>`;
}

function endingList(endings: readonly Ending[]): Markup {
  if (endings.length === 0) return html`<p>Nothing yet.</p>`;
  return html`<ul class="rows">
    ${endings.slice(0, LISTED_MAX).map(({ jobId, name: of, outcome }) => {
      const [label, sign] = OUTCOMES[outcome];
      return html`<li>
        <span class="grow"><a href="/jobs/${encodeURIComponent(jobId)}">${of}</a></span
        ><span class="state ${sign}">${label}</span>
      </li>`;
    })}
  </ul>`;
}

function facts(job: Job): Markup {
  const rows: readonly (readonly [string, Markup | string])[] = [
    ['Id', html`<span class="mono">${job.jobId}</span>`],
    ['State', stateOf(job)],
    ['Due', job.dueAt ?? 'never again'],
    ['Shard', String(shardOf(job))],
    ['Attempts', `${job.attempts} of ${ATTEMPTS_MAX}`],
    ...(job.InputType === undefined ? [] : [['Input', job.InputType] as const]),
    ...(job.schedule === undefined ? [] : [['Again every', `${job.schedule.everySeconds} seconds`] as const]),
  ];
  return html`<dl class="facts">
    ${rows.map(
      ([label, value]) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

function stateOf({ status }: Job): Markup {
  const [label, sign] = STATES[status];
  return html`<span class="state ${sign}">${label}</span>`;
}

function jobLink({ jobId, JobName, schedule }: Job): Markup {
  return html`<a href="/jobs/${encodeURIComponent(jobId)}">${JobName}</a>${schedule !== undefined && ' ↻'}`;
}
