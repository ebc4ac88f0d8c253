import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { HeaviestFirst } from './packages/singlet/test/run/heaviest-first.ts';
import { HeavyFilesReporter } from './packages/singlet/test/run/heavy-files-reporter.ts';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const textOf = (path: string): string => readFileSync(source(path), 'utf8');

/** A long check takes as long as it takes: the flags of the command line do not reach projects. */
const hangMs = process.env['LONG_CHECK'] === undefined ? 600_000 : 7 * 24 * 3_600_000;

/**
 * Folders whose test files share the processes that they run in. A third of the CPU time of a file of unit tests in its own process is spent on
 * starting that process and on loading the modules that every other file loads.
 */
const sharing = [
  'packages/singlet/src',
  'packages/singlet/test',
  'packages/model/src',
  'packages/model/test',
  'packages/studio/src',
  'packages/create-singlet/src',
  'bench',
  'conformance',
  'site',
  'systems',
];

/**
 * What changes or measures the state of the whole process, and modules that keep state. A file whose code names one of these runs in a process of its
 * own, as all of LMDB do. Comments, and variables of the environment that are read, do not count.
 */
const ownProcess = new RegExp(
  [
    String.raw`(?<![-\w])process\.(?!cwd|env\b|execPath|hrtime|kill|pid|platform|version|stdout|stderr|ended|hasEnded|until|end\b|ready|signal)`,
    String.raw`\bprocess\.env(\.\w+|\[[^\]]+\]) *\??\??=[^=]`,
    String.raw`\bprocess\.std(out|err)\.(write|on) *=`,
    String.raw`\bdelete process\.env|\bassign\(process\.env|\bglobalThis\.|\bvi\.|cpuTimeMs|node:worker_threads|setTested`,
  ].join('|'),
);
const harmless = /^ *(\/\/|\/?\*).*|process\.env\['\w+'\](?! =[^=])/gm;
const needsProcess = (file: string): boolean => ownProcess.test(textOf(file).replaceAll(harmless, ''));
/** Tests with a browser, by the functions that start one. */
const inBrowser = /useBrowser|useBookShop|useShop\b/;

/**
 * Starts other processes. Those of the database are many and short, and share their own. Those of the applications run for long, and gain nothing by
 * it.
 */
const startsProcesses = /node:child_process|SingletProcess|useCommands|PostgresServer/;

const shared = sharing.flatMap((folder) =>
  readdirSync(source(folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(folder, file))
    .filter((file) => !file.includes('/lmdb/') && !needsProcess(file) && !inBrowser.test(textOf(file))),
);

const alone = shared.filter((file) => !startsProcesses.test(textOf(file)));
const starting = shared.filter((file) => !alone.includes(file) && file.startsWith('packages/singlet/'));

/**
 * Tests of the workbench in a browser. They share processes, each of which has one browser, but not with tests of another kind: they put a secret into
 * the environment.
 */
const workbench = readdirSync(source('packages/studio/test'))
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => join('packages/studio/test', file))
  .filter((file) => inBrowser.test(textOf(file)) && !needsProcess(file) && !startsProcesses.test(textOf(file)));

const included = ['packages/*/{src,test}/**/*.test.ts', '{systems,conformance,bench,site}/**/*.test.ts'];

/**
 * V8 optimizes a function after it has run more than four times as long as by default. Most code of a test runs too briefly to gain what its
 * optimization costs: that took a quarter of the CPU time of the provers' tests.
 */
const optimizeSeldom = '--interrupt-budget=300000';

/**
 * Tests run against the TypeScript sources, so that a failing line is the line in the editor. Node loads them, with less CPU time than Vite's module
 * runner needs. Mocks of modules do not work that way (decision 0145).
 */
export default defineConfig({
  test: {
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: ['--import', source('./packages/singlet/test/run/sources.mjs'), optimizeSeldom],
    projects: [
      {
        extends: true,
        test: {
          name: 'own process',
          include: included,
          exclude: ['**/node_modules/**', ...alone, ...starting, ...workbench],
        },
      },
      { extends: true, test: { name: 'starting processes', include: starting, isolate: false } },
      { extends: true, test: { name: 'shared process', include: alone, isolate: false } },
      { extends: true, test: { name: 'workbench', include: workbench, isolate: false } },
    ],
    globalSetup: [
      'packages/singlet/test/run/temporary-directory.mjs',
      'packages/singlet/test/run/prepare-sources.mjs',
      'packages/singlet/test/run/draw-combinations.mjs',
    ],
    setupFiles: ['packages/singlet/test/invariants-on.ts', 'packages/singlet/test/run/file-cpu.ts'],
    reporters: ['default', new HeavyFilesReporter()],
    sequence: { sequencer: HeaviestFirst },
    // A test that waits for something that does not happen fails after this. It says nothing about how fast a test is: a machine
    // that is busy with other work takes many times as long.
    testTimeout: hangMs,
    hookTimeout: hangMs,
    expect: { poll: { timeout: hangMs / 2, interval: 20 } },
    // More than the cores of a small machine: many tests wait for another process, a browser or a disk.
    maxWorkers: 3,
  },
});
