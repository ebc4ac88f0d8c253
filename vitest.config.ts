import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const hangMs = 600_000;

/** Tests run against the TypeScript sources, so that a failing line is the line in the editor. */
export default defineConfig({
  resolve: {
    alias: [
      { find: /^singlet$/, replacement: source('./packages/singlet/src/index.ts') },
      { find: /^@singlet\/model$/, replacement: source('./packages/model/src/index.ts') },
      {
        find: /^@singlet\/model\/(bridges|check|cost|docs|migrate|propagate|prove|samples|versions)$/,
        replacement: source('./packages/model/src/$1/index.ts'),
      },
      { find: /^@singlet\/model\/resolved$/, replacement: source('./packages/model/src/resolve/index.ts') },
      { find: /^singlet\/(consumer|cache)$/, replacement: source('./packages/singlet/src/$1/index.ts') },
      { find: /^singlet\/storage$/, replacement: source('./packages/singlet/src/storage/index.ts') },
    ],
  },
  test: {
    include: ['packages/*/{src,test}/**/*.test.ts', '{systems,conformance,bench,site}/**/*.test.ts'],
    setupFiles: ['packages/singlet/test/invariants-on.ts'],
    // A test that waits for something that does not happen fails after this. It says nothing about how fast a test is: a machine
    // that is busy with other work takes many times as long.
    testTimeout: hangMs,
    hookTimeout: hangMs,
    expect: { poll: { timeout: hangMs / 2, interval: 20 } },
    maxWorkers: 2,
  },
});
