import type { Change, Deploy } from '../versions/change.ts';
import type { Migration, Step } from './migration.ts';

/** A migration in words: what changes, what is done, and which code may run during it. */
export interface MigrationPlan {
  /** Identifies the migration: the same for the same two versions. */
  readonly id: string;
  /** The model's name. */
  readonly model: string;
  /** What differs between the versions. */
  readonly changes: readonly Change[];
  /** What a run does, in order. */
  readonly steps: readonly Step[];
  /** The order of work, in one sentence each. */
  readonly order: readonly string[];
  /** Entities for which the migration's file needs functions. */
  readonly functions: readonly string[];
}

/** Describes a migration. */
export function plan(migrated: Migration): MigrationPlan {
  const { id, model, changes, steps } = migrated;
  const functions = changes.filter(({ needsFunction }) => needsFunction).flatMap(({ entity = [] }) => entity);
  return { id, model, changes, steps, order: orderOf(migrated), functions: [...new Set(functions)] };
}

/** Describes a step in a few words. */
export function stepText(step: Step): string {
  switch (step.kind) {
    case 'create-table':
      return `create table ${step.table}`;
    case 'create-index':
      return `create index ${step.index} of ${step.table}`;
    case 'time-to-live':
      return `switch time to live of ${step.table} ${step.on ? 'on' : 'off'}`;
    case 'items': {
      const swept = step.sweeps.length === 0 ? '' : `; delete ${step.sweeps.join(', ')}`;
      return `write items of ${step.table}: ${step.types.join(', ')}${swept}`;
    }
    case 'counts':
      return `count ${step.child} in ${step.parent}.${step.counter}`;
    case 'uncount':
      return `take ${step.counter} from ${step.parent}`;
    case 'drop-index':
      return `drop index ${step.index} of ${step.table}, if asked to`;
  }
}

const ranks: Readonly<Record<Deploy, number>> = { any: 0, 'writers-first': 1, dual: 2 };

/** Which code may run meanwhile. A function makes values of old ones, so no process may write the new ones before: a sum would begin at its default. */
export function deployOf({ changes, functions }: Migration): Deploy {
  if (Object.keys(functions.entities ?? {}).length > 0) return 'dual';
  return changes.reduce<Deploy>((most, { deploy }) => (ranks[deploy] > ranks[most] ? deploy : most), 'any');
}

function orderOf(migrated: Migration): string[] {
  const { changes, steps } = migrated;
  const byHand = changes
    .filter((change) => change.class === 'by-hand')
    .map(({ path, message }) => `By hand, ${path}: ${message}`);
  if (steps.length === 0) return [...byHand, 'Deploy the new version. Nothing that is stored changes.'];
  const deploy = deployOf(migrated);
  // While both versions run, the new one writes to its tables from the beginning.
  const tables = steps.flatMap((step) => (step.kind === 'create-table' ? [step.table] : []));
  const first =
    deploy !== 'any' && tables.length > 0
      ? [`Create ${tables.join(' and ')}: the writers of the new version need it before the run.`]
      : [];
  const indexes = steps.some(({ kind }) => kind === 'create-index' || kind === 'create-table');
  const run = [
    ...(indexes ? ['Its first steps make the tables and indexes.'] : []),
    'It may be interrupted at any time: continue with migrate resume.',
  ];
  return [
    ...byHand,
    ...first,
    ...deployments[deploy].map((sentence) =>
      sentence === 'RUN' ? ['Run singlet migrate run.', ...run].join(' ') : sentence,
    ),
  ];
}

const deployments: Readonly<Record<Deploy, readonly string[]>> = {
  any: ['RUN', 'Run singlet migrate verify.', 'Deploy the new version, before or after.'],
  'writers-first': [
    'Deploy the writers of the new version everywhere; patterns that read what is new stay off.',
    'RUN',
    'Run singlet migrate verify.',
    'Switch on the patterns that read what is new.',
  ],
  dual: [
    'Deploy the new version everywhere, connected with connectDuring(model, migration, options) instead of connect.',
    'RUN',
    'Run singlet migrate verify.',
    'Deploy the new version with connect.',
  ],
};

/**
 * The text of a migration's file: functions to fill in if the model cannot say what a stored item becomes.
 */
export function migrationFile(migrated: Migration): string {
  const { functions, changes, order } = plan(migrated);
  const parts = functions.map((entity) => {
    const reasons = changes.filter((change) => change.entity === entity && change.needsFunction === true);
    return [
      ...reasons.map(({ path, message }) => `    // ${path}: ${message}`),
      `    ${JSON.stringify(entity)}: (item) => {`,
      `      throw new TypeError('say what becomes of ${entity}');`,
      '    },',
    ].join('\n');
  });
  return `import type { MigrationFunctions } from '@singlet/model/migrate';

// Migration ${migrated.id} of ${migrated.model}.
${order.map((sentence, index) => `// ${index + 1}. ${sentence}`).join('\n')}
//
// A function takes an item as the old version knows it and gives the attributes that change. It sees every item, migrated or
// not, and must leave one alone that is: applied twice it gives the same.
export const migration = {
  entities: {
${parts.length === 0 ? '    // nothing to say: the model says it all' : parts.join('\n')}
  },
  // The way back, for migrate undo: functions of the same form, for attributes that the old version has.
  back: {},
  // Paths of the changes that are seen to by hand.
  byHand: [],
} satisfies MigrationFunctions;
`;
}
