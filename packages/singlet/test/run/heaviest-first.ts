import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest. If one of them began last, the other workers would wait for it. `npm test` lists the heaviest at its end.
 */
export const heaviest: readonly string[] = [
  'systems/applications.test.ts',
  'packages/singlet/test/expensive-requests.test.ts',
  'systems/access-control/propagation.test.ts',
  'packages/create-singlet/test/starters.test.ts',
  'packages/singlet/test/store-move.test.ts',
  'packages/singlet/src/shipping/shared-backup-crash.test.ts',
  'conformance/conformance.test.ts',
  'packages/singlet/test/workers.test.ts',
  'packages/singlet/test/model-commands.test.ts',
  'packages/singlet/test/postgres-servers.test.ts',
  'systems/load.test.ts',
  'systems/github-migrations/many-items.test.ts',
  'packages/singlet/src/storage/postgres/postgres-store.test.ts',
  'packages/singlet/test/postgres-failover.test.ts',
  'packages/studio/test/bulk-panel.test.ts',
  'packages/studio/test/collections-view.test.ts',
  'packages/model/test/random-models/proven-models.test.ts',
  'systems/e-commerce/e-commerce.test.ts',
];

/**
 * Runs the files with a process of their own, then those that share one, so that its modules are loaded once. Among each the heaviest are first, so
 * that the last ones are short.
 */
export class HeaviestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((left, right) => place(left) - place(right));
  }
}

function place({ moduleId, project }: TestSpecification): number {
  const at = heaviest.findIndex((file) => moduleId.endsWith(file));
  const among = at < 0 ? heaviest.length : at;
  if (project.config.isolate) return among;
  // Those of a project follow each other.
  return (project.name === 'workbench' ? 1 : 2) * (heaviest.length + 1) + among;
}
