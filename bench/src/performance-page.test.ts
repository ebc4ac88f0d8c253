import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { barChart, performancePage } from './performance-page.ts';
import type { BenchResults } from './results.ts';

/*
 * docs/performance.md is generated from a recorded run. To record another one:
 * `npm run bench -- --json bench/recorded/run.json`, then `UPDATE_GOLDEN=1 npx vitest run bench/src/performance-page.test.ts`.
 */
const file = 'bench/recorded/run.json';
const root = fileURLToPath(new URL('../../', import.meta.url));
const results = JSON.parse(readFileSync(root + file, 'utf8')) as BenchResults;

describe('the page on performance', () => {
  test('has the figures of the recorded run', () => {
    const page = performancePage(results, file);
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(`${root}docs/performance.md`, page);
    expect(readFileSync(`${root}docs/performance.md`, 'utf8')).toBe(page);
  });

  test('is of the release that the repository has', () => {
    const { version } = JSON.parse(readFileSync(`${root}packages/singlet/package.json`, 'utf8')) as { version: string };
    expect(results.versions.singlet).toBe(version);
  });

  test('names the machine, the date, and every case that was measured', () => {
    const page = performancePage(results, file);
    for (const part of [results.machine.processor, results.machine.node, results.startedAt.slice(0, 10)]) {
      expect(page).toContain(part);
    }
    for (const { title } of results.groups) expect(page).toContain(`## ${title}`);
    for (const { text } of results.targets) expect(page).toContain(text);
  });

  test.each([
    [{}, 'is not known'],
    [{ otherLoadShare: 0.001 }, 'Other processes used 0.1 % of the machine.'],
    [{ otherLoadShare: 0.4, disturbance: 'others used it' }, '**The machine was not quiet**: others used it.'],
  ])('says how busy the machine was otherwise: %s', (quietness, sentence) => {
    const { otherLoadShare: _, disturbance: __, ...rest } = results;
    expect(performancePage({ ...rest, ...quietness }, file)).toContain(sentence);
  });

  test('a chart has a bar for each value, in proportion, and no empty line', () => {
    const chart = barChart('A < B', [
      { label: 'one', value: 10 },
      { label: 'two & three', value: 40 },
    ]);
    expect([...chart.matchAll(/<rect [^>]*width="(\d+)"/g)].map(([, width]) => Number(width))).toEqual([80, 320]);
    expect(chart).toContain('aria-label="A &lt; B"');
    expect(chart).toContain('>two &amp; three<');
    expect(chart).not.toMatch(/\n\s*\n/);
  });
});
