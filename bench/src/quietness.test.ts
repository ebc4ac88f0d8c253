import { describe, expect, test } from 'vitest';
import type { Measurement } from './measurement.ts';
import { disturbanceOf } from './quietness.ts';
import type { SubjectId } from './subject.ts';

function cpu(caseId: string, subject: SubjectId, ...microseconds: readonly (number | undefined)[]): Measurement {
  const rounds = microseconds.map((each) => ({
    requests: 100,
    errors: 0,
    seconds: 1,
    requestsPerSecond: 100,
    p50Ms: 1,
    p99Ms: 2,
    ...(each !== undefined && { subjectCpuMicroseconds: each }),
  }));
  return { caseId, subject, rounds };
}

const steady = cpu('get', 'http-floor', 15, 14, 14, 13, 14);
const unsteady = cpu('put', 'http-floor', 26, 48, 31, 34, 36);

describe('what disturbed a run', () => {
  test.each<[string, Parameters<typeof disturbanceOf>[0], string | undefined]>([
    ['nothing', { measurements: [steady], otherLoadShare: 0.03 }, undefined],
    ['other processes', { measurements: [steady], otherLoadShare: 0.42 }, 'other processes used 42 % of it'],
    ['a shared processor', { measurements: [unsteady], otherLoadShare: 0.01 }, 'an empty server'],
    ['a shared processor, in most cases', { measurements: [unsteady, steady, unsteady] }, 'differed by 65 % between'],
    ['one case of several', { measurements: [steady, unsteady, steady] }, undefined],
    ['rounds of another subject', { measurements: [cpu('get', 'singlet-disk', 10, 40)] }, undefined],
    ['a single round', { measurements: [cpu('get', 'http-floor', 10)] }, undefined],
    ['a system without CPU times', { measurements: [cpu('get', 'http-floor', undefined, undefined)] }, undefined],
  ])('%s', (_, observed, expected) => {
    const disturbance = disturbanceOf(observed);
    if (expected === undefined) expect(disturbance).toBeUndefined();
    else expect(disturbance).toContain(expected);
  });
});
