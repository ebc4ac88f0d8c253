import { load } from '@singlet/model/samples';
import { sampleSite } from '../github/sample-site.ts';
import { seedGitHub, type SeedOptions } from '../github/seed.ts';
import { githubMigrations } from './model.ts';
import { sampleYear } from './sample-year.ts';

/** One repo in this many has a code of conduct. */
const CONDUCT_EVERY = 10;
const CODE_OF_CONDUCT = { name: 'Contributor Covenant', url: 'https://www.contributor-covenant.org/' };

type YearSeedOptions = Omit<SeedOptions, 'model'>;

/**
 * Fills a table with a site in the form after the migrations: that of `seedGitHub` with all keys, plus the additions of
 * that year. Returns the number of items of each entity.
 */
export async function seedGitHubMigrations(options: YearSeedOptions): Promise<Readonly<Record<string, number>>> {
  const earlier = await seedGitHub({ ...options, model: githubMigrations });
  return { ...earlier, ...(await seedYear(options)) };
}

/** Adds gists, apps, installations and codes of conduct to an existing, migrated site. */
export async function seedYear(options: YearSeedOptions): Promise<Readonly<Record<string, number>>> {
  const { client, tableName, scale, repos: repoCount, onItems } = options;
  const loading = { client, tables: { GitHubTable: tableName }, ...(onItems !== undefined && { onItems }) };
  const site = sampleSite(scale, { repos: repoCount });
  const repos = [...site.repos()].map(({ repo }) => repo);
  // Written again, with their additions.
  await load(
    githubMigrations,
    'Repo',
    repos
      .filter((_, index) => index % CONDUCT_EVERY === 0)
      .map((repo) => ({ ...repo, codeOfConduct: CODE_OF_CONDUCT })),
    loading,
  );
  const { gists, apps, installations } = sampleYear(scale, {
    users: site.users.map(({ name }) => name),
    organizations: site.organizations.map(({ name }) => name),
    repos,
  });
  return {
    Gist: await load(githubMigrations, 'Gist', gists, loading),
    GitHubApp: await load(githubMigrations, 'GitHubApp', apps, loading),
    GitHubAppInstallation: await load(githubMigrations, 'GitHubAppInstallation', installations, loading),
  };
}
