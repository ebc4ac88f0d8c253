import { SeededRandom } from '../demo/seeded-random.ts';
import type { RepoName } from '../github/connection.ts';
import { encodeKsuid } from '../ksuid.ts';
import { slugOf } from './apps.ts';
import type { Gist, GitHubApp, Installation } from './connection.ts';

// The additions to the sample site in the year of the migrations, the same in every run.

/** The number of each at scale 1. */
const VOLUMES = { gists: 40_000, apps: 500, installations: 5_000 } as const;

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

/** The additions to a site in that year, other than codes of conduct. */
export interface SampleYear {
  readonly gists: readonly Gist[];
  readonly apps: readonly GitHubApp[];
  readonly installations: readonly Installation[];
}

/** The site that they were added to, by its names. */
export interface SiteNames {
  readonly users: readonly string[];
  readonly organizations: readonly string[];
  readonly repos: readonly RepoName[];
}

/** @param scale - that of the site: a share of {@link VOLUMES}, but at least one of everything. */
export function sampleYear(scale: number, { users, organizations, repos }: SiteNames): SampleYear {
  const volume = (name: keyof typeof VOLUMES): number => Math.max(1, Math.round(VOLUMES[name] * scale));
  const apps = appsOf([...organizations, ...users], volume('apps'));
  return {
    gists: gistsOf(users, volume('gists'), new SeededRandom(SEED)),
    apps,
    installations: installationsOf(apps, repos, volume('installations')),
  };
}

/** Some users share more than others: later users have fewer. */
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

/** Each app in consecutive repos, starting where the previous app's repos end. */
function installationsOf(apps: readonly GitHubApp[], repos: readonly RepoName[], count: number): Installation[] {
  const perApp = Math.min(repos.length, Math.ceil(count / apps.length));
  return apps.flatMap(({ account, app }, which) =>
    Array.from({ length: perApp }, (_, index): Installation => {
      const { owner, repo } = repos[(which * perApp + index) % repos.length] ?? { owner: '', repo: '' };
      return { account, app, owner, repo, installedAt: new Date(STARTS_AT_MS + which * MINUTE_MS).toISOString() };
    }),
  );
}
