import type { Cursor } from '@singlet/model';
import type { Issue, PageRequest, PullRequest, Repo, RepoName, Status } from '../connection.ts';
import type { GitHub } from '../github.ts';
import type { Issues } from '../issues.ts';
import type { PullRequests } from '../pull-requests.ts';
import { found } from './found.ts';
import { list, onceIsEnough, repeated, unlessEmpty } from './handling.ts';
import { mustModerate } from './permissions.ts';
import { commentAnswer, discussionAnswer, kindOf, statusOf } from './representations.ts';
import { route, type Route } from './route.ts';

/** Issues or pull requests, which are served the same way. */
interface Subject {
  readonly path: 'issues' | 'pulls';
  readonly of: 'Issue' | 'PullRequest';
  readonly noun: string;
  readonly patterns: Readonly<
    Record<'create' | 'get' | 'list' | 'setState' | 'comment' | 'comments' | 'react', string>
  >;
  readonly items: (site: GitHub) => Issues | PullRequests;
  readonly list: (
    site: GitHub,
    repo: RepoName,
    page: PageRequest & { readonly status?: Status },
  ) => Promise<{
    readonly repo: Repo | undefined;
    readonly items: readonly (Issue | PullRequest)[];
    readonly cursor: Cursor | undefined;
  }>;
}

const issues: Subject = {
  path: 'issues',
  of: 'Issue',
  noun: 'issue',
  patterns: {
    create: 'GH-03',
    get: 'GH-04',
    list: 'GH-05',
    setState: 'GH-27',
    comment: 'GH-11',
    comments: 'GH-25',
    react: 'GH-13',
  },
  items: (site) => site.issues,
  list: async (site, name, page) => {
    const { repo, issues: items, cursor } = await site.issues.of(name, page);
    return { repo, items, cursor };
  },
};

const pulls: Subject = {
  path: 'pulls',
  of: 'PullRequest',
  noun: 'pull request',
  patterns: {
    create: 'GH-06',
    get: 'GH-07',
    list: 'GH-08',
    setState: 'GH-28',
    comment: 'GH-12',
    comments: 'GH-26',
    react: 'GH-14',
  },
  items: (site) => site.pullRequests,
  list: async (site, name, page) => {
    const { repo, pullRequests: items, cursor } = await site.pullRequests.of(name, page);
    return { repo, items, cursor };
  },
};

/** The operations on issues and on pull requests. */
export const discussionRoutes: readonly Route[] = [issues, pulls].flatMap((subject) => [
  ...itemRoutes(subject),
  ...commentRoutes(subject),
]);

