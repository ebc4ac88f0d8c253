import { z } from 'zod';
import { html, type Markup } from '../../http/markup.ts';
import { field, form, picture } from '../../http/page-frame.ts';
import { type Action, action, type Refused, type Screen, screen } from '../../http/screens.ts';
import type { Issue, PullRequest, Repo, RepoName, Status } from '../connection.ts';
import type { GitHub } from '../github.ts';
import { found } from './found.ts';
import { mayUse, mustActFor } from './permissions.ts';
import { bodies, stateParameter } from './schemas.ts';
import {
  accountPath,
  asMember,
  count,
  cursorOf,
  dayOf,
  forOwner,
  identicon,
  more,
  paged,
  repoList,
  repoPath,
  repoTitle,
} from './views.ts';
import type { PagesOptions, Tab } from './pages-options.ts';

type State = z.output<typeof stateParameter>;

const LISTS = ['issues', 'pulls', 'stars', 'forks'] as const;
const LABELS: Readonly<Record<(typeof LISTS)[number], string>> = {
  issues: 'Issues',
  pulls: 'Pulls',
  stars: 'Stars',
  forks: 'Forks',
};
const STATUSES: Readonly<Record<State, Status | undefined>> = { open: 'Open', closed: 'Closed', all: undefined };
const said = bodies.NewIssue;
const described = bodies.RepositoryUpdate;

/** A repository with one of its four lists. */
export function repositoryScreens({ site, additions }: Pick<PagesOptions, 'site' | 'additions'>): readonly Screen[] {
  const { repos } = site;
  const tabs = additions?.repo ?? [];
  return [
    discussionList('/repos/{owner}/{repo}', 'issues', site, tabs),
    discussionList('/repos/{owner}/{repo}/pulls', 'pulls', site, tabs),
    screen({
      path: '/repos/{owner}/{repo}/stars',
      serves: ['GH-17'],
      query: paged,
      show: async ({ path, query, person }) => {
        const { repo, stars, cursor } = await repos.stargazersOf(path, cursorOf(query));
        if (query.cursor === undefined) found(repo, 'repository');
        return {
          title: repoTitle(path),
          teaches: 'STAR# sorts behind REPO#: one query forwards is the repository, then those who have starred it.',
          main: html`${repositoryHead(path, { tab: 'stars', repo, person, tabs })}
            <ul class="rows">
              ${stars.map(({ username, createdAt }) => html`<li>${picture('face', username, 30)}<a class="grow" href="${accountPath(username)}">${username}</a><small>${dayOf(createdAt)}</small></li>`)}
            </ul>
            ${stars.length === 0 && html`<p>Nothing here.</p>`}${more(`${repoPath(path)}/stars`, cursor)}`,
        };
      },
    }),
    screen({
      path: '/repos/{owner}/{repo}/forks',
      serves: ['GH-10'],
      query: paged,
      show: async ({ path, query, person }) => {
        const { original, forks, cursor } = await repos.forksOf(path, cursorOf(query));
        return {
          title: repoTitle(path),
          teaches:
            'An original and its forks are one collection of GSI2, the original first. A fork is not there under its own name, so its list of forks is empty.',
          main: html`${repositoryHead(path, { tab: 'forks', repo: original, person, tabs })}${forks.length === 0 ? html`<p>Nothing here.</p>` : repoList(forks)}${more(`${repoPath(path)}/forks`, cursor)}`,
        };
      },
    }),
  ];
}

/** What the forms of a repository do. */
export function repositoryActions({ site, once }: Pick<PagesOptions, 'site' | 'once'>): readonly Action[] {
  const { repos } = site;
  const of = '/repos/{owner}/{repo}';
  return [
    action({
      path: '/repos/{owner}/{repo}/star',
      of,
      signedIn: true,
      form: z.object({}),
      act: async ({ path, person = '' }) => {
        await repos.star(path, person);
        return { to: repoPath(path) };
      },
    }),
    action({
      path: '/repos/{owner}/{repo}/fork',
      of,
      signedIn: true,
      form: z.object({}),
      act: async ({ path, person = '', key }) => {
        const fork = await once.fork(path, person, key);
        return { to: repoPath(fork) };
      },
    }),
    action({
      path: '/repos/{owner}/{repo}/description',
      of,
      signedIn: true,
      form: described,
      act: async ({ path, form: changes, person = '' }) => {
        await mustActFor(site, person, path.owner);
        await repos.update(path, changes);
        return { to: repoPath(path) };
      },
    }),
    ...(['issues', 'pulls'] as const).map((list) =>
      action({
        path: `/repos/{owner}/{repo}/${list}`,
        of: list === 'issues' ? of : '/repos/{owner}/{repo}/pulls',
        signedIn: true,
        form: said,
        act: async ({ path, form: { title, body }, person = '', key }) => {
          const said = { title, author: person, ...(body !== undefined && body !== '' && { body }) };
          const { number } = await once.open(list, path, said, key);
          return { to: `${repoPath(path)}/${list}/${number}` };
        },
      }),
    ),
  ];
}

