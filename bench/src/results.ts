import type { BackfillResult } from './backfill.ts';
import type { GrowthResult } from './growth.ts';
import type { Machine, Versions } from './machine.ts';
import type { MemoryResult } from './memory.ts';
import type { RunFigures } from './run-figures.ts';
import type { ScenarioName } from './scenarios.ts';
import type { StartupResult } from './startup.ts';
import type { SubjectId, SubjectInfo } from './subject.ts';
import type { TargetVerdict } from './targets.ts';
import type { VectorResult } from './vectors.ts';

/** Everything one benchmark run found; the JSON file is exactly this. */
export interface BenchResults {
  readonly format: 1;
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
  readonly subjects: readonly MeasuredSubject[];
  readonly measurements: readonly Measurement[];
  readonly startup?: StartupResult;
  readonly vectors?: VectorResult;
  readonly growth?: GrowthResult;
  readonly backfill?: BackfillResult;
  readonly memory?: MemoryResult;
  readonly targets: readonly TargetVerdict[];
  readonly problems: readonly Problem[];
}

export interface MeasuredSubject extends SubjectInfo {
  readonly memory?: { readonly loadedBytes: number; readonly afterBytes: number };
}

/** One subject in one scenario. The n-th round of every subject of a scenario was run in the same turn. */
export interface Measurement {
  readonly scenario: ScenarioName;
  readonly subject: SubjectId;
  readonly rounds: readonly RunFigures[];
}

/** Something that could not be measured, and why. */
export interface Problem {
  readonly what: string;
  readonly reason: string;
}

export function roundsOf(
  results: Pick<BenchResults, 'measurements'>,
  scenario: ScenarioName,
  subject: SubjectId,
): readonly RunFigures[] {
  const found = results.measurements.find((each) => each.scenario === scenario && each.subject === subject);
  return found?.rounds ?? [];
}
