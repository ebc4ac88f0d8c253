import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest. If one of them began last, the other workers would wait for it. `npm test` lists the heaviest at its end.
 */
export const heaviest: readonly string[] = [
  'systems/applications.test.ts',
  'packages/create-singlet/test/starters.test.ts',
  'systems/bad-requests.test.ts',
  'systems/load.test.ts',
  'packages/singlet/test/postgres-servers.test.ts',
  'packages/singlet/src/storage/postgres/postgres-store.test.ts',
  'packages/singlet/test/workers.test.ts',
  'packages/singlet/src/shipping/shared-backup-crash.test.ts',
  'packages/singlet/test/newcomer.test.ts',
  'packages/singlet/test/store-move.test.ts',
  'conformance/conformance.test.ts',
  'packages/singlet/test/expensive-requests.test.ts',
  'packages/singlet/test/testing-guide.test.ts',
  'packages/singlet/test/serve-auth.test.ts',
  'packages/singlet/test/data-damage.test.ts',
  'packages/singlet/test/crash.test.ts',
  'packages/singlet/test/serve-command.test.ts',
  'packages/singlet/test/release.test.ts',
  'systems/access-control/propagation.test.ts',
  'systems/github-migrations/many-items.test.ts',
  'packages/singlet/test/postgres-failover.test.ts',
  'packages/studio/test/bulk-panel.test.ts',
  'packages/studio/test/collections-view.test.ts',
  'packages/model/test/random-models/proven-models.test.ts',
  'systems/e-commerce/e-commerce.test.ts',
];

/** The projects of vitest.config.ts in the order that they run in. The files of one follow each other, so that its processes are used again. */
const projects = ['starting processes', 'own process', 'workbench', 'shared process'];

/** Runs the projects one after another, and the heaviest files of each first, so that the last ones are short. */
export class HeaviestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((left, right) => place(left) - place(right));
  }
}

function place({ moduleId, project }: TestSpecification): number {
  const at = heaviest.findIndex((file) => moduleId.endsWith(file));
  const among = at < 0 ? heaviest.length : at;
  return projects.indexOf(project.name) * (heaviest.length + 1) + among;
}
