import { DynamoError, ResourceNotFoundException, ValidationException } from '../values/service-error.ts';
import type { Endpoint, ModelServices } from './endpoint.ts';
import { objectOf } from './members.ts';
import type { PartRequest } from './peers.ts';
import { partsOf } from './summed.ts';

/** The operations on a migration. */
export const migrationWorks = ['plan', 'run', 'resume', 'pause', 'verify', 'undo', 'accept'] as const;
export type MigrationWork = (typeof migrationWorks)[number];

/** Settings of an operation, equal to the flags of `singlet migrate`. */
export interface MigrationSettings {
  /** Writes nothing; counts what would be written. */
  readonly dryRun?: boolean;
  /** Drops the indexes that the new version does not have. */
  readonly drop?: boolean;
  /** The number of segments of a table that are scanned in parallel. */
  readonly segments?: number;
  /** The maximum read rate, capacity units per second. */
  readonly readUnits?: number;
  /** The maximum write rate, capacity units per second. */
  readonly writeUnits?: number;
  /** The number of items that may fail. */
  readonly failures?: number;
}

/** An operation that takes time, in one of the processes of a server. */
export interface MigrationJobReport {
  /** The id of the migration. */
  readonly migration: string;
  /** Whether it still runs, and otherwise how it ended. */
  readonly state: 'running' | 'paused' | 'done' | 'failed';
  /** Milliseconds since 1970. */
  readonly begunAtMs: number;
}

/** The migrations of the models that a server was started with. */
export interface MigrationSource {
  /** For each model, its differences from its accepted version, and its migrations. */
  list(): Promise<object>;
  /** The current or last operation of this process; undefined before the first. */
  job(): MigrationJobReport | undefined;
  /** Asks the current operation on a migration to stop after its last request, if it is in this process. */
  pause(id: string): void;
  /** A migration by its id; undefined if there is none. */
  find(id: string): Promise<object | undefined>;
  /**
   * Runs an operation that is immediate (`plan`, `accept`), or starts one that takes time.
   *
   * @throws {DynamoError} `MigrationRefused` with the reason.
   */
  work(id: string, work: Exclude<MigrationWork, 'pause'>, settings: MigrationSettings): Promise<object | undefined>;
}

/** The settings that each operation takes. */
const settingsOf: Readonly<Record<MigrationWork, readonly (keyof MigrationSettings)[]>> = {
  plan: [],
  accept: [],
  pause: [],
  run: ['dryRun', 'drop', 'segments', 'readUnits', 'writeUnits', 'failures'],
  resume: ['drop', 'readUnits', 'writeUnits', 'failures'],
  undo: ['dryRun', 'segments', 'readUnits', 'writeUnits', 'failures'],
  verify: ['segments', 'readUnits'],
};

/** The migrations of models: their contents and progress, and starting and stopping them. */
export const migrationEndpoints: readonly Endpoint<ModelServices>[] = [
  {
    method: 'GET',
    path: ['migrations'],
    permission: 'GetMigrations',
    part: ownJob,
    answer: async (request, services) => ({
      canRun: services.models !== undefined && request.permit === undefined,
      ...((await services.models?.migrations.list()) ?? { models: [] }),
      job: latest(await jobsOf(request, services, [])),
    }),
  },
  {
    method: 'GET',
    path: ['migrations', 'ID'],
    permission: 'GetMigrations',
    part: ownJob,
    answer: async (request, services, names) => {
      const [id = ''] = names;
      const answer = (await services.models?.migrations.find(id)) ?? absent(id);
      return { ...answer, job: jobOf(id, await jobsOf(request, services, names)) };
    },
  },
  {
    method: 'POST',
    path: ['migrations', 'ID', 'WORK'],
    // A migration runs with the server's own rights, not the caller's.
    permission: undefined,
    part: ownJob,
    async answer(request, services, names) {
      const [id = '', name = ''] = names;
      const work = migrationWorks.find((each) => each === name);
      if (work === undefined)
        throw new ResourceNotFoundException(`A migration has ${migrationWorks.join(', ')}, and nothing else.`);
      const settings = readSettings(work, objectOf(request.json));
      const { migrations } = services.models ?? absent(id);
      if (work === 'pause') {
        const jobs = await pausedJobs(id, request, services);
        return { ...((await migrations.find(id)) ?? absent(id)), job: jobOf(id, jobs) };
      }
      const others = await jobsOf(request, services, names);
      if (work !== 'plan' && others.some(isRunning))
        throw migrationRefused('A migration is running: pause it, or wait until it has ended.');
      const answer = (await migrations.work(id, work, settings)) ?? absent(id);
      return { ...answer, job: jobOf(id, [...others, migrations.job()]) };
    },
  },
];

