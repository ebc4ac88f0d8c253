import type { Finding } from './finding.ts';

/** The maximum number of findings that a report lists and the log receives. */
export const scrubFindingsMax = 100;

/** The findings of a pass over all stored data while requests were served. */
export interface ScrubReport {
  readonly startedAtMs: number;
  /** Absent while the pass runs. */
  readonly endedAtMs?: number;
  readonly tables: number;
  /** Values that were compared with their checksums. */
  readonly entries: number;
  readonly bytes: number;
  readonly findingCount: number;
  /** The first findings. */
  readonly findings: readonly Finding[];
  /** Why the pass ended early. */
  readonly failure?: string;
}
