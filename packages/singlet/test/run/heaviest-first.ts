import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest. If one of them began last, the other workers would wait for it. `npm test` lists the heaviest at its end.
 */
export const heaviest: readonly string[] = [
  'systems/applications.test.ts',
  'packages/create-singlet/test/starters.test.ts',
  'packages/singlet/src/storage/postgres/power-cut.test.ts',
  'packages/singlet/test/simulation.test.ts',
  'conformance/conformance.test.ts',
  'packages/singlet/src/shipping/backup-damage.test.ts',
  'systems/github-migrations/many-items.test.ts',
  'packages/singlet/test/expensive-requests.test.ts',
  'packages/singlet/test/store-move.test.ts',
  'packages/singlet/src/shipping/backup-crash.test.ts',
  'packages/model/test/random-models/proven-models.test.ts',
  'packages/studio/test/bulk-panel.test.ts',
];

/** Runs the heaviest files first, then those with a process of their own, then those that share one, so that each process is started once. */
export class HeaviestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((left, right) => place(left) - place(right));
  }
}

function place({ moduleId, project }: TestSpecification): number {
  if (!project.config.isolate) return heaviest.length + 1;
  const at = heaviest.findIndex((file) => moduleId.endsWith(file));
  return at < 0 ? heaviest.length : at;
}
