import { describe, expect, test } from 'vitest';
import { drawn } from '../testing/drawn.ts';
import { useWorkbench } from '../testing/workbench.ts';
import type { ReactionKind } from './connection.ts';
import { BOOK, databases, GRAPHQL_DEMO, openSite, type Site, skipTo } from './fixture.ts';
import { REACTION_KINDS } from './model.ts';

const ISSUE_4 = { ...BOOK, number: 4 };
const PULL_4 = { ...GRAPHQL_DEMO, number: 4 };
const NONE = Object.fromEntries(REACTION_KINDS.map((kind) => [kind, 0]));

const reaction = (kind: ReactionKind, username = 'happy-harry') => ({ username, kind });

describe.each(drawn('comments and reactions', databases))('comments and reactions, $name', (database) => {
  const workbench = useWorkbench(database);

  /** Issue 4 of the book and of mega-repo, and pull request 4 of the demo. */
  async function openDiscussions(): Promise<Site> {
    const site = await openSite(workbench());
    for (const repo of [BOOK, GRAPHQL_DEMO, { owner: 'megacorp', repo: 'mega-repo' }]) {
      await skipTo(site, repo, 4);
    }
    await site.issues.create(BOOK, { title: 'Four', author: 'sally-scala' });
    await site.pullRequests.create(GRAPHQL_DEMO, { title: 'Four', author: 'sally-scala' });
    await site.issues.create({ owner: 'megacorp', repo: 'mega-repo' }, { title: 'Four', author: 'sally-scala' });
    return site;
  }

  test('GH check 14: each kind once for each user (GH-13)', async () => {
    const { issues, table, logged } = await openDiscussions();
    const counts = async (): Promise<unknown> => (await issues.find(ISSUE_4))?.reactionCounts;
    const key = 'ISSUEREACTION#alexdebrie#dynamodb-book#4#happy-harry';
    await issues.react(ISSUE_4, reaction('Heart'));
    expect(await counts()).toEqual({ ...NONE, Heart: 1 });
    expect(await table.get({ PK: key, SK: key })).toEqual({
      PK: key,
      SK: key,
      Type: 'IssueReaction',
      RepoOwner: 'alexdebrie',
      RepoName: 'dynamodb-book',
      IssueNumber: 4,
      Username: 'happy-harry',
      Reactions: new Set(['Heart']),
    });
    const again = logged();
    await expect(again.issues.react(ISSUE_4, reaction('Heart'))).rejects.toMatchObject({ code: 'AlreadyDone' });
    expect(again.operations).toEqual(['TransactWriteItems']);
    expect(await counts()).toEqual({ ...NONE, Heart: 1 });
    await issues.react(ISSUE_4, reaction('Rocket'));
    expect(await counts()).toEqual({ ...NONE, Heart: 1, Rocket: 1 });
    expect(await table.get({ PK: key, SK: key })).toMatchObject({ Reactions: new Set(['Heart', 'Rocket']) });
    for (const kind of REACTION_KINDS.filter((each) => each !== 'Heart' && each !== 'Rocket')) {
      await issues.react(ISSUE_4, reaction(kind));
    }
    expect(await counts()).toEqual(Object.fromEntries(REACTION_KINDS.map((kind) => [kind, 1])));
    const unknown = issues.react(ISSUE_4, reaction('Shrug' as ReactionKind));
    await expect(unknown).rejects.toMatchObject({ name: 'InputError' });
    await issues.react(ISSUE_4, reaction('Heart', 'sally-scala'));
    expect(await counts()).toMatchObject({ Heart: 2, Rocket: 1 });
  });

  test('GH check 14: of ten that come at once from one user, one counts (GH-13)', async () => {
    const { issues, another } = await openDiscussions();
    const attempts = await Promise.allSettled(
      Array.from({ length: 10 }, () => another().issues.react(ISSUE_4, reaction('Heart'))),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await issues.find(ISSUE_4)).toMatchObject({ reactionCounts: { Heart: 1 } });
  });

  test('GH check 15: targets do not interfere (GH-13, GH-14, GH-15)', async () => {
    const { issues, pullRequests, table } = await openDiscussions();
    const missing = { ...BOOK, number: 99 };
    await expect(issues.react(missing, reaction('Heart'))).rejects.toMatchObject({ code: 'NotFound', entity: 'Issue' });
    await expect(pullRequests.react(missing, reaction('Heart'))).rejects.toMatchObject({ code: 'NotFound' });
    for (const target of ['ISSUE', 'PR']) {
      const key = `${target}REACTION#alexdebrie#dynamodb-book#99#happy-harry`;
      expect(await table.get({ PK: key, SK: key })).toBeUndefined();
    }
    await pullRequests.react(PULL_4, reaction('Eyes'));
    await issues.react({ owner: 'megacorp', repo: 'mega-repo', number: 4 }, reaction('Smile'));
    expect(await pullRequests.find(PULL_4)).toMatchObject({ reactionCounts: { ...NONE, Eyes: 1 } });
    expect(await issues.find(ISSUE_4)).toMatchObject({ reactionCounts: NONE });
    await expect(pullRequests.react(PULL_4, reaction('Eyes'))).rejects.toMatchObject({ code: 'AlreadyDone' });
  });

  test('GH check 15: a reaction to a comment changes that comment only (GH-15)', async () => {
    const { issues, pullRequests, table } = await openDiscussions();
    const said = { author: 'sally-scala', body: 'Indeed' };
    const [first, second] = [await issues.comment(ISSUE_4, said), await issues.comment(ISSUE_4, said)];
    const onPull = await pullRequests.comment(PULL_4, said);
    await issues.reactToComment(first, reaction('ThumbsUp'));
    await pullRequests.reactToComment(onPull, reaction('Rocket'));
    const comments = new Map((await issues.commentsOf(ISSUE_4)).items.map((each) => [each.commentId, each]));
    expect(comments.get(first.commentId)?.reactionCounts).toEqual({ ...NONE, ThumbsUp: 1 });
    expect(comments.get(second.commentId)?.reactionCounts).toEqual(NONE);
    expect((await pullRequests.commentsOf(PULL_4)).items).toMatchObject([{ reactionCounts: { ...NONE, Rocket: 1 } }]);
    expect(await issues.find(ISSUE_4)).toMatchObject({ reactionCounts: NONE });
    const key = `ISSUECOMMENTREACTION#alexdebrie#dynamodb-book#4#${first.commentId}#happy-harry`;
    expect(await table.get({ PK: key, SK: key })).toMatchObject({
      CommentId: first.commentId,
      Username: 'happy-harry',
    });
    await expect(issues.reactToComment(first, reaction('ThumbsUp'))).rejects.toMatchObject({ code: 'AlreadyDone' });
    await expect(pullRequests.reactToComment(onPull, reaction('Rocket'))).rejects.toMatchObject({
      code: 'AlreadyDone',
    });
    const unknown = { ...ISSUE_4, commentId: onPull.commentId };
    await expect(issues.reactToComment(unknown, reaction('Eyes'))).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('GH check 16: comments stay with their issue, the oldest first (GH-11, GH-12, GH-25, GH-26)', async () => {
    const site = await openSite(workbench());
    const { issues, pullRequests, clock, table } = site;
    for (const kind of [issues, issues, pullRequests]) {
      await kind.create(BOOK, { title: 'x', author: 'sally-scala' });
    }
    await skipTo(site, BOOK, 10);
    await issues.create(BOOK, { title: 'ten', author: 'sally-scala' });
    await issues.create(BOOK, { title: 'eleven', author: 'sally-scala' });
    const say = async (number: number, body: string): Promise<void> => {
      clock.setToMs(clock.nowMs() + 1000);
      const comment = await issues.comment({ ...BOOK, number }, { author: 'happy-harry', body });
      const stored = {
        PK: `ISSUECOMMENT#alexdebrie#dynamodb-book#${number}`,
        SK: `ISSUECOMMENT#${comment.commentId}`,
      };
      expect(await table.get(stored)).toMatchObject({
        Type: 'IssueComment',
        IssueNumber: number,
        ReactionCounts: NONE,
      });
    };
    await say(1, 'first');
    await say(10, 'of ten');
    await say(1, 'second');
    await say(11, 'of eleven');
    for (const body of ['on three', 'again on three', 'and again']) {
      clock.setToMs(clock.nowMs() + 1000);
      await pullRequests.comment({ ...BOOK, number: 3 }, { author: 'happy-harry', body });
    }

    const bodies = async (number: number, limit = 50): Promise<string[]> =>
      (await issues.commentsOf({ ...BOOK, number }, { limit })).items.map(({ body }) => body);
    expect(await bodies(1)).toEqual(['first', 'second']);
    expect(await bodies(1, 1)).toEqual(['first']);
    expect(await bodies(10)).toEqual(['of ten']);
    const onPull = await pullRequests.commentsOf({ ...BOOK, number: 3 }, { limit: 2 });
    expect(onPull.items.map(({ body }) => body)).toEqual(['on three', 'again on three']);
    const rest = await pullRequests.commentsOf({ ...BOOK, number: 3 }, { limit: 2, cursor: onPull.cursor });
    expect(rest.items.map(({ body }) => body)).toEqual(['and again']);
  });

  test('GH-11, GH-12: comments need what they are on', async () => {
    const { issues, pullRequests, table } = await openSite(workbench());
    const before = (await table.scan()).length;
    const said = { author: 'happy-harry', body: 'Hello?' };
    await expect(issues.comment(ISSUE_4, said)).rejects.toMatchObject({ code: 'NotFound' });
    await expect(pullRequests.comment(PULL_4, said)).rejects.toMatchObject({ code: 'NotFound' });
    expect(await table.scan()).toHaveLength(before);
  });
});
