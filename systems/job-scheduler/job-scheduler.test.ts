import { randomUUID } from 'node:crypto';
import { tableDefinitions } from '@singlet/model';
import { check } from '@singlet/model/check';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../clock.ts';
import { runDemo } from '../demo/demo.ts';
import { Terminal } from '../demo/terminal.ts';
import { databasesUnderTest } from '../testing/databases.ts';
import { drawn } from '../testing/drawn.ts';
import { expectChartsInReadme } from '../testing/readme.ts';
import type { RawTable } from '../testing/raw-table.ts';
import { useWorkbench, type Workbench } from '../testing/workbench.ts';
import { jobSchedulerDemo } from './demo.ts';
import { jobScheduler } from './model.ts';
import { type Job, Scheduler, type SchedulerOptions } from './scheduler.ts';
import { seedJobs } from './seed.ts';

const databases = databasesUnderTest.filter(({ name }) => name !== 'HTTP and memory' && name !== 'in process and LMDB');

const AUDIO = { jobId: '1', JobName: 'Transcribe audio', InputType: 'mp3', dueAt: '2019-12-31' };
const VERBATIM = { jobId: '2', JobName: 'Verbatim', InputType: 'wav', dueAt: '2019-12-29' };

interface World {
  readonly scheduler: Scheduler;
  readonly another: (differs?: Partial<SchedulerOptions>) => Scheduler;
  readonly table: RawTable;
  readonly clock: ManualClock;
}

async function open(workbench: Workbench, options: Partial<SchedulerOptions> = {}): Promise<World> {
  const [definition] = tableDefinitions(jobScheduler);
  const table = await workbench.createTable(definition!);
  const clock = new ManualClock('2020-01-01T00:00:00Z');
  const common = { tableName: table.name, clock, newId: () => randomUUID(), ...options };
  return {
    scheduler: new Scheduler({ client: workbench.client, ...common }),
    another: (differs) => new Scheduler({ client: workbench.newClient(), ...common, ...differs }),
    table,
    clock,
  };
}

async function openSample(workbench: Workbench, options: Partial<SchedulerOptions> = {}): Promise<World> {
  const world = await open(workbench, options);
  await world.scheduler.schedule(AUDIO);
  await world.scheduler.schedule(VERBATIM);
  return world;
}

const idsOf = (jobs: readonly Job[]): string[] => jobs.map(({ jobId }) => jobId);
const refused = { name: 'RuleError', code: 'condition-failed', cause: { name: 'ConditionalCheckFailedException' } };

test('the model is proven, with every pattern and write of the specification', () => {
  const { ok, findings, patterns } = check(jobScheduler);
  expect(findings.filter(({ level }) => level !== 'accepted')).toEqual([]);
  expect(ok).toBe(true);
  const ids = patterns.flatMap(({ id }) => (id === undefined ? [] : [id]));
  expect(ids).toEqual([1, 2, 3, 4].map((n) => `JS-${n}`).concat([1, 2, 3, 4, 5, 6, 7].map((n) => `JS-W${n}`)));
});

test('the model is what the README shows', async () => {
  await expectChartsInReadme(import.meta.url, jobScheduler);
});

