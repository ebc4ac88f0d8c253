/** GitHub in a storm: numbers are used once, and all stored counts agree with the stored items. */
import { expect } from 'vitest';
import { countedKsuids } from '../testing/counted-ksuids.ts';
import type { RawItem } from '../testing/raw-table.ts';
import type { StormStory } from '../testing/storm.ts';
import type { Status } from './connection.ts';
import { openGitHub } from './github.ts';
import { github as model } from './model.ts';

const USERS = ['ann', 'bob', 'cat'];
const REPO = { owner: 'ann', repo: 'book' };
const STATUSES: readonly Status[] = ['Open', 'Closed'];

export const story: StormStory = {
  model,
  invariant: 'stored counts agree with the counted items',
  play: async (storm) => {
    const { client, clock } = storm;
    const { accounts, repos, issues, pullRequests } = openGitHub({
      client,
      clock,
      tableName: 'GitHubTable',
      newCommentId: countedKsuids(clock),
    });
    for (const name of USERS) await storm.insist(async () => accounts.createUser(name));
    await storm.insist(async () => accounts.createOrganization('acme'));
    await storm.insist(async () => repos.create(REPO));
    const opened = new Set<number>();
    await storm.callers(24, async (number) => {
      const kind = number % 2 === 0 ? issues : pullRequests;
      const create = async (): Promise<unknown> =>
        opened.add((await kind.create(REPO, { title: 'A title', author: 'bob' })).number);
      await storm.attempt(create);
    });
    await storm.callers(60, async () => {
      const username = storm.oneOf(USERS);
      const subject = { ...REPO, number: 1 + storm.below(26) };
      const acts = [
        async () => repos.star(REPO, username),
        async () => repos.fork(REPO, username),
        async () => accounts.addMember({ organization: 'acme', username, role: 'Member' }),
        async () => issues.setStatus(subject, storm.oneOf(STATUSES)),
        async () => pullRequests.setStatus(subject, storm.oneOf(STATUSES)),
        async () => issues.react(subject, { username, kind: 'Heart' }),
        async () => pullRequests.react(subject, { username, kind: 'Rocket' }),
        async () => issues.comment(subject, { author: username, body: 'So' }),
      ];
      await storm.attempt(storm.oneOf(acts));
    });
    await storm.over();

    const items = await storm.table('GitHubTable').scan();
    const of = (type: string): RawItem[] => items.filter(({ Type }) => Type === type);
    const [repo] = of('Repo').filter(({ OriginalOwner }) => OriginalOwner === undefined);
    const open = (type: string): number => of(type).filter(({ Status: status }) => status === 'Open').length;
    expect(repo).toMatchObject({
      StarCount: of('Star').length,
      ForkCount: of('Repo').length - 1,
      OpenIssueCount: open('Issue'),
      OpenPullRequestCount: open('PullRequest'),
    });
    const numbers = [...of('Issue'), ...of('PullRequest')].map((each) =>
      Number(each['IssueNumber'] ?? each['PullRequestNumber']),
    );
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(Math.max(...numbers)).toBeLessThanOrEqual(Number(repo?.['IssuesAndPullRequestCount']));
    expect([...opened].filter((number) => !numbers.includes(number))).toEqual([]);
    const organizations = of('User').flatMap((user) =>
      Object.keys((user['Organizations'] as object | undefined) ?? {}),
    );
    expect(organizations.length).toBe(of('Membership').length);
    const hearts = of('IssueReaction').length;
    expect(of('Issue').reduce((sum, { ReactionCounts }) => sum + heartsOf(ReactionCounts), 0)).toBe(hearts);
    for (const comment of of('IssueComment')) {
      expect(numbers).toContain(comment['IssueNumber']);
    }
  },
};

function heartsOf(counts: unknown): number {
  return (counts as Readonly<Record<string, number>> | undefined)?.['Heart'] ?? 0;
}
