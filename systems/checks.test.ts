import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** The number of acceptance checks in the specification of each application, and the name of the first. */
const CHECKS: Readonly<Record<string, readonly [first: string, count: number]>> = {
  'session-store': ['SS check 1', 11],
  'e-commerce': ['EC check 1', 18],
  'big-time-deals': ['BTD check 1', 23],
  github: ['GH check 1', 22],
  'github-migrations': ['GHM check 1', 19],
  'additive-manufacturing': ['AM-A1', 17],
  'access-control': ['AC-A1', 27],
  'dating-app': ['DA-A1', 23],
  'job-scheduler': ['JS-A1', 10],
  blog: ['BL-A1', 15],
  'lesson-shop': ['LE-A1', 8],
  'support-desk': ['SU-A1', 15],
};

/** The text of an application's tests, without comments. */
async function testsOf(application: string): Promise<string> {
  const folder = new URL(`./${application}/`, import.meta.url);
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.test.ts'));
  const texts = await Promise.all(names.map(async (name) => await readFile(new URL(name, folder), 'utf8')));
  return texts.join('\n').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
}

function checksOf([first, count]: readonly [string, number]): string[] {
  return Array.from({ length: count }, (_, index) => first.replace(/1$/, String(index + 1)));
}

test.each(Object.entries(CHECKS))('%s has a test for each acceptance check, named for it', async (name, checks) => {
  const tests = await testsOf(name);
  const missing = checksOf(checks).filter((id) => !new RegExp(`['\`(,].*\\b${id}\\b`).test(tests));
  expect(missing).toEqual([]);
});

test('the checks of all applications are 208', () => {
  expect(Object.values(CHECKS).flatMap(checksOf)).toHaveLength(208);
});
