import type { Model } from '@singlet/model';
import { github } from '../github/model.ts';
import { githubMigrations } from './model.ts';

export type MigrationName = 'MIG-1' | 'MIG-2' | 'MIG-3' | 'MIG-4' | 'MIG-5';

/** The additions of one version of a model. */
interface Addition {
  readonly entities?: readonly string[];
  readonly patterns: readonly string[];
  readonly indexes?: readonly string[];
  /** New keys of existing entities in an existing index. */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
}

/** A version of the model and its additions, from the last back to the first. */
const withPullRequestsByKey: Model = githubMigrations;
const withIssuesByKey = without(withPullRequestsByKey, {
  patterns: ['openPullRequestsOfRepo', 'closedPullRequestsOfRepo', 'removePullRequest'],
  indexes: ['GSI5'],
});
const withApps = without(withIssuesByKey, {
  patterns: ['openIssuesOfRepo', 'closedIssuesOfRepo', 'removeIssue'],
  indexes: ['GSI4'],
});
const withGists = without(withApps, {
  entities: ['GitHubApp', 'GitHubAppInstallation'],
  patterns: [
    'createApp',
    'createOrganizationApp',
    'updateApp',
    'accountWithApps',
    'installApp',
    'appWithInstallations',
    'repoWithApps',
  ],
  keys: { User: ['GSI1'], Organization: ['GSI1'] },
});
const withCodesOfConduct = without(withGists, {
  entities: ['Gist'],
  patterns: ['createGist', 'userWithGists', 'gist', 'updateGist'],
});

/** The versions that led to the present model: one for each migration. */
export const VERSIONS: Readonly<Record<MigrationName, { readonly before: Model; readonly after: Model }>> = {
  'MIG-1': { before: github, after: withCodesOfConduct },
  'MIG-2': { before: withCodesOfConduct, after: withGists },
  'MIG-3': { before: withGists, after: withApps },
  'MIG-4': { before: withApps, after: withIssuesByKey },
  'MIG-5': { before: withIssuesByKey, after: withPullRequestsByKey },
};

/** A model without some of its additions. Procedures are removed, because they name patterns of all versions. */
function without(model: Model, { entities = [], patterns, indexes = [], keys = {} }: Addition): Model {
  const tables = Object.entries(model.tables).map(([name, layout]) => [
    name,
    { ...layout, indexes: leaving(layout.indexes ?? {}, indexes) },
  ]);
  const kept = Object.entries(leaving(model.keys, entities)).map(([entity, own]) => [
    entity,
    leaving(own, [...indexes, ...(keys[entity] ?? [])]),
  ]);
  const isKept = (name: string): boolean => !entities.includes(name);
  return {
    name: model.name,
    entities: leaving(model.entities, entities),
    relationships: model.relationships.filter(
      ([parent, , child, rules]) => isKept(parent) && isKept(child) && isKept(rules?.through ?? ''),
    ),
    patterns: leaving(model.patterns, patterns),
    tables: Object.fromEntries(tables) as Model['tables'],
    keys: Object.fromEntries(kept) as Model['keys'],
    storage: leaving(model.storage, entities),
    served: leaving(model.served, patterns),
  };
}

function leaving<Value>(
  all: { readonly [name: string]: Value },
  names: readonly string[],
): { readonly [name: string]: Value } {
  return Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name)));
}
