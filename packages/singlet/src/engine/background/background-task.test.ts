import { describe, expect, test } from 'vitest';
import { StorageError, type StorageErrorCode } from '../../storage/storage-error.ts';
import { StaleTableError } from '../catalog/catalog.ts';
import { compositeKey, createdTable } from '../testing/test-engine.ts';
import { type TestServices, testServices } from '../testing/test-services.ts';
import { ClosingSignal, takeTurn } from './background-pace.ts';
import { failedPauseMs, outcomeOf, repeatTask, type RepeatedTask, runJob } from './background-task.ts';

const failure = (code: StorageErrorCode): StorageError => new StorageError(code, code);

/** A task that throws the errors in turn, and then does its work. */
function failing(...errors: readonly unknown[]): { readonly run: () => Promise<void>; readonly runs: () => number } {
  let runs = 0;
  return {
    runs: () => runs,
    run: async () => {
      const error = errors[runs];
      runs += 1;
      if (error !== undefined) throw error;
    },
  };
}

const eventsOf = ({ logged }: TestServices): readonly string[] => logged.map(({ level, event }) => `${level} ${event}`);

describe('what an error means for a task', () => {
  test.each<[StorageErrorCode, string]>([
    ['closed', 'stopped'],
    ['io', 'postponed'],
    ['unknown-outcome', 'postponed'],
    ['conflict', 'postponed'],
    ['open', 'postponed'],
    ['format', 'failed'],
    ['damaged', 'failed'],
  ])('a failure of the store: %s', (code, outcome) => {
    expect(outcomeOf(failure(code))).toBe(outcome);
  });

  test('the end of the engine, a table that changes, and a defect', async () => {
    const table = await createdTable(testServices(), { tableName: 'items', ...compositeKey });
    expect(outcomeOf(new ClosingSignal())).toBe('stopped');
    expect(outcomeOf(new StaleTableError(table))).toBe('postponed');
    expect(outcomeOf(new TypeError('a defect'))).toBe('failed');
  });
});

describe('a job', () => {
  test('continues after failures of the store that pass', async () => {
    const services = testServices();
    const { run, runs } = failing(failure('io'), failure('conflict'));
    const job = runJob(services, { key: 'job', run });
    for (const round of [1, 2]) {
      await expect.poll(() => services.clock.waitingCount).toBe(1);
      expect(runs()).toBe(round);
      services.clock.advance(1000);
    }
    await job;
    expect(runs()).toBe(3);
    expect(eventsOf(services)).toEqual(['warn background-work-retried', 'warn background-work-retried']);
    expect(services.backgroundJobs.size).toBe(0);
  });

  test.each(['format', 'damaged'] as const)('ends with data that cannot be read: %s', async (code) => {
    const services = testServices();
    await expect(runJob(services, { key: 'job', run: failing(failure(code)).run })).rejects.toMatchObject({ code });
    expect(services.backgroundJobs.size).toBe(0);
  });

  test('runs once at a time in a process', async () => {
    const services = testServices();
    let finish: () => void = () => undefined;
    const first = runJob(services, { key: 'job', run: () => new Promise<void>((resolve) => (finish = resolve)) });
    const { run, runs } = failing();
    await runJob(services, { key: 'job', run });
    expect(runs()).toBe(0);
    finish();
    await first;
    await runJob(services, { key: 'job', run });
    expect(runs()).toBe(1);
  });

  test('ends between two steps when the engine closes, also while it waits to continue', async () => {
    const services = testServices();
    services.close();
    await runJob(services, { key: 'steps', run: () => takeTurn(services) });
    await runJob(services, { key: 'waits', run: failing(failure('io')).run });
    expect(services.backgroundJobs.size).toBe(0);
  });
});

describe('a repeated task', () => {
  const taskOf = (run: () => Promise<void>): RepeatedTask => ({
    name: 'tidying',
    everyMs: 100,
    postponedEvent: 'tidying-postponed',
    run,
  });

  /** Advances the clock by this much, once the task is waiting. */
  const wait = async ({ clock }: TestServices, ms: number): Promise<void> => {
    await expect.poll(() => clock.waitingCount).toBe(1);
    clock.advance(ms);
  };

  test('continues at its pace after a failure of the store', async () => {
    const services = testServices();
    const { run, runs } = failing(failure('io'));
    const running = repeatTask(services, taskOf(run));
    for (const round of [1, 2, 3]) {
      await wait(services, 100);
      await expect.poll(runs).toBe(round);
    }
    expect(eventsOf(services)).toEqual(['warn tidying-postponed']);
    services.close();
    await wait(services, 100);
    await running;
    expect(runs()).toBe(3);
  });

  test('continues after what will not pass by itself, too, and not so soon', async () => {
    const services = testServices();
    const { run, runs } = failing(failure('damaged'), new TypeError('a defect'));
    const running = repeatTask(services, taskOf(run));
    await wait(services, 100);
    await expect.poll(runs).toBe(1);
    await wait(services, failedPauseMs - 1);
    expect(runs()).toBe(1);
    await wait(services, 1);
    await expect.poll(runs).toBe(2);
    await wait(services, failedPauseMs);
    await expect.poll(runs).toBe(3);
    expect(eventsOf(services)).toEqual(['error background-task-failed', 'error background-task-failed']);
    services.close();
    await wait(services, 100);
    await running;
  });

  test.each([new ClosingSignal(), failure('closed')])('ends with the engine and its store: %s', async (error) => {
    const services = testServices();
    const running = repeatTask(services, taskOf(failing(error).run));
    await wait(services, 100);
    await running;
    expect(eventsOf(services)).toEqual([]);
  });
});
