import type { MemoryUse } from './process-cpu.ts';
import type { RunFigures } from './run-figures.ts';
import { ratios } from './statistics.ts';
import type { SubjectId, SubjectInfo } from './subject.ts';

/** Memory of a subject with the base table: right after it was filled, and after the last scenario on it. */
export interface SubjectMemory {
  readonly loaded?: MemoryUse;
  readonly after?: MemoryUse;
}

export interface MeasuredSubject extends SubjectInfo {
  readonly memory?: SubjectMemory;
}

/** One subject in one case. The n-th rounds of all cases and subjects of a group ran in the same turn. */
export interface Measurement {
  readonly caseId: string;
  readonly subject: SubjectId;
  readonly rounds: readonly RunFigures[];
}

/** A measurement that could not be taken, and why. */
export interface Problem {
  readonly what: string;
  readonly reason: string;
  /** Whether this is not an error: the subject is not available here. */
  readonly isExpected?: boolean;
}

interface Measured {
  readonly measurements: readonly Measurement[];
}

export function roundsOf(results: Measured, caseId: string, subject: SubjectId): readonly RunFigures[] {
  const found = results.measurements.find((each) => each.caseId === caseId && each.subject === subject);
  return found?.rounds ?? [];
}

export function ratesOf(results: Measured, caseId: string, subject: SubjectId): readonly number[] {
  return roundsOf(results, caseId, subject).map((round) => round.requestsPerSecond);
}

/** CPU of a subject per request, round by round; empty where the system does not report it. */
export function cpuTimesOf(results: Measured, caseId: string, subject: SubjectId): readonly number[] {
  const times = roundsOf(results, caseId, subject).map(({ subjectCpuMicroseconds }) => subjectCpuMicroseconds);
  return times.every((each) => each !== undefined) ? times : [];
}

/** One subject's rate divided by another's, round by round. Empty when one of them was not measured. */
export function rateRatios(results: Measured, caseId: string, subject: SubjectId, against: SubjectId): number[] {
  return ratios(ratesOf(results, caseId, subject), ratesOf(results, caseId, against));
}
