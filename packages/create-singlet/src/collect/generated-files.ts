import type { Starter } from './starter.ts';

/** The content of every starter besides the application's own files. */
export interface Generated {
  readonly starter: Starter;
  readonly title: string;
  readonly lead: string;
  /** The version range that the workspace uses for a package. */
  readonly versionOf: (name: string) => string;
  /** The version range of Node that the packages need. */
  readonly node: string;
  /** The workspace's compiler options. */
  readonly compilerOptions: Readonly<Record<string, unknown>>;
}

/** Used by every starter: types of Node, the TypeScript loaders for programs and for models, the compiler, the test runner. */
const TOOLS = ['@types/node', 'jiti', 'tsx', 'typescript', 'vitest'];

/** The files by their paths. `_gitignore` becomes `.gitignore` in a starter, because npm does not publish files with that name. */
export function generatedFiles(generated: Generated): Readonly<Record<string, string>> {
  return {
    'package.json': json(manifestOf(generated)),
    'tsconfig.json': json(tsconfigOf(generated)),
    'vitest.config.ts': vitestConfigOf(generated),
    'README.md': readmeOf(generated),
    _gitignore: 'node_modules/\ndata/\n*.log\n',
  };
}

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

function manifestOf({ starter, versionOf, node }: Generated): object {
  const ranges = (names: readonly string[]): object =>
    Object.fromEntries([...new Set(names)].toSorted().map((name) => [name, versionOf(name)]));
  return {
    name: starter.name,
    version: '0.1.0',
    private: true,
    license: 'Apache-2.0',
    type: 'module',
    engines: { node },
    scripts: {
      start: 'node start.mjs',
      load: 'tsx load.ts',
      test: 'vitest run',
      check: `tsc && singlet check ${starter.name}/model.ts`,
    },
    dependencies: ranges(starter.packages),
    devDependencies: ranges([...starter.testPackages, ...TOOLS]),
  };
}

/** Options that produce files, or that only a project with several parts needs. */
const NOT_OF_STARTER = [
  'composite',
  'declaration',
  'sourceMap',
  'isolatedDeclarations',
  'rewriteRelativeImportExtensions',
];

function tsconfigOf({ compilerOptions }: Generated): object {
  const kept = Object.entries(compilerOptions).filter(([name]) => !NOT_OF_STARTER.includes(name));
  return {
    compilerOptions: { ...Object.fromEntries(kept), noEmit: true, allowImportingTsExtensions: true },
    include: ['**/*.ts'],
  };
}

function vitestConfigOf({ starter }: Generated): string {
  return `import { defineConfig } from 'vitest/config';

// A test that waits for something that does not happen fails after this.
const hangMs = 600_000;

export default defineConfig({
  test: {
    include: [
${starter.tests.map((pattern) => `      '${pattern}',`).join('\n')}
    ],
    testTimeout: hangMs,
    hookTimeout: hangMs,
    expect: { poll: { timeout: hangMs / 2, interval: 20 } },
  },
});
`;
}

function readmeOf({ starter: { name }, title, lead }: Generated): string {
  return `# ${title}

${lead}

## Start

\`\`\`sh
npm install
npm start
\`\`\`

This starts a database, fills it with sample data, and serves the application on <http://127.0.0.1:3000>: pages at \`/\`, an HTTP API that
\`/openapi.json\` describes. The database is removed when the application ends.

\`\`\`sh
npm start -- --data ./data                       # keeps the database in this directory
npm start -- --scale 0                           # begins without sample data
npm start -- --endpoint http://127.0.0.1:8000    # uses a DynamoDB endpoint that is running already
npm start -- --help                              # lists all options
npm run load -- --seconds 20                     # many callers at once: rates, latencies, and what must hold
npm test                                         # runs the tests; each suite starts databases of its own
npm run check                                    # checks the types, and lists each access pattern with its operation
\`\`\`

## Change it

- [\`${name}/\`](${name}/README.md) is the application. Its README explains the table, with charts of keys and access patterns.
- \`${name}/model.ts\` declares entities, access patterns, keys, and the operation that serves each pattern.
- \`${name}/http/\` has the routes with their schemas, and the pages.
- \`http/\` has what routes and pages are made with.
- \`testing/\` has databases and clients for the tests.
- \`app.ts\` is the program: it reads options, opens a database and starts the application. \`start.mjs\` bundles and runs it. \`load.ts\` puts it
  under load.
- The other folders have what these import.

1. Change an entity or an access pattern in \`${name}/model.ts\`.
2. \`npm test -- -u\` writes the charts in \`${name}/README.md\` again; the diff shows what changed in keys and operations.
3. Add the function, its route and its test.

## See the table

\`\`\`sh
npm install --save-dev @singlet/studio           # a workbench in the browser
npm start
\`\`\`

From then on the database serves the workbench at its own address, which is printed at the start, and the strip at the end of each page links
to the items that it lists.

## Go to AWS

The application uses only the AWS SDK, so it runs on Amazon DynamoDB too: set the region and credentials as for any AWS SDK, and pass the
service's URL as \`--endpoint\`. It creates its tables if they do not exist. To create them yourself, \`npx singlet model export ${name}/model.ts
--to cloudformation\` writes a template of those in the model.

This project began as a copy of the application \`${name}\` of Singlet, under Apache-2.0 ([LICENSE](LICENSE)).
`;
}
