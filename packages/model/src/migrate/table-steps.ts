import { createIndex, createTable, dropIndex, switchTimeToLive } from './change-table.ts';
import type { Course, Step } from './migration.ts';
import type { Traffic } from './traffic.ts';

/** Runs a step that changes tables. Each step is idempotent: it skips what already exists. */
export async function changeTables(
  traffic: Traffic,
  { direction, target }: Course,
  step: Step,
  { drop, keep }: { readonly drop: boolean; readonly keep: readonly string[] },
): Promise<void> {
  switch (step.kind) {
    case 'create-table':
      return createTable(traffic, target, step.table);
    case 'create-index':
      return createIndex(traffic, target, step.table, step.index);
    case 'time-to-live':
      return switchTimeToLive(traffic, step.table, step.attribute, step.on);
    case 'drop-index':
      // Undoing drops what the migration created, and nothing that existed before.
      if (!drop || (direction === 'undo' && keep.includes(`${step.table}/${step.index}`))) return undefined;
      return dropIndex(traffic, step.table, step.index);
    case 'items':
    case 'counts':
    case 'uncount':
      return undefined;
  }
}