describe.each(drawn('job scheduler', databases))('job scheduler, $name', (database) => {
  const workbench = useWorkbench(database);

  test('JS-A1, JS-A2: what is due by a time, the longest due first (JS-1)', async () => {
    const { scheduler } = await openSample(workbench());
    expect(idsOf(await scheduler.dueBy('2019-12-30'))).toEqual(['2']);
    expect(idsOf(await scheduler.dueBy('2019-12-31'))).toEqual(['2', '1']);
    expect(idsOf(await scheduler.dueBy('2019-12-31T10:00:00Z'))).toEqual(['2', '1']);
    expect(idsOf(await scheduler.dueBy('2019-12-28T23:59:59Z'))).toEqual([]);
  });

  test('JS-1: is a query of each shard, on keys as declared (JS-W1)', async () => {
    const { table, clock } = await openSample(workbench());
    const { client, requests } = workbench().newLoggedClient();
    await new Scheduler({ client, tableName: table.name, clock, newId: () => 'x' }).dueBy('2019-12-30');
    const shards = requests.map(
      ({ input }) => (input['ExpressionAttributeValues'] as { ':p0': { S: string } })[':p0'].S,
    );
    // They are sent together, and recorded as they are answered.
    expect(shards.toSorted()).toEqual([0, 1, 2, 3].map((shard) => `Shard#${shard}`));
    expect(await table.get({ PK: 'job:2', SK: 'root' })).toEqual({
      PK: 'job:2',
      SK: 'root',
      Type: 'Job',
      // The first four bytes of the SHA-256 of "2", modulo 4.
      GSI_1_PK: 'Shard#2',
      GSI_1_SK: '2019-12-29',
      jobId: '2',
      JobName: 'Verbatim',
      InputType: 'wav',
      scheduledFor: '2019-12-29',
      status: 'queued',
      attempts: 0,
    });
  });

  test('JS-A3: of two workers one claims the job (JS-W2)', async () => {
    const { scheduler, another } = await openSample(workbench());
    const [job] = await scheduler.dueBy('2019-12-30');
    const outcomes = await Promise.allSettled([scheduler.claim(job!), another().claim(job!)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: refused });
  });

  test('JS-A4: a claimed job is hidden until its lease ends, and then it is due again by itself', async () => {
    const { scheduler, clock } = await openSample(workbench());
    const claim = await scheduler.claimNext();
    expect(claim?.job).toMatchObject({
      jobId: '2',
      status: 'running',
      attempts: 1,
      leaseUntil: '2020-01-01T00:01:00Z',
    });
    expect(idsOf(await scheduler.dueBy())).toEqual(['1']);
    clock.setToMs(Date.parse('2020-01-01T00:00:59Z'));
    expect(idsOf(await scheduler.dueBy())).toEqual(['1']);
    clock.setToMs(Date.parse('2020-01-01T00:01:00Z'));
    expect(idsOf(await scheduler.dueBy())).toEqual(['1', '2']);
  });

  test('JS-A5: a job that is done leaves the index (JS-W3)', async () => {
    const { scheduler, table } = await openSample(workbench());
    const claim = await scheduler.claimNext();
    await scheduler.complete(claim!);
    expect((await table.scan('GSI_1')).map(({ PK }) => PK)).toEqual(['job:1']);
    const stored = await table.get({ PK: 'job:2', SK: 'root' });
    expect(stored).toMatchObject({ status: 'done', attempts: 1 });
    for (const name of ['GSI_1_PK', 'GSI_1_SK', 'leaseOwner', 'leaseUntil']) expect(stored).not.toHaveProperty(name);
  });

  test('JS-A6: the next due time of all (JS-4), and of none', async () => {
    const { scheduler } = await openSample(workbench());
    expect(await scheduler.nextDueAt()).toBe('2019-12-29');
    await scheduler.work(async () => await Promise.resolve());
    expect(await scheduler.nextDueAt()).toBeUndefined();
  });

  test('JS-A7: a worker whose lease was taken over cannot complete the job, nor fail it', async () => {
    const { scheduler, another, clock } = await openSample(workbench());
    const slow = await scheduler.claimNext();
    clock.setToMs(Date.parse('2020-01-02T00:00:00Z'));
    const [, lapsed] = await scheduler.dueBy();
    expect(lapsed?.jobId).toBe('2');
    const quick = await another().claim(lapsed!);
    await expect(scheduler.complete(slow!)).rejects.toMatchObject(refused);
    await expect(scheduler.fail(slow!)).rejects.toMatchObject(refused);
    await another().complete(quick!);
    expect(await scheduler.db.job({ jobId: '2' })).toMatchObject({ status: 'done', attempts: 2 });
  });

  test('JS-W4: a worker whose lease was taken over cannot give the job up after what it takes for the last attempt', async () => {
    const { scheduler, another, table, clock } = await openSample(workbench(), { attemptsMax: 1 });
    const slow = await scheduler.claimNext();
    clock.setToMs(Date.parse('2020-01-02T00:00:00Z'));
    const patient = another({ attemptsMax: 5 });
    const [, lapsed] = await patient.dueBy();
    const quick = await patient.claim(lapsed!);
    const held = await table.get({ PK: 'job:2', SK: 'root' });
    await expect(scheduler.fail(slow!)).rejects.toMatchObject(refused);
    expect(await table.get({ PK: 'job:2', SK: 'root' })).toEqual(held);
    await patient.complete(quick!);
    expect(await scheduler.db.job({ jobId: '2' })).toMatchObject({ status: 'done', attempts: 2 });
  });

  test('JS-A8: a daily job is due one day later when it is done (JS-W5)', async () => {
    const { scheduler, table, clock } = await open(workbench());
    clock.setToMs(Date.parse('2019-12-29T03:00:00Z'));
    await scheduler.schedule({ ...VERBATIM, schedule: { everySeconds: 86_400 } });
    await scheduler.schedule({ ...AUDIO, dueAt: '2019-12-29T02:30:00Z', schedule: { everySeconds: 3600 } });
    expect(await scheduler.work(async () => await Promise.resolve())).toBe(2);
    const jobs = await table.scan('GSI_1');
    const byId = Object.fromEntries(jobs.map((job) => [job['PK'], job]));
    expect(jobs).toHaveLength(2);
    expect(byId['job:2']).toMatchObject({ GSI_1_SK: '2019-12-30', status: 'queued', attempts: 0 });
    expect(byId['job:1']).toMatchObject({ GSI_1_SK: '2019-12-29T03:30:00Z' });
    // Runs missed while no worker ran are not made up for.
    clock.setToMs(Date.parse('2020-01-05T03:00:00Z'));
    await scheduler.work(async () => await Promise.resolve());
    expect((await scheduler.db.job({ jobId: '2' }))?.dueAt).toBe('2020-01-06');
    expect((await scheduler.db.job({ jobId: '1' }))?.dueAt).toBe('2020-01-05T03:30:00Z');
  });

  test('JS-W5: a worker whose lease was taken over cannot set the next time of a recurring job', async () => {
    const { scheduler, another, table, clock } = await open(workbench());
    await scheduler.schedule({ ...VERBATIM, schedule: { everySeconds: 86_400 } });
    const slow = await scheduler.claimNext();
    clock.setToMs(Date.parse('2020-01-01T00:01:00Z'));
    const quick = await another().claimNext();
    expect(quick?.job.jobId).toBe('2');
    const held = await table.get({ PK: 'job:2', SK: 'root' });
    await expect(scheduler.complete(slow!)).rejects.toMatchObject(refused);
    expect(await table.get({ PK: 'job:2', SK: 'root' })).toEqual(held);
    await another().complete(quick!);
    await expect(scheduler.complete(slow!)).rejects.toMatchObject(refused);
    expect(await scheduler.db.job({ jobId: '2' })).toMatchObject({
      status: 'queued',
      dueAt: '2020-01-02',
      attempts: 0,
    });
  });

  test('JS-A9: what was cancelled or rescheduled since is not claimed (JS-W6, JS-W7)', async () => {
    const { scheduler, table } = await openSample(workbench());
    const [verbatim, audio] = await scheduler.dueBy();
    await scheduler.cancel('2');
    await scheduler.reschedule('1', '2020-02-01');
    await expect(scheduler.claim(verbatim!)).rejects.toMatchObject(refused);
    await expect(scheduler.claim(audio!)).rejects.toMatchObject(refused);
    expect(await table.scan('GSI_1')).toMatchObject([{ PK: 'job:1', GSI_1_SK: '2020-02-01' }]);
    expect(await scheduler.db.job({ jobId: '2' })).toMatchObject({ status: 'cancelled', attempts: 0 });
    await expect(scheduler.cancel('2')).rejects.toMatchObject(refused);
    await expect(scheduler.reschedule('2', '2020-02-01')).rejects.toMatchObject(refused);
    await expect(scheduler.cancel('9')).rejects.toMatchObject({ code: 'not-found' });
  });

  test('JS-A10: a job that kills its worker on every claim is dead after the third lease', async () => {
    const { scheduler, table, clock } = await openSample(workbench(), { attemptsMax: 3 });
    await scheduler.cancel('1');
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      expect((await scheduler.claimNext())?.job.attempts).toBe(attempt);
      clock.setToMs(clock.nowMs() + 60_000);
    }
    expect(await scheduler.claimNext()).toBeUndefined();
    expect(await scheduler.db.job({ jobId: '2' })).toMatchObject({ status: 'dead', attempts: 3 });
    expect(await table.scan('GSI_1')).toEqual([]);
  });

  test('JS-W4: a job that fails comes again later, each time later, and is dead after the last attempt', async () => {
    const { scheduler, clock, table } = await openSample(workbench(), { attemptsMax: 3 });
    await scheduler.cancel('1');
    const dues: (string | undefined)[] = [];
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      expect(await scheduler.work(async () => await Promise.reject(new RangeError('no')))).toBe(1);
      dues.push(await scheduler.nextDueAt());
      clock.setToMs(clock.nowMs() + 10_000);
    }
    expect(dues).toEqual(['2020-01-01T00:00:02Z', '2020-01-01T00:00:14Z', undefined]);
    expect(await scheduler.db.job({ jobId: '2' })).toMatchObject({ status: 'dead', attempts: 3 });
    expect(await table.scan('GSI_1')).toEqual([]);
  });

  test('JS-W1, JS-2, JS-3: an id once, a job by its id, a window with both ends', async () => {
    const { scheduler } = await openSample(workbench());
    await expect(scheduler.schedule(AUDIO)).rejects.toMatchObject({ code: 'already-exists' });
    await expect(scheduler.schedule({ ...AUDIO, jobId: '3', dueAt: '31.12.2019' })).rejects.toMatchObject({
      code: 'invalid',
    });
    expect(await scheduler.db.job({ jobId: '1' })).toMatchObject({ JobName: 'Transcribe audio', dueAt: '2019-12-31' });
    const inWindow = async (from: string, to: string): Promise<string[]> =>
      idsOf((await scheduler.db.jobsInWindow({ dueAt: { from, to } })).items);
    expect(await inWindow('2019-12-29', '2019-12-31')).toEqual(['2', '1']);
    expect(await inWindow('2019-12-30', '2019-12-31')).toEqual(['1']);
    expect(await inWindow('2019-12-30', '2019-12-30')).toEqual([]);
  });
});

