import type { BackfillResult } from './backfill.ts';
import type { GrowthResult } from './growth.ts';
import type { LoadClient } from './load-process.ts';
import type { LoadResult } from './load.ts';
import type { Machine, Versions } from './machine.ts';
import type { MeasuredSubject, Measurement, Problem } from './measurement.ts';
import type { MemoryResult } from './memory.ts';
import type { BenchGroup } from './plan.ts';
import type { StartupResult } from './startup.ts';
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
    /** What generated the load over HTTP. Absent in results from before wrk was used. */
    readonly client?: LoadClient;
  };
  /** Share of the machine's CPU time that processes other than the benchmark's used meanwhile, if known. */
  readonly otherLoadShare?: number;
  /** What else used the processors, as the end of a sentence: time figures of such a run are not judged. Absent if the machine was quiet. */
  readonly disturbance?: string;
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
