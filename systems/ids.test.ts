import { readFile } from 'node:fs/promises';
import { check } from '@singlet/model/check';
import type { Model } from '@singlet/model';
import { describe, expect, test } from 'vitest';

/** The complete applications, with the export names of their models. */
const COMPLETE: Readonly<Record<string, string>> = {
  'session-store': 'sessionStore',
  'e-commerce': 'shop',
  'big-time-deals': 'bigTimeDeals',
  github: 'github',
  'additive-manufacturing': 'additiveManufacturing',
  'access-control': 'accessControl',
  'dating-app': 'datingApp',
  'job-scheduler': 'jobScheduler',
  blog: 'blog',
  'lesson-shop': 'lessonShop',
  'support-desk': 'supportDesk',
  'github-migrations': 'githubMigrations',
};

/** A later version of an application also has the patterns of the version it extends. */
const COMES_FROM: Readonly<Record<string, string>> = { 'github-migrations': 'github' };

const listed = await readFile(new URL('ids.txt', import.meta.url), 'utf8');

function idsOf(system: string): string[] {
  return listed
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([name, id]) => (name === system && id !== undefined ? [id] : []));
}

async function modelOf(system: string, exported: string): Promise<Model> {
  const module = (await import(new URL(`${system}/model.ts`, import.meta.url).href)) as Record<string, Model>;
  const model = module[exported];
  expect(model, `${system}/model.ts exports ${exported}`).toBeDefined();
  return model!;
}

describe.each(Object.entries(COMPLETE))('%s', (system, exported) => {
  test('its model declares every id of the specification, and no other', async () => {
    const { patterns, procedures } = check(await modelOf(system, exported));
    // A pattern may exist only for sample data, and have no id.
    const declared = new Set([...patterns, ...procedures].flatMap(({ id }) => id ?? []));
    expect(declared).toEqual(new Set([...idsOf(COMES_FROM[system] ?? ''), ...idsOf(system)]));
  });

  test('its model passes the check, and scans only where it says why', async () => {
    const { ok, findings, patterns } = check(await modelOf(system, exported));
    expect(findings.filter(({ level }) => level === 'error' || level === 'warning')).toEqual([]);
    expect(ok).toBe(true);
    expect(patterns.filter(({ verdict }) => verdict === 'refused')).toEqual([]);
  });
});
