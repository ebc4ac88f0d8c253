import { describe, expect, it } from 'vitest';
import { BenchError } from './bench-error.ts';
import type { Problem } from './results.ts';
import { measureRounds, rotated } from './rounds.ts';
import type { Subject, SubjectId } from './subject.ts';

const silent = { step: () => undefined, note: () => undefined, end: () => undefined };
const figures = { requests: 1, errors: 0, seconds: 1, requestsPerSecond: 1, p50Ms: 1, p99Ms: 1 };

/** A subject that writes down what is asked of it. */
function scripted(id: SubjectId, log: string[], script: Partial<Subject> = {}): Subject {
  return {
    id,
    title: id,
    transport: 'http',
    supports: () => true,
    start: async () => void log.push(`start ${id}`),
    prepare: async (scenario) => void log.push(`prepare ${id} ${scenario.name}`),
    run: async (scenario) => {
      log.push(`run ${id} ${scenario.name}`);
      return figures;
    },
    memoryBytes: () => undefined,
    stop: async () => undefined,
    ...script,
  };
}

async function measured(subjects: readonly Subject[], rounds: number) {
  const problems: Problem[] = [];
  const timing = { concurrency: 1, warmUpMs: 0, durationMs: 1 };
  const result = await measureRounds(subjects, { scenarios: ['get'], rounds, timing, progress: silent, problems });
  return { ...result, problems };
}

describe('rounds', () => {
  it('alternates the subjects and starts each round with another one', async () => {
    const log: string[] = [];
    const subjects = (['http-floor', 'dynalite-disk', 'singlet-disk'] as const).map((id) => scripted(id, log));
    const { measurements, problems } = await measured(subjects, 3);
    const runs = log.filter((line) => line.startsWith('run')).map((line) => line.split(' ')[1]);
    expect([runs.slice(0, 3), runs.slice(3, 6), runs.slice(6)]).toEqual([
      ['http-floor', 'dynalite-disk', 'singlet-disk'],
      ['dynalite-disk', 'singlet-disk', 'http-floor'],
      ['singlet-disk', 'http-floor', 'dynalite-disk'],
    ]);
    expect(measurements.map(({ rounds }) => rounds.length)).toEqual([3, 3, 3]);
    expect(problems).toEqual([]);
  });

  it('goes on without a subject that does not start, answers wrongly, or breaks down', async () => {
    const log: string[] = [];
    const fail = async (): Promise<never> => {
      throw new BenchError('missing', 'not built');
    };
    let runs = 0;
    const subjects = [
      scripted('http-floor', log),
      scripted('singlet-disk', log, { start: fail }),
      scripted('dynalite-disk', log, { prepare: fail }),
      scripted('dynalite-memory', log, { run: async () => (++runs === 2 ? await fail() : figures) }),
      scripted('lmdb', log, { supports: () => false }),
    ];
    const { measurements, problems } = await measured(subjects, 3);
    expect(measurements.map(({ subject }) => subject)).toEqual(['http-floor']);
    expect(problems.map(({ what }) => what)).toEqual([
      'singlet-disk',
      'GetItem, dynalite-disk',
      'GetItem, dynalite-memory',
    ]);
    expect(runs).toBe(2);
  });

  it('reports answers that were errors', async () => {
    const run = async () => ({ ...figures, errors: 3, firstError: '400 no' });
    const { problems, measurements } = await measured([scripted('singlet-disk', [], { run })], 1);
    expect(problems).toEqual([{ what: 'GetItem, singlet-disk', reason: '3 of 1 answers were errors: 400 no' }]);
    expect(measurements).toHaveLength(1);
  });

  it('lets a bug of the benchmark through', async () => {
    const start = async (): Promise<never> => {
      throw new TypeError('bug');
    };
    await expect(measured([scripted('lmdb', [], { start })], 1)).rejects.toThrow('bug');
  });

  it('rotates', () => {
    expect(rotated(['a', 'b', 'c'], 4)).toEqual(['b', 'c', 'a']);
    expect(rotated([], 2)).toEqual([]);
  });
});
