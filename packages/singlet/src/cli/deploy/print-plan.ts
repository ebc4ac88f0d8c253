import type { TablePlan } from './plan.ts';
import type { SkippedResource } from '../../templates/table-resources.ts';
import { counted } from '../../values/counted.ts';

/** Formats a plan for people. */
export function printPlan(plans: readonly TablePlan[], skipped: readonly SkippedResource[]): string {
  const lines = plans.flatMap(({ logicalId, tableName, action, reasons, steps, notes }) => [
    `${signs[action]} ${logicalId}${logicalId === tableName ? '' : ` (${tableName})`}: ${verbs[action]}`,
    ...reasons.map((reason) => `    because ${reason}`),
    ...steps.map(({ sign, text }) => `    ${sign} ${text}`),
    ...notes.map((note) => `    ! ${note}`),
  ]);
  const others = skipped.map(({ logicalId, type, notApplied }) =>
    notApplied === undefined
      ? `  ${logicalId}: skipped, ${type}`
      : `! ${logicalId}: ${notApplied} is not set up, ${type}`,
  );
  return [...lines, ...others, '', `${summary(plans)}\n`].join('\n');
}

const signs: Readonly<Record<TablePlan['action'], string>> = {
  create: '+',
  update: '~',
  replace: '-/+',
  nothing: '=',
  refused: '!',
};

const verbs: Readonly<Record<TablePlan['action'], string>> = {
  create: 'to be created',
  update: 'to be changed',
  replace: 'to be created again',
  nothing: 'no changes',
  refused: 'would have to be created again',
};

function summary(plans: readonly TablePlan[]): string {
  const changes = plans.reduce((sum, { steps }) => sum + steps.length, 0);
  const refused = plans.filter(({ action }) => action === 'refused').length;
  if (refused > 0) return `${refused} of ${plans.length} tables cannot be changed in place: nothing was done.`;
  if (changes === 0) return 'No changes.';
  return `${counted(changes, 'change')}.`;
}

/** Formats a plan for programs. */
export function planJson(plans: readonly TablePlan[], skipped: readonly SkippedResource[]): object {
  return {
    tables: plans.map(({ steps, ...plan }) => ({ ...plan, steps: steps.map(({ sign, text }) => ({ sign, text })) })),
    skipped,
    changes: plans.reduce((sum, { steps }) => sum + steps.length, 0),
  };
}