/** The job of a process, which only that process can pause. Decision 0119 says how another one answers for it. */
interface JobPart {
  readonly job: MigrationJobReport | null;
}

/** For another process: its own job, which it asks to stop if the request is to pause it. */
function ownJob({ method, path }: PartRequest, { models }: ModelServices): Promise<JobPart> {
  const [, id = '', work] = path;
  if (method === 'POST' && work === 'pause') models?.migrations.pause(id);
  return Promise.resolve({ job: models?.migrations.job() ?? null });
}

/** The running migration, otherwise the last one, of all processes; null before the first. */
export async function latestJob(
  services: ModelServices,
  context: PartRequest['context'],
): Promise<MigrationJobReport | null> {
  const look = { method: 'GET', path: ['migrations'], query: new URLSearchParams(), json: undefined, context };
  return latest(await jobsOf(look, services, []));
}

type Jobs = readonly (MigrationJobReport | null | undefined)[];

/** The current or last job of each process. */
async function jobsOf(request: PartRequest, services: ModelServices, names: readonly string[]): Promise<Jobs> {
  const parts = await partsOf(ownJob, request, services, names);
  return parts.map(({ job }) => job);
}

function isRunning(job: Jobs[number]): boolean {
  return job?.state === 'running';
}

/** The running job, otherwise the one that was begun last. */
function latest(jobs: Jobs): MigrationJobReport | null {
  const known = jobs.flatMap((job) => job ?? []).toSorted((a, b) => b.begunAtMs - a.begunAtMs);
  return known.find(isRunning) ?? known[0] ?? null;
}

function jobOf(id: string, jobs: Jobs): MigrationJobReport | null {
  return latest(jobs.filter((job) => job?.migration === id));
}

const pauseStepMs = 100;
/** How often a process is asked whether it has stopped: its last request may wait for its rate. */
const pauseStepsMax = 300;

/** Stops the job on a migration, whichever process has it, and waits until it has stopped. @throws {DynamoError} if there is none. */
async function pausedJobs(id: string, request: PartRequest, services: ModelServices): Promise<Jobs> {
  const isAsked = (job: Jobs[number]): boolean => isRunning(job) && job?.migration === id;
  const look: PartRequest = { ...request, method: 'GET', path: ['migrations', id] };
  if (!(await jobsOf(look, services, [id])).some(isAsked))
    throw migrationRefused('There is nothing to pause: this migration is not running.');
  let jobs = await jobsOf(request, services, [id]);
  for (let step = 0; step < pauseStepsMax && jobs.some(isAsked); step += 1) {
    await services.pause(pauseStepMs, new AbortController().signal);
    jobs = await jobsOf(look, services, [id]);
  }
  return jobs;
}

/** The error for a migration that cannot do what was requested in its present state. */
export function migrationRefused(message: string): DynamoError {
  return new DynamoError('MigrationRefused', message);
}

function readSettings(work: MigrationWork, json: Readonly<Record<string, unknown>>): MigrationSettings {
  const known: readonly string[] = settingsOf[work];
  for (const [name, value] of Object.entries(json)) {
    if (!known.includes(name))
      throw new ValidationException(
        `${work} takes ${known.length === 0 ? 'no settings' : known.join(', ')}, not ${JSON.stringify(name.slice(0, 40))}.`,
      );
    const isFlag = name === 'dryRun' || name === 'drop';
    if (isFlag ? typeof value === 'boolean' : typeof value === 'number' && value >= 0) continue;
    throw new ValidationException(`"${name}" must be ${isFlag ? 'true or false' : 'a number from 0 on'}.`);
  }
  return json;
}

function absent(id: string): never {
  throw new ResourceNotFoundException(
    `There is no migration ${JSON.stringify(id.slice(0, 100))} of the models that this server was started with.`,
  );
}