/** A list of one state is filtered: it reads 75 items to find 25. */
function discussionList(
  path: '/repos/{owner}/{repo}' | '/repos/{owner}/{repo}/pulls',
  list: 'issues' | 'pulls',
  { accounts, issues, pullRequests }: GitHub,
  tabs: readonly Tab[],
): Screen {
  const base = list === 'issues' ? repoPath : (name: RepoName) => `${repoPath(name)}/pulls`;
  return screen({
    path,
    serves: [list === 'issues' ? 'GH-05' : 'GH-08', 'GH-22'],
    query: paged.extend({ state: stateParameter, ...asMember.shape }),
    show: async ({ path: name, query, person, refused }) => {
      const status = STATUSES[query.state];
      const page = { ...cursorOf(query), ...(status !== undefined && { status }) };
      const { repo, items, cursor } =
        list === 'issues'
          ? await issues.of(name, page).then(({ issues: of, ...rest }) => ({ ...rest, items: of }))
          : await pullRequests.of(name, page).then(({ pullRequests: of, ...rest }) => ({ ...rest, items: of }));
      if (query.cursor === undefined) found(repo, 'repository');
      const here = base(name);
      const may =
        person === undefined
          ? undefined
          : await mayUse({ accounts }, person, { owners: [name.owner], says: query.member !== undefined });
      return {
        title: repoTitle(name),
        teaches: TEACHES[list],
        main: html`${repositoryHead(name, { tab: list, repo, person, tabs })}
          <div class="columns">
            <section aria-label="${LABELS[list]}">
              <p class="inline">
                ${stateParameter.unwrap().options.map((state) => (state === query.state ? html`<strong aria-current="true">${state}</strong>` : html`<a href="${here}?state=${state}">${state}</a>`))}
              </p>
              ${items.length === 0 && html`<p>Nothing here.</p>`}
              <ul class="rows">
                ${items.map((item) => row(name, list, item))}
              </ul>
              ${more(`${here}?state=${query.state}`, cursor)}
            </section>
            <section aria-label="Write">
              ${person === undefined ? html`<p><a href="/sign-in">Sign in</a> to write, star and fork.</p>` : writing(name, list, { repo, refused, may })}
            </section>
          </div>`,
      };
    },
  });
}

const TEACHES = {
  issues:
    'Issues sort before the repository and stars behind it: one query backwards is the repository, then its newest issues. A list of one state filters what it reads; the migrations of this application read by key instead.',
  pulls:
    'Pull requests have the same place in GSI1 that issues have in the table, and share the numbers with them: one counter on the repository.',
} as const;

/** The name of the repository, its numbers, its buttons and its lists. The numbers are on the first page of a list. */
export function repositoryHead(
  name: RepoName,
  {
    tab,
    repo,
    person,
    tabs,
  }: {
    readonly tab: string;
    readonly repo: Repo | undefined;
    readonly person: string | undefined;
    readonly tabs: readonly Tab[];
  },
): Markup {
  const numbers: Readonly<Record<string, number | undefined>> = {
    issues: repo?.openIssueCount,
    pulls: repo?.openPullRequestCount,
    stars: repo?.starCount,
    forks: repo?.forkCount,
  };
  const path = repoPath(name);
  const all = [...LISTS.map((each) => ({ path: each, label: LABELS[each] })), ...tabs];
  return html`<div class="inline">
      ${identicon(name)}<span
        >of <a href="${accountPath(name.owner)}">${name.owner}</a>${
          repo?.originalOwner !== undefined &&
          html`, fork of
            <a href="${repoPath({ owner: repo.originalOwner, repo: name.repo })}"
              >${repo.originalOwner}/${name.repo}</a
            >`
        }</span
      >${
        person !== undefined &&
        html`${form(`${path}/star`, html`<button class="second">Star</button>`)}${form(`${path}/fork`, html`<button class="second">Fork</button>`)}`
      }
    </div>
    ${repo?.description !== undefined && html`<p>${repo.description}</p>`}
    <nav class="tabs" aria-label="Lists">
      ${all.map(
        (each) =>
          html`<a
            href="${each.path === 'issues' ? path : `${path}/${each.path}`}"
            ${each.path === tab && html` aria-current="page"`}
            >${each.label}${numbers[each.path] !== undefined && html` <span class="mono">${count(numbers[each.path] ?? 0)}</span>`}</a
          >`,
      )}
    </nav>`;
}

function row(
  name: RepoName,
  list: 'issues' | 'pulls',
  { number, title, author, createdAt, status, reactionCounts }: Issue | PullRequest,
): Markup {
  const reactions = Object.values(reactionCounts).reduce((sum, each) => sum + each, 0);
  return html`<li>
    <span class="state ${status === 'Open' ? '' : 'full'}">${status}</span
    ><span class="grow"
      ><a href="${repoPath(name)}/${list}/${number}">${title}</a><br /><small
        >#${number} by <a href="${accountPath(author)}">${author}</a>, ${dayOf(createdAt)}</small
      ></span
    >${reactions > 0 && html`<small>${reactions} ${reactions === 1 ? 'reaction' : 'reactions'}</small>`}
  </li>`;
}

function writing(
  name: RepoName,
  list: 'issues' | 'pulls',
  {
    repo,
    refused,
    may,
  }: { readonly repo: Repo | undefined; readonly refused: Refused | undefined; readonly may: boolean | undefined },
): Markup {
  const noun = list === 'issues' ? 'issue' : 'pull request';
  return html`${form(
    `${repoPath(name)}/${list}`,
    html`<h2>New ${noun}</h2>
      ${field('title', 'Title', { refused })}${field('body', 'Text', { refused, rows: 4 })}<button>
        Open ${noun}
      </button>`,
    `New ${noun}`,
  )}${
    repo !== undefined &&
    list === 'issues' &&
    html`<h2>About</h2>
      ${forOwner(
        may,
        { here: repoPath(name), owner: name.owner },
        form(
          `${repoPath(name)}/description`,
          html`${field('description', 'Description', { refused, value: repo.description ?? '' })}<button class="second">
              Save
            </button>`,
          'About',
        ),
      )}`
  }`;
}
