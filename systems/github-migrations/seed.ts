import { load } from '@singlet/model/samples';
import { SeededRandom } from '../demo/seeded-random.ts';
import { sampleSite } from '../github/sample-site.ts';
import { seedGitHub, type SeedOptions } from '../github/seed.ts';
import { encodeKsuid } from '../ksuid.ts';
import type { Gist, GitHubApp, Installation } from './connection.ts';
import { slugOf } from './apps.ts';
import { githubMigrations } from './model.ts';

// What came to the sample site in the year of the migrations, the same in every run.

/** How many there are of each at scale 1. */
const VOLUMES = { gists: 40_000, apps: 500, installations: 5_000 } as const;
/** One repo in so many has a code of conduct. */
const CONDUCT_EVERY = 10;

const SEED = 20_200_226;
const STARTS_AT_MS = Date.parse('2020-02-01T09:00:00Z');
const MINUTE_MS = 60_000;

const APP_NAMES = ['CI/CD', 'GitHub Analytics', 'Code Coverage', 'Stale Bot', 'Release Notes', 'Size Limit'] as const;
const GIST_TITLES = [
  'A shell one-liner',
  'Dotfiles',
  'Notes on key design',
  'A regular expression',
  'A query',
] as const;

/**
 * Fills a table with a site as it would be after the migrations: that of `seedGitHub` with all keys, and gists, apps,
 * installations and codes of conduct. Returns how many items of each entity there are.
 */
export async function seedGitHubMigrations(
  options: Omit<SeedOptions, 'model'>,
): Promise<Readonly<Record<string, number>>> {
  const { client, tableName, scale, repos: repoCount, onItems } = options;
  const tally = { ...(await seedGitHub({ ...options, model: githubMigrations })) };
  const loading = { client, tables: { GitHubTable: tableName }, ...(onItems !== undefined && { onItems }) };
  const site = sampleSite(scale, { repos: repoCount });
  const repos = [...site.repos()].map(({ repo }) => repo);
  const codeOfConduct = { name: 'Contributor Covenant', url: 'https://www.contributor-covenant.org/' };
  // Written again, with what has come to them.
  await load(
    githubMigrations,
    'Repo',
    repos.filter((_, index) => index % CONDUCT_EVERY === 0).map((repo) => ({ ...repo, codeOfConduct })),
    loading,
  );
  const random = new SeededRandom(SEED);
  const volume = (name: keyof typeof VOLUMES): number => Math.max(1, Math.round(VOLUMES[name] * scale));
  const users = site.users.map(({ name }) => name);
  const accounts = [...site.organizations.map(({ name }) => name), ...users];
  const apps = appsOf(accounts, volume('apps'));
  tally['Gist'] = await load(githubMigrations, 'Gist', gistsOf(users, volume('gists'), random), loading);
  tally['GitHubApp'] = await load(githubMigrations, 'GitHubApp', apps, loading);
  const installations = installationsOf(apps, repos, volume('installations'));
  tally['GitHubAppInstallation'] = await load(githubMigrations, 'GitHubAppInstallation', installations, loading);
  return tally;
}

/** Some users share more than others: each has one the fewer, the later it comes. */
function gistsOf(users: readonly string[], count: number, random: SeededRandom): Gist[] {
  return Array.from({ length: count }, (_, index): Gist => {
    const epochMs = STARTS_AT_MS + index * MINUTE_MS;
    const createdAt = new Date(epochMs).toISOString();
    return {
      username: users[Math.floor(random.fraction() ** 2 * users.length)] ?? '',
      gistId: encodeKsuid({ epochSeconds: epochMs / 1_000, payload: random.bytes(16) }),
      title: random.pick(GIST_TITLES),
      files: {
        [`snippet-${index}.ts`]: `export const answer = ${random.integer(0, 99)};\n`.repeat(random.integer(1, 20)),
      },
      createdAt,
      updatedAt: createdAt,
    };
  });
}

function appsOf(accounts: readonly string[], count: number): GitHubApp[] {
  return Array.from({ length: Math.min(count, accounts.length * APP_NAMES.length) }, (_, index): GitHubApp => {
    const name = APP_NAMES[Math.floor(index / accounts.length)] ?? APP_NAMES[0];
    return {
      account: accounts[index % accounts.length] ?? '',
      app: slugOf(name),
      name,
      description: `${name} for every repo`,
      createdAt: new Date(STARTS_AT_MS + index * MINUTE_MS).toISOString(),
    };
  });
}

/** Each app in the repos that follow each other from where the one before has ended. */
function installationsOf(
  apps: readonly GitHubApp[],
  repos: readonly { readonly owner: string; readonly repo: string }[],
  count: number,
): Installation[] {
  const perApp = Math.min(repos.length, Math.ceil(count / apps.length));
  return apps.flatMap(({ account, app }, which) =>
    Array.from({ length: perApp }, (_, index): Installation => {
      const { owner, repo } = repos[(which * perApp + index) % repos.length] ?? { owner: '', repo: '' };
      return { account, app, owner, repo, installedAt: new Date(STARTS_AT_MS + which * MINUTE_MS).toISOString() };
    }),
  );
}
