import { z } from 'zod';
import { html, type Markup } from '../../http/markup.ts';
import { picture } from '../../http/page-frame.ts';
import type { PageRequest, Repo, RepoName } from '../connection.ts';
import { onlyFor } from './permissions.ts';
import { pageParameters } from './schemas.ts';

// Parts that several screens share.

/** The query of a list: where it continues. */
export const paged = z.object({ cursor: pageParameters.cursor });

/** Repositories with what is stored of them. */
export function repoList(repos: readonly Repo[]): Markup {
  if (repos.length === 0) return html`<p>No repositories.</p>`;
  return html`<ul class="rows">
    ${repos.map(
      (repo) =>
        html`<li>
          ${identicon(repo)}<span class="grow"
            ><a href="${repoPath(repo)}">${repo.owner}/${repo.repo}</a
            >${repo.originalOwner !== undefined && html` <small>fork of ${repo.originalOwner}</small>`}${
              repo.description !== undefined && html`<br /><small>${repo.description}</small>`
            }</span
          ><small
            >${count(repo.starCount)} stars, ${count(repo.forkCount)} forks<br />${count(repo.openIssueCount)} open
            issues, ${count(repo.openPullRequestCount)} open pulls</small
          >
        </li>`,
    )}
  </ul>`;
}

export function identicon({ owner, repo }: RepoName, size = 40): Markup {
  return html`<span class="identicon">${picture('identicon', `${owner}/${repo}`, size)}</span>`;
}

/** The link to the next page of a list, if there is one. */
export function more(path: string, cursor: string | undefined): Markup | undefined {
  if (cursor === undefined) return undefined;
  const joint = path.includes('?') ? '&' : '?';
  return html`<p>
    <a class="button second" href="${path}${joint}${new URLSearchParams({ cursor }).toString()}">More</a>
  </p>`;
}

export function cursorOf({ cursor }: { readonly cursor?: string | undefined }): PageRequest {
  return cursor === undefined ? {} : { cursor };
}

export function accountPath(name: string): string {
  return `/accounts/${encodeURIComponent(name)}`;
}

export function repoPath({ owner, repo }: RepoName): string {
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`;
}

export function repoTitle({ owner, repo }: RepoName): string {
  return `${owner} / ${repo}`;
}

export function count(number: number): string {
  return number.toLocaleString('en-US');
}

export function dayOf(time: string): string {
  return new Date(time).toLocaleDateString('en-US', {
    month: 'short',
    day: 'numeric',
    year: 'numeric',
    timeZone: 'UTC',
  });
}

/** The query of a page on which a visitor can say that they are a member of the organization that owns it. */
export const asMember = z.object({ member: z.literal('1').optional() });

/** A form for those who may send it; for others a link by which members say that they are. @param may - from `mayUse` */
export function forOwner(
  may: boolean | undefined,
  { here, owner }: { readonly here: string; readonly owner: string },
  own: Markup,
): Markup {
  if (may === true) return own;
  return may === false
    ? html`<p class="small">${onlyFor(owner)}</p>`
    : html`<p class="small"><a href="${here}?member=1">As a member of ${owner}</a></p>`;
}
