import type { BackfillResult } from './backfill.ts';
import type { GrowthResult } from './growth.ts';
import type { LoadResult } from './load.ts';
import type { Machine, Versions } from './machine.ts';
import type { MemoryResult } from './memory.ts';
import type { BenchGroup } from './plan.ts';
import type { MemoryUse } from './process-cpu.ts';
import type { RunFigures } from './run-figures.ts';
import type { StartupResult } from './startup.ts';
import { ratios } from './statistics.ts';
import type { SubjectId, SubjectInfo } from './subject.ts';
import type { TargetVerdict } from './targets.ts';
import type { VectorResult } from './vectors.ts';

/** Everything one benchmark run found; the JSON file is exactly this. */
export interface BenchResults {
  readonly format: 2;
  readonly startedAt: string;
  readonly machine: Machine;
  readonly versions: Versions;
  readonly settings: {
    readonly itemCount: number;
    readonly concurrency: number;
    readonly rounds: number;
    readonly secondsPerRun: number;
    readonly quick: boolean;
  };
  /** Share of the machine's CPU time that processes other than the benchmark's took meanwhile, where it is known. */
  readonly otherLoadShare?: number;
  readonly groups: readonly BenchGroup[];
  readonly subjects: readonly MeasuredSubject[];
  readonly measurements: readonly Measurement[];
  readonly startup?: StartupResult;
  readonly load?: LoadResult;
  readonly vectors?: VectorResult;
  readonly growth?: GrowthResult;
  readonly backfill?: BackfillResult;
  readonly memory?: MemoryResult;
  readonly targets: readonly TargetVerdict[];
  readonly problems: readonly Problem[];
}

/** Memory of a subject with the base table: when it was just filled, and after the last scenario on it. */
export interface SubjectMemory {
  readonly loaded?: MemoryUse;
  readonly after?: MemoryUse;
}

export interface MeasuredSubject extends SubjectInfo {
  readonly memory?: SubjectMemory;
}

/** One subject in one case. The n-th round of every case and subject of a group was run in the same turn. */
export interface Measurement {
  readonly caseId: string;
  readonly subject: SubjectId;
  readonly rounds: readonly RunFigures[];
}

/** Something that could not be measured, and why. */
export interface Problem {
  readonly what: string;
  readonly reason: string;
  /** Whether nothing is wrong: it is not to be had here. */
  readonly isExpected?: boolean;
}

export function roundsOf(
  results: Pick<BenchResults, 'measurements'>,
  caseId: string,
  subject: SubjectId,
): readonly RunFigures[] {
  const found = results.measurements.find((each) => each.caseId === caseId && each.subject === subject);
  return found?.rounds ?? [];
}

export function ratesOf(
  results: Pick<BenchResults, 'measurements'>,
  caseId: string,
  subject: SubjectId,
): readonly number[] {
  return roundsOf(results, caseId, subject).map((round) => round.requestsPerSecond);
}

/** One subject's rate by another's, round by round. Empty when one of them was not measured. */
export function rateRatios(
  results: Pick<BenchResults, 'measurements'>,
  caseId: string,
  subject: SubjectId,
  against: SubjectId,
): number[] {
  return ratios(ratesOf(results, caseId, subject), ratesOf(results, caseId, against));
}
