import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { filesBeside, type Slice, sliceOf } from './slice.ts';

/** The files of an application that its starter contains, and the packages that they import. */
export interface Starter {
  readonly name: string;
  /** Paths relative to the folder of the applications, sorted. */
  readonly files: readonly string[];
  /** Imported by the application. */
  readonly packages: readonly string[];
  /** Imported only by tests. */
  readonly testPackages: readonly string[];
  /** Patterns for vitest. They exclude the tests of other applications, which may be among the files. */
  readonly tests: readonly string[];
}

/** The applications in a folder: the subfolders that have `http/serve.ts`. */
export function applicationsIn(root: string): readonly string[] {
  return readdirSync(root)
    .filter((name) => existsSync(join(root, serveOf(name))))
    .toSorted();
}

const serveOf = (name: string): string => `${name}/http/serve.ts`;

/**
 * Extracts one application from the folder of all: the programs that start it and put it under load, its tests, and all that these
 * import (decision 0105; decision 0115 for the load).
 */
export function starterOf(root: string, name: string): Starter {
  const applications = applicationsIn(root);
  const programs = ['start.mjs', 'app.ts', 'load.ts'].filter((path) => existsSync(join(root, path)));
  const program = sliceOf(root, [...programs, serveOf(name)]);
  const shared = [...program.modules].filter((module) => !applications.includes(folderOf(module)));
  const tests = [...testsIn(root, name), ...shared.map(testOf).filter((test) => existsSync(join(root, test)))].filter(
    (test) => isOfStarter(test, sliceOf(root, [test])),
  );
  const whole = sliceOf(root, [...program.modules, ...tests]);
  return {
    name,
    files: [...whole.modules, ...filesBeside(root, whole.modules), `${name}/README.md`].toSorted(),
    packages: [...program.packages].toSorted(),
    testPackages: [...whole.packages].filter((each) => !program.packages.has(each)).toSorted(),
    tests: [...new Set(tests.map((test) => (test.includes('/') ? `${folderOf(test)}/**/*.test.ts` : test)))].toSorted(),
  };
}

const folderOf = (module: string): string => module.split('/')[0] ?? '';
const testOf = (module: string): string => module.replace(/\.\w+$/, '.test.ts');

function testsIn(root: string, folder: string): readonly string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return testsIn(root, path);
    return path.endsWith('.test.ts') ? [path] : [];
  });
}

/** Excludes tests of the demo, and tests that start other programs: Python, the AWS CLI, a process to kill. */
function isOfStarter(test: string, { usesNode }: Slice): boolean {
  return !test.endsWith('/demo.test.ts') && !usesNode('child_process');
}
