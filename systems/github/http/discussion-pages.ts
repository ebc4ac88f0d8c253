import { html, type Markup } from '../../http/markup.ts';
import { field, form, picture } from '../../http/page-frame.ts';
import { type Action, action, type Screen, screen } from '../../http/screens.ts';
import type { Numbered, ReactionKind } from '../connection.ts';
import type { GitHub } from '../github.ts';
import { found } from './found.ts';
import type { PagesOptions } from './pages-options.ts';
import { mayUse, mustModerate } from './permissions.ts';
import { kindOf } from './representations.ts';
import { bodies, parameters, REACTION_CONTENTS } from './schemas.ts';
import { accountPath, asMember, cursorOf, dayOf, forOwner, more, paged, repoPath } from './views.ts';
import { REACTION_KINDS } from '../model.ts';

interface Kind {
  readonly list: 'issues' | 'pulls';
  readonly noun: string;
  readonly serves: readonly string[];
}

const KINDS: readonly Kind[] = [
  { list: 'issues', noun: 'issue', serves: ['GH-04', 'GH-25'] },
  { list: 'pulls', noun: 'pull request', serves: ['GH-07', 'GH-26'] },
];

interface Named {
  readonly owner: string;
  readonly repo: string;
  readonly number: string;
}

/** An issue, or a pull request, with what was said about it. */
export function discussionScreens({ site }: { readonly site: GitHub }): readonly Screen[] {
  return KINDS.map(({ list, noun, serves }) =>
    screen({
      path: `/repos/{owner}/{repo}/${list}/{number}`,
      serves: [...serves, 'GH-22'],
      query: paged.extend(asMember.shape),
      show: async ({ path, query, person, refused }) => {
        const name = numberedOf(path, noun);
        const items = itemsOf(site, list);
        const item = found(await items.find(name), noun);
        const { items: comments, cursor } = await items.commentsOf(name, cursorOf(query));
        const here = pathOf(list, name);
        const isOpen = item.status === 'Open';
        const owners = [name.owner, item.author] as const;
        const may =
          person === undefined ? undefined : await mayUse(site, person, { owners, says: query.member !== undefined });
        return {
          title: item.title,
          teaches:
            'The counts of reactions are kept beside the text, in the transaction that adds one. Comments are a collection of their own, whose ids sort by time.',
          main: html`<p class="inline">
              <span class="state ${isOpen ? '' : 'full'}">${item.status}</span
              ><span
                >#${item.number} in
                <a href="${list === 'issues' ? repoPath(name) : `${repoPath(name)}/pulls`}"
                  >${name.owner}/${name.repo}</a
                >, by <a href="${accountPath(item.author)}">${item.author}</a>, ${dayOf(item.createdAt)}</span
              >${
                person !== undefined &&
                forOwner(
                  may,
                  { here, owner: name.owner },
                  form(
                    `${here}/state`,
                    html`<input type="hidden" name="state" value="${isOpen ? 'closed' : 'open'}" /><button
                        class="second"
                      >
                        ${isOpen ? 'Close' : 'Reopen'}
                      </button>`,
                  ),
                )
              }
            </p>
            <article>
              ${paragraphs(item.body)}${reactions(`${here}/reactions`, item.reactionCounts, person, `Reactions to the ${noun}`)}
            </article>
            <h2>Comments</h2>
            <ul class="rows comments">
              ${comments.map(
                ({ commentId, author, body, createdAt, reactionCounts }) =>
                  html`<li>
                    ${picture('face', author, 30)}
                    <div class="grow">
                      ${paragraphs(body)}<small
                        ><a href="${accountPath(author)}">${author}</a>, ${dayOf(createdAt)}</small
                      >${reactions(`${here}/comments/${commentId}/reactions`, reactionCounts, person, `Reactions to the comment of ${author}`)}
                    </div>
                  </li>`,
              )}
            </ul>
            ${comments.length === 0 && html`<p>No comments.</p>`}${more(here, cursor)}
            ${
              person === undefined
                ? html`<p><a href="/sign-in">Sign in</a> to comment and react.</p>`
                : form(
                    `${here}/comments`,
                    html`${field('body', 'Your comment', { refused, rows: 3 })}<button>Comment</button>`,
                    'Comment',
                  )
            }`,
        };
      },
    }),
  );
}

