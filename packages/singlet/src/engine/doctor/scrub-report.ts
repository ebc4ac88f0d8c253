import type { Finding } from './finding.ts';

/** Findings that a report names, and that are logged. */
export const scrubFindingsMax = 100;

/** What a pass over all stored data has found while requests were served. */
export interface ScrubReport {
  readonly startedAtMs: number;
  /** Absent while the pass runs. */
  readonly endedAtMs?: number;
  readonly tables: number;
  /** Values that were compared with their checksums. */
  readonly entries: number;
  readonly bytes: number;
  readonly findingCount: number;
  /** The first of them. */
  readonly findings: readonly Finding[];
  /** Why it ended early. */
  readonly failure?: string;
}