function itemRoutes({ path, of, noun, patterns, items, list: read }: Subject): Route[] {
  return [
    route({
      method: 'GET',
      path: `/repos/{owner}/{repo}/${path}`,
      id: `list${of}s`,
      summary: `List the ${noun}s of a repository, the newest first`,
      patterns: [patterns.list],
      paged: true,
      byState: true,
      gives: [{ status: 200, of, many: true }],
      refuses: [404],
      handle: async ({ site, parameters, page, status }) => {
        const {
          repo,
          items: page1,
          cursor,
        } = await read(site, parameters, {
          ...page,
          ...(status !== undefined && { status }),
        });
        return list(page.cursor, repo, page1.map(discussionAnswer), cursor);
      },
    }),
    route({
      method: 'POST',
      path: `/repos/{owner}/{repo}/${path}`,
      id: `create${of}`,
      summary: `Open ${of === 'Issue' ? 'an' : 'a'} ${noun}`,
      description: repeated,
      takesKey: true,
      patterns: ['GH-32', patterns.create],
      acts: true,
      takes: 'NewIssue',
      gives: [{ status: 201, of }],
      refuses: [404],
      handle: async ({ once, key, parameters, username, body: { title, body } }) => {
        const said = { title, author: username, ...(body !== undefined && { body }) };
        return { status: 201, body: discussionAnswer(await once.open(path, parameters, said, key)) };
      },
    }),
    route({
      method: 'GET',
      path: `/repos/{owner}/{repo}/${path}/{number}`,
      id: `get${of}`,
      summary: `Get ${of === 'Issue' ? 'an' : 'a'} ${noun}`,
      patterns: [patterns.get],
      gives: [{ status: 200, of }],
      refuses: [404],
      handle: async ({ site, parameters }) => ({
        status: 200,
        body: discussionAnswer(found(await items(site).find(parameters), noun)),
      }),
    }),
    route({
      method: 'PATCH',
      path: `/repos/{owner}/{repo}/${path}/{number}`,
      id: `setStateOf${of}`,
      summary: `Close or reopen ${of === 'Issue' ? 'an' : 'a'} ${noun}, as its author or for the owner of the repository; one that is so stays so`,
      patterns: [patterns.get, patterns.setState],
      acts: true,
      takes: 'StateChange',
      gives: [{ status: 204 }],
      refuses: [403, 404],
      handle: async ({ site, parameters, username, body }) => {
        const { author } = found(await items(site).find(parameters), noun);
        await mustModerate(site, username, { author, owner: parameters.owner });
        await onceIsEnough(items(site).setStatus(parameters, statusOf(body)));
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: `/repos/{owner}/{repo}/${path}/{number}/reactions`,
      id: `reactTo${of}`,
      summary: `React to ${of === 'Issue' ? 'an' : 'a'} ${noun}; 200 where the user had reacted so before`,
      patterns: [patterns.react],
      acts: true,
      takes: 'NewReaction',
      gives: [
        { status: 201, of: 'Reaction' },
        { status: 200, of: 'Reaction' },
      ],
      refuses: [404],
      handle: async ({ site, parameters, username, body }) => {
        const when = await onceIsEnough(items(site).react(parameters, { username, kind: kindOf(body) }));
        return { status: when === 'done' ? 201 : 200, body: { user: { login: username }, content: body.content } };
      },
    }),
  ];
}

function commentRoutes({ path, of, noun, patterns, items }: Subject): Route[] {
  return [
    route({
      method: 'GET',
      path: `/repos/{owner}/{repo}/${path}/{number}/comments`,
      id: `listCommentsOf${of}`,
      summary: `List the comments on ${of === 'Issue' ? 'an' : 'a'} ${noun}, the oldest first`,
      patterns: [patterns.comments],
      paged: true,
      gives: [{ status: 200, of: 'Comment', many: true }],
      refuses: [404],
      handle: async ({ site, parameters, page }) => {
        const { items: comments, cursor } = await items(site).commentsOf(parameters, page);
        await unlessEmpty(page, comments, async () => found(await items(site).find(parameters), noun));
        return { status: 200, body: comments.map(commentAnswer), cursor };
      },
    }),
    route({
      method: 'POST',
      path: `/repos/{owner}/{repo}/${path}/{number}/comments`,
      id: `commentOn${of}`,
      summary: `Comment on ${of === 'Issue' ? 'an' : 'a'} ${noun}`,
      description: repeated,
      takesKey: true,
      patterns: [patterns.comment],
      acts: true,
      takes: 'NewComment',
      gives: [{ status: 201, of: 'Comment' }],
      refuses: [404],
      handle: async ({ once, key, parameters, username, body }) => {
        const comment = await once.comment(path, parameters, { author: username, ...body }, key);
        return { status: 201, body: commentAnswer(comment) };
      },
    }),
    route({
      method: 'POST',
      path: `/repos/{owner}/{repo}/${path}/{number}/comments/{comment_id}/reactions`,
      id: `reactToCommentOn${of}`,
      summary: `React to a comment on ${of === 'Issue' ? 'an' : 'a'} ${noun}; 200 where the user had reacted so before`,
      patterns: ['GH-15'],
      acts: true,
      takes: 'NewReaction',
      gives: [
        { status: 201, of: 'Reaction' },
        { status: 200, of: 'Reaction' },
      ],
      refuses: [404],
      handle: async ({ site, parameters: { comment_id: commentId, ...item }, username, body }) => {
        const reacting = items(site).reactToComment({ ...item, commentId }, { username, kind: kindOf(body) });
        const when = await onceIsEnough(reacting);
        return { status: when === 'done' ? 201 : 200, body: { user: { login: username }, content: body.content } };
      },
    }),
  ];
}
