/** The long checks, the workflow that runs them each night, and the table that reports them name the same. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface LongCheck {
  readonly sets: Readonly<Record<string, string>>;
  readonly files: readonly string[];
}

/** The script is JavaScript, which runs without a build. */
const { longChecks } = (await import(new URL('../../../scripts/long-checks.mjs', import.meta.url).href)) as {
  readonly longChecks: Readonly<Record<string, LongCheck>>;
};
const workflows = join(root, '.github/workflows');
const names = Object.keys(longChecks);
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly strategy?: { readonly matrix: { readonly check: readonly string[] } };
  readonly steps: readonly Step[];
  readonly 'timeout-minutes'?: number;
}

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

test.each(Object.entries(longChecks))('%s sets what its tests read', (_, { sets, files }) => {
  const texts = files.map(textOf).join('\n');
  for (const variable of Object.keys(sets)) expect(texts).toContain(`process.env['${variable}']`);
});

test('the workflow runs all of them', () => {
  const { jobs } = parse(textOf('.github/workflows/nightly.yml')) as Workflow;
  expect(jobs['long']?.strategy?.matrix.check).toEqual(names);
});

test('the table of what must hold has a row for each', () => {
  const commands = textOf('docs/reliability.md').matchAll(/^\|.*`npm run long -- ([\w-]+)`.*\|$/gm);
  expect(new Set(Array.from(commands, ([, name]) => name))).toEqual(new Set(names));
});

test.each(readdirSync(workflows))('%s pins its actions, may only read, and ends', (file) => {
  const { permissions, jobs } = parse(readFileSync(join(workflows, file), 'utf8')) as Workflow;
  // Jobs that need more ask for it themselves.
  expect([{}, { contents: 'read' }]).toContainEqual(permissions);
  for (const { steps, 'timeout-minutes': minutes } of Object.values(jobs)) {
    expect(minutes).toBeGreaterThan(0);
    for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/@[0-9a-f]{40}$/);
  }
});
