// The tree at the left of every page. A page that is not in it fails the build, except decision records, rules and exports,
// which their index lists.

/** Groups of the tree, each with files from the root of the repository. A folder that ends with a slash gives all of its pages. */
export const groups = [
  {
    title: 'Start',
    files: ['README.md', 'docs/tutorial.md', 'docs/when-not.md', 'docs/comparison.md', 'docs/moving.md'],
  },
  {
    title: 'Design',
    files: [
      'docs/model.md',
      'docs/prove.md',
      'docs/migrations.md',
      'docs/model-bridges.md',
      'docs/assistants.md',
      'docs/rules/README.md',
    ],
  },
  { title: 'Strategies', files: ['docs/strategies/README.md', 'docs/strategies/'] },
  { title: 'Patterns', files: ['docs/patterns/README.md', 'docs/patterns/'] },
  {
    title: 'Test',
    files: [
      'docs/testing.md',
      'docs/testing/vitest.md',
      'docs/testing/jest.md',
      'docs/testing/node-test.md',
      'docs/testing/pytest.md',
      'docs/testing/other-languages.md',
      'docs/testing/dynamodb-local.md',
      'docs/weather.md',
      'docs/cache.md',
      'docs/consumer.md',
    ],
  },
  {
    title: 'Workbench',
    files: [
      'docs/studio.md',
      'docs/workbench/tables.md',
      'docs/workbench/item-collections.md',
      'docs/workbench/items.md',
      'docs/workbench/query.md',
      'docs/workbench/partiql.md',
      'docs/workbench/model.md',
      'docs/workbench/migrations.md',
      'docs/workbench/tour.md',
      'docs/workbench/streams.md',
      'docs/workbench/requests.md',
      'docs/workbench/heat.md',
      'docs/workbench/settings.md',
      'docs/inspect.md',
    ],
  },
  {
    title: 'Operate',
    files: [
      'docs/operations.md',
      'docs/security.md',
      'docs/policies.md',
      'docs/encryption.md',
      'docs/backups.md',
      'docs/doctor.md',
      'docs/capacity.md',
      'docs/metrics.md',
      'docs/logging.md',
      'docs/workers.md',
      'docs/scale-out.md',
      'docs/global-tables.md',
      'docs/deploy.md',
      'docs/import-and-export.md',
      'docs/reliability.md',
    ],
  },
  {
    title: 'Reference',
    files: [
      'docs/commands.md',
      'docs/api/README.md',
      'docs/errors.md',
      'docs/error-codes.md',
      'docs/compatibility.md',
      'docs/limits.md',
      'docs/partiql.md',
      'docs/vector-search.md',
      'docs/isolation.md',
      'docs/glossary.md',
      'packages/singlet/README.md',
      'packages/model/README.md',
      'packages/studio/README.md',
      'packages/create-singlet/README.md',
    ],
  },
  {
    title: 'Applications',
    files: ['docs/starters.md', 'systems/README.md', 'systems/'],
  },
  {
    title: 'About',
    files: [
      'docs/architecture.md',
      'docs/decisions/README.md',
      'CONTRIBUTING.md',
      'conformance/README.md',
      'docs/performance.md',
      'bench/README.md',
    ],
  },
];

/** Pages that are reached from an index instead of the tree. */
const listedByTheirIndex = /^docs\/(rules|decisions|api)\//;

/**
 * @param pages - all pages of the site.
 * @returns the groups with their pages, in order, and a problem for each page that the tree lacks or names wrongly.
 */
export function treeOf(pages) {
  const byFile = new Map(pages.map((page) => [page.file, page]));
  const problems = [];
  const placed = new Set();
  const tree = groups.map(({ title, files }) => ({
    title,
    pages: files.flatMap((file) => {
      const named = file.endsWith('/')
        ? pages.filter((page) => page.file.startsWith(file) && !placed.has(page.file))
        : [byFile.get(file)];
      if (named.includes(undefined)) problems.push(`site/navigation.mjs names ${file}, which is not a page`);
      return named.filter((page) => page !== undefined).map((page) => (placed.add(page.file), page));
    }),
  }));
  for (const { file } of pages) {
    if (!placed.has(file) && !listedByTheirIndex.test(file)) problems.push(`site/navigation.mjs does not name ${file}`);
  }
  return { tree, problems };
}