/** What the forms below an issue or a pull request do. */
export function discussionActions({ site, once }: Pick<PagesOptions, 'site' | 'once'>): readonly Action[] {
  return KINDS.flatMap(({ list, noun }) => {
    const of = `/repos/{owner}/{repo}/${list}/{number}` as const;
    const items = itemsOf(site, list);
    const nameOf = (path: Named): Numbered => numberedOf(path, noun);
    return [
      action({
        path: `${of}/state`,
        of,
        signedIn: true,
        form: bodies.StateChange,
        act: async ({ path, form: { state }, person = '' }) => {
          const { author } = found(await items.find(nameOf(path)), noun);
          await mustModerate(site, person, { author, owner: path.owner });
          await items.setStatus(nameOf(path), state === 'open' ? 'Open' : 'Closed');
          return { to: pathOf(list, nameOf(path)) };
        },
      }),
      action({
        path: `${of}/comments`,
        of,
        signedIn: true,
        form: bodies.NewComment,
        act: async ({ path, form: { body }, person = '', key }) => {
          await once.comment(list, nameOf(path), { author: person, body }, key);
          return { to: pathOf(list, nameOf(path)) };
        },
      }),
      action({
        path: `${of}/reactions`,
        of,
        signedIn: true,
        form: bodies.NewReaction,
        act: async ({ path, form: reaction, person = '' }) => {
          await items.react(nameOf(path), { username: person, kind: kindOf(reaction) });
          return { to: pathOf(list, nameOf(path)) };
        },
      }),
      action({
        path: `${of}/comments/{commentId}/reactions`,
        of,
        signedIn: true,
        form: bodies.NewReaction,
        act: async ({ path, form: reaction, person = '' }) => {
          const { commentId } = path;
          const name = {
            ...nameOf(path),
            commentId: found(parameters.comment_id.safeParse(commentId).data, 'comment'),
          };
          await items.reactToComment(name, { username: person, kind: kindOf(reaction) });
          return { to: pathOf(list, name) };
        },
      }),
    ];
  });
}

function itemsOf({ issues, pullRequests }: GitHub, list: Kind['list']): GitHub['issues'] | GitHub['pullRequests'] {
  return list === 'issues' ? issues : pullRequests;
}

function numberedOf({ owner, repo, number }: Named, noun: string): Numbered {
  return { owner, repo, number: found(parameters.number.safeParse(number).data, noun) };
}

function pathOf(list: Kind['list'], name: Numbered): string {
  return `${repoPath(name)}/${list}/${name.number}`;
}

/** The eight kinds with their counts: buttons for those who are signed in. */
function reactions(
  path: string,
  counts: Readonly<Record<ReactionKind, number>>,
  person: string | undefined,
  label: string,
): Markup {
  const all = REACTION_CONTENTS.map(
    (content, index) => [content, counts[REACTION_KINDS[index] ?? 'ThumbsUp']] as const,
  );
  if (person === undefined) {
    const some = all.filter(([, count]) => count > 0);
    return html`<p><small>${some.map(([content, count]) => `${content} ${count}`).join(', ')}</small></p>`;
  }
  return form(
    path,
    html`<div class="reactions">
      ${all.map(([content, count]) => html`<button name="content" value="${content}" class="${count > 0 && 'some'}">${content}${count > 0 && ` ${count}`}</button>`)}
    </div>`,
    label,
  );
}

function paragraphs(text: string | undefined): readonly Markup[] {
  return (text ?? '').split(/\r?\n\s*\r?\n/).map((paragraph) => html`<p>${paragraph}</p>`);
}
