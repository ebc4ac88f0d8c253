import { countText } from '../../ui/figures.ts';
import type { ItemCount, MigrationAnswer, MigrationJob } from '../../wire/migration-answers.ts';

/** The stage of a migration, from the state of its tables and the work in progress in the server. */
export type Stage = 'unplanned' | 'incomplete' | 'ready' | 'working' | 'interrupted' | 'ended' | 'undone';

export function stageOf({ isWritten, refusals, state, job }: MigrationAnswer): Stage {
  if (job?.state === 'running') return 'working';
  if (!isWritten) return 'unplanned';
  if (state !== null && state.endedAt === undefined) return 'interrupted';
  if (state?.direction === 'run') return 'ended';
  if (refusals.length > 0) return 'incomplete';
  return state === null ? 'ready' : 'undone';
}

/** The work that a dry run has counted and that can run next; undefined if other work was done since. */
export function countedFor(job: MigrationJob | null): 'run' | 'undo' | undefined {
  if (job === null || !job.dryRun || job.state !== 'done') return undefined;
  return job.work === 'undo' ? 'undo' : 'run';
}

/** The progress of a step's items, from 0 to 1; undefined if their number is unknown. */
export function partOf({ scanned }: ItemCount, items: number | undefined): number | undefined {
  return items === undefined || items === 0 ? undefined : Math.min(1, scanned / items);
}

export function countsText({ scanned, written, current, gone, failed }: ItemCount): string {
  return [
    `${countText(scanned)} read`,
    `${countText(written)} written`,
    `${countText(current)} as they should be`,
    ...(gone > 0 ? [`${countText(gone)} deleted in the meantime`] : []),
    ...(failed > 0 ? [`${countText(failed)} failed`] : []),
  ].join(', ');
}