describe('many jobs', () => {
  const workbench = useWorkbench(databases.at(-1)!);

  test('workers side by side do each job once', async () => {
    const { scheduler, another, clock } = await open(workbench());
    await seedJobs(scheduler, '2020-01-01T00:00:00Z', 0.0006);
    clock.setToMs(Date.parse('2020-01-02T00:00:00Z'));
    const done: string[] = [];
    const act = async ({ jobId }: Job): Promise<void> => {
      done.push(jobId);
      await Promise.resolve();
    };
    await Promise.all([scheduler, another(), another()].map(async (worker) => await worker.work(act)));
    expect(done.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 60 }, (_, i) => String(i + 1)));
    expect(await scheduler.nextDueAt()).toBeUndefined();
  });

  test('the demo plays a day', async () => {
    const written: string[] = [];
    const terminal = new Terminal({ write: (text) => written.push(text) }, { colour: false });
    const database = await databases.at(-1)!.open();
    try {
      const demo = jobSchedulerDemo({ scale: 0.001 });
      await runDemo(demo, {
        database,
        terminal,
        tableName: `jobs-demo-${process.pid}`,
        signal: new AbortController().signal,
      });
      const output = written.join('');
      expect(output).toMatch(/\d+ jobs were done, \d+ attempts failed, \d+ workers died; 25 reports/);
      for (const { id, title } of demo.patterns) expect(output).toContain(`${id}  ${title}`);
      expect(output).not.toContain('no request');
    } finally {
      await database.close();
    }
  });
});
