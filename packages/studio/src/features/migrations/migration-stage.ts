import { countText } from '../../ui/figures.ts';
import type { ItemCount, MigrationAnswer, MigrationJob } from '../../wire/migration-answers.ts';

/** Where a migration is. What the tables say counts, and what is under way in the server. */
export type Stage = 'unplanned' | 'incomplete' | 'ready' | 'working' | 'interrupted' | 'ended' | 'undone';

export function stageOf({ isWritten, refusals, state, job }: MigrationAnswer): Stage {
  if (job?.state === 'running') return 'working';
  if (!isWritten) return 'unplanned';
  if (state !== null && state.endedAt === undefined) return 'interrupted';
  if (state?.direction === 'run') return 'ended';
  if (refusals.length > 0) return 'incomplete';
  return state === null ? 'ready' : 'undone';
}

/** What a dry run has counted and would be done next, while nothing else was done since. */
export function countedFor(job: MigrationJob | null): 'run' | 'undo' | undefined {
  if (job === null || !job.dryRun || job.state !== 'done') return undefined;
  return job.work === 'undo' ? 'undo' : 'run';
}

/** How far items of a step are, from 0 to 1; undefined where it is not known how many there are. */
export function partOf({ scanned }: ItemCount, items: number | undefined): number | undefined {
  return items === undefined || items === 0 ? undefined : Math.min(1, scanned / items);
}

export function countsText({ scanned, written, current, gone, failed }: ItemCount): string {
  return [
    `${countText(scanned)} read`,
    `${countText(written)} written`,
    `${countText(current)} as they should be`,
    ...(gone > 0 ? [`${countText(gone)} gone meanwhile`] : []),
    ...(failed > 0 ? [`${countText(failed)} failed`] : []),
  ].join(', ');
}
