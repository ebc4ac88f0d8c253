import type { Costs } from '../../http/costs.ts';
import type { Numbered, RepoName, Status } from '../../github/connection.ts';
import type { MigratedGitHub } from '../migrated-github.ts';
import type { Moves } from './moves.ts';
import type { Visitors } from './visitors.ts';

export interface Site {
  readonly moves: Moves;
  readonly visitors: Visitors;
  readonly costs: Costs;
  /** The same table read with the filter, and by the keys of the migrations. */
  readonly filtered: MigratedGitHub;
  readonly byKey: MigratedGitHub;
  /** Repositories to show: the model has no list of all. */
  readonly repos: readonly RepoName[];
}

export const COMPARED = ['issues', 'pullRequests'] as const;

/** The cost of one way to read a list. */
export interface Look {
  readonly read: number;
  readonly shown: number;
  readonly rcu: number;
  readonly numbers: readonly number[];
}

/** One list, read as before and, if its keys exist, as after the migration. */
export interface Comparison {
  readonly list: (typeof COMPARED)[number];
  readonly status: Status;
  readonly before: Look;
  readonly after: Look | undefined;
}

/** GHM-10 to GHM-13 beside the patterns from before: one page of each list. */
export async function compare(site: Site, repo: RepoName): Promise<readonly Comparison[]> {
  const found: Comparison[] = [];
  for (const list of COMPARED) {
    for (const status of ['Open', 'Closed'] as const) {
      const before = await look(site, async () => await read(site.filtered, list, repo, status));
      const hasKeys = site.moves.hasKeys(list === 'issues' ? 'MIG-4' : 'MIG-5');
      const after = hasKeys ? await look(site, async () => await read(site.byKey, list, repo, status)) : undefined;
      found.push({ list, status, before, after });
    }
  }
  return found;
}

async function read(
  of: MigratedGitHub,
  list: Comparison['list'],
  repo: RepoName,
  status: Status,
): Promise<readonly Pick<Numbered, 'number'>[]> {
  return list === 'issues'
    ? (await of.issues.of(repo, { status })).issues
    : (await of.pullRequests.of(repo, { status })).pullRequests;
}

async function look({ costs }: Site, of: () => Promise<readonly Pick<Numbered, 'number'>[]>): Promise<Look> {
  const from = costs.soFar().length;
  const items = await of();
  const spent = costs.soFar().slice(from);
  return {
    read: spent.reduce((sum, { itemsRead }) => sum + itemsRead, 0),
    rcu: spent.reduce((sum, { readUnits }) => sum + readUnits, 0),
    shown: items.length,
    numbers: items.map(({ number }) => number),
  };
}
