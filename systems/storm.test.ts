/**
 * Every application in a storm: its callers meet lost answers, throttling, conflicts, short pages and stale reads, and the stored items then keep
 * the application's invariants. More seeds: `STORM_SEEDS=20 npx vitest run systems/storm.test.ts`, of one application with `-t 'github,'`.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  findPostgres,
  noPostgres,
  PostgresServer,
} from '../packages/singlet/src/storage/postgres/testing/postgres-server.ts';
import { story as accessControl } from './access-control/storm.ts';
import { story as additiveManufacturing } from './additive-manufacturing/storm.ts';
import { story as bigTimeDeals } from './big-time-deals/storm.ts';
import { story as blog } from './blog/storm.ts';
import { story as datingApp } from './dating-app/storm.ts';
import { story as eCommerce } from './e-commerce/storm.ts';
import { story as githubMigrations } from './github-migrations/storm.ts';
import { story as github } from './github/storm.ts';
import { story as jobScheduler } from './job-scheduler/storm.ts';
import { story as lessonShop } from './lesson-shop/storm.ts';
import { story as sessionStore } from './session-store/storm.ts';
import { story as supportDesk } from './support-desk/storm.ts';
import { drawn } from './testing/drawn.ts';
import { openStorm, type StormStory } from './testing/storm.ts';

const STORIES: Readonly<Record<string, StormStory>> = {
  'access-control': accessControl,
  'additive-manufacturing': additiveManufacturing,
  'big-time-deals': bigTimeDeals,
  blog,
  'dating-app': datingApp,
  'e-commerce': eCommerce,
  github,
  'github-migrations': githubMigrations,
  'job-scheduler': jobScheduler,
  'lesson-shop': lessonShop,
  'session-store': sessionStore,
  'support-desk': supportDesk,
};

const seedCount = Number(process.env['STORM_SEEDS'] ?? 1);
/** Titles with `$name` would put the name between quotes, and the filters that the READMEs print would find no test. */
const TITLE = '%s, seed %i: %s';
const runs = Object.entries(STORIES).flatMap(([name, story]) =>
  Array.from({ length: seedCount }, (_, at) => [name, at + 1, story.invariant, story] as const),
);

test.each(runs)(TITLE, async (_name, seed, _invariant, story) => {
  await story.play(await openStorm(seed, story));
});

const programs = findPostgres();
const postgresTitle = `on PostgreSQL${programs === undefined ? ` (${noPostgres})` : ''}`;

/** The share of the suites that runs on PostgreSQL every time, a third of the applications; `SYSTEMS_STORE=postgres://HOST/DATABASE npx vitest run systems` runs them all there. */
describe.skipIf(programs === undefined)(postgresTitle, () => {
  let postgres: PostgresServer;

  beforeAll(async () => {
    postgres = await PostgresServer.start(programs!);
  });

  afterAll(async () => postgres.dispose());

  test.each(drawn('storms on PostgreSQL', runs))(TITLE, async (_name, seed, _invariant, story) => {
    await story.play(await openStorm(seed, story, postgres.url('systems')));
  });
});

/** Shows what requests may do, on a server with identities. The effect of weather on a writer is not its subject. */
const notApplications = new Set(['tenants']);

test('every application has a story', () => {
  const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const named = [...readme.matchAll(/^\| \[([a-z-]+)\]\([a-z-]+\/README\.md\)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => !notApplications.has(name));
  expect(Object.keys(STORIES).toSorted()).toEqual(named.toSorted());
});

test.each(Object.entries(STORIES))(
  'the README of %s says what holds in a storm, and how to see it',
  (name, { invariant }) => {
    const readme = readFileSync(new URL(`${name}/README.md`, import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');
    expect(readme).toContain(`Afterwards, the test checks that ${invariant}.`);
    expect(readme).toContain(`npx vitest run systems/storm.test.ts -t '${name},'`);
  },
);
