import { describe, expect, it } from 'vitest';
import { BenchError } from './bench-error.ts';
import type { BenchGroup } from './plan.ts';
import type { Problem } from './measurement.ts';
import { measureRounds, rotated } from './rounds.ts';
import type { Subject, SubjectId } from './subject.ts';

const silent = { step: () => undefined, note: () => undefined, end: () => undefined };
const figures = { requests: 1, errors: 0, seconds: 1, requestsPerSecond: 1, p50Ms: 1, p99Ms: 1 };

/** A subject that records the calls it receives. */
function scripted(id: SubjectId, log: string[], script: Partial<Subject> = {}): Subject {
  return {
    id,
    title: id,
    transport: 'http',
    supports: () => true,
    start: async () => void log.push(`start ${id}`),
    fillTable: async (table) => void log.push(`fill ${id} ${table.name}`),
    prepare: async (benchCase) => void log.push(`prepare ${id} ${benchCase.id}`),
    run: async (benchCase, { concurrency }) => {
      log.push(`run ${id} ${benchCase.id} ${concurrency}`);
      return figures;
    },
    release: async () => void log.push(`release ${id}`),
    memory: () => undefined,
    stop: async () => undefined,
    ...script,
  };
}

const subjectIds = ['http-floor', 'dynalite-disk', 'dynalite-memory', 'singlet-disk', 'lmdb'] as const;

function groupOf(name: 'get' | 'connections', ...concurrencies: number[]): BenchGroup {
  const table = { name: 'Bench', itemCount: 200, itemBytes: 1024, indexCount: 0, stream: false };
  const cases = concurrencies.map((concurrency) => ({
    id: `${name}/${concurrency}`,
    title: name === 'get' ? '' : `${concurrency} connections`,
    ring: { scenario: 'get', table, countMax: 10 } as const,
    concurrency,
  }));
  return { name, title: 'GetItem', cases, subjects: subjectIds };
}

async function measured(subjects: readonly Subject[], rounds: number, groups = [groupOf('get', 32)]) {
  const problems: Problem[] = [];
  const timing = { warmUpMs: 0, durationMs: 1 };
  const result = await measureRounds(groups, subjects, { rounds, timing, progress: silent, problems });
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

  it('continues without a subject that does not start, answers wrongly, or breaks down', async () => {
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
      'GetItem: dynalite-disk',
      'GetItem: dynalite-memory',
    ]);
    expect(runs).toBe(2);
  });

  it('gives every case of a group one run of each subject in a round, and lets go of what it made', async () => {
    const log: string[] = [];
    const subjects = (['http-floor', 'singlet-disk'] as const).map((id) => scripted(id, log));
    const { measurements } = await measured(subjects, 2, [groupOf('connections', 1, 256)]);
    const runs = log.filter((line) => line.startsWith('run'));
    expect(runs.slice(0, 4)).toEqual([
      'run http-floor connections/1 1',
      'run singlet-disk connections/1 1',
      'run http-floor connections/256 256',
      'run singlet-disk connections/256 256',
    ]);
    expect(runs.slice(4).sort()).toEqual(runs.slice(0, 4).sort());
    expect(measurements.map(({ caseId, rounds }) => [caseId, rounds.length])).toEqual([
      ['connections/1', 2],
      ['connections/1', 2],
      ['connections/256', 2],
      ['connections/256', 2],
    ]);
    expect(log.slice(-2)).toEqual(['release http-floor', 'release singlet-disk']);
  });

  it('leaves out subjects that are not of the group', async () => {
    const log: string[] = [];
    const { measurements } = await measured([scripted('sdk-singlet', log)], 1);
    expect(measurements).toEqual([]);
    expect(log).toEqual(['start sdk-singlet']);
  });

  it('notes the memory when the first table is filled and after the last scenario, not with more tables', async () => {
    let bytes = 0;
    const memory = () => ({ privateBytes: (bytes += 1), mappedBytes: 0 });
    const groups = [groupOf('get', 32), groupOf('get', 16), groupOf('connections', 1)];
    const { subjects } = await measured([scripted('singlet-disk', [], { memory })], 1, groups);
    expect(subjects[0]?.memory).toEqual({
      loaded: { privateBytes: 1, mappedBytes: 0 },
      after: { privateBytes: 4, mappedBytes: 0 },
    });
  });

  it('knows what is not available here from what went wrong', async () => {
    const start = async (): Promise<never> => {
      throw new BenchError('absent', 'not for this platform');
    };
    const { problems } = await measured([scripted('lmdb', [], { start })], 1);
    expect(problems).toEqual([{ what: 'lmdb', reason: 'not for this platform', isExpected: true }]);
  });

  it('reports answers that were errors', async () => {
    const run = async () => ({ ...figures, errors: 3, firstError: '400 no' });
    const { problems, measurements } = await measured([scripted('singlet-disk', [], { run })], 1);
    expect(problems).toEqual([{ what: 'GetItem: singlet-disk', reason: '3 of 1 answers were wrong: 400 no' }]);
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
