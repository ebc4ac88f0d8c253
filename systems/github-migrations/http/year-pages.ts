import { z } from 'zod';
import { found } from '../../github/http/found.ts';
import { mustActFor } from '../../github/http/permissions.ts';
import type { Tab } from '../../github/http/pages-options.ts';
import { repositoryHead } from '../../github/http/repository-pages.ts';
import { accountPath, cursorOf, dayOf, more, paged, repoPath, repoTitle } from '../../github/http/views.ts';
import { HttpError } from '../../http/http-error.ts';
import { html, type Markup } from '../../http/markup.ts';
import { field, form, picture } from '../../http/page-frame.ts';
import { type Action, action, type Screen, screen } from '../../http/screens.ts';
import type { Gist } from '../connection.ts';
import type { MigratedGitHub } from '../migrated-github.ts';
import type { MadeOnce } from './made-once.ts';
import { codeOfConduct, gistId, newApp, newGist, slug } from './year-routes.ts';

/** The screens of this year, linked from those of accounts and repositories. */
export const additions: { readonly account: readonly Tab[]; readonly repo: readonly Tab[] } = {
  account: [
    { path: 'gists', label: 'Gists' },
    { path: 'apps', label: 'Apps' },
  ],
  repo: [{ path: 'apps', label: 'Apps' }],
};

/** A gist on a page has one file. */
const gistForm = z.object({
  title: newGist.shape.title,
  file: z.string().min(1).max(255),
  text: z.string().min(1).max(4000),
});
const installForm = z.object({ repository: z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/) });

/** Gists and apps of accounts; apps and the code of conduct of repositories. */
export function yearScreens({ gists, apps }: MigratedGitHub): readonly Screen[] {
  return [
    screen({
      path: '/accounts/{name}/gists',
      serves: ['GHM-03'],
      query: paged,
      show: async ({ path: { name }, query, person, refused }) => {
        const page = await gists.of(name, cursorOf(query));
        if (query.cursor === undefined) found(page.account, 'account');
        return {
          title: `Gists of ${name}`,
          teaches:
            'Gists joined the collection of their user, before the user: the ids sort by time, so one query backwards is the user and the newest gists.',
          main: html`<p><a href="${accountPath(name)}">${name}</a></p>
            ${page.gists.length === 0 && html`<p>Nothing here.</p>`}
            <ul class="rows">
              ${page.gists.map(({ gistId: id, title, createdAt }) => html`<li>${picture('mark', id, 30)}<a class="grow" href="${gistPath({ username: name, gistId: id })}">${title}</a><small>${dayOf(createdAt)}</small></li>`)}
            </ul>
            ${more(`${accountPath(name)}/gists`, page.cursor)}
            ${
              person === name &&
              form(
                `${accountPath(name)}/gists`,
                html`<h2>New gist</h2>
                  ${field('title', 'Title', { refused })}${field('file', 'Name of the file', { refused })}${field('text', 'Text', { refused, rows: 4 })}<button>
                    Share
                  </button>`,
                'New gist',
              )
            }`,
        };
      },
    }),
    screen({
      path: '/accounts/{name}/gists/{gistId}',
      serves: ['GHM-04'],
      show: async ({ path, person, refused }) => {
        const gist = found(await gists.find({ username: path.name, gistId: idOf(path.gistId) }), 'gist');
        const [[file, text] = ['', '']] = Object.entries(gist.files);
        return {
          title: gist.title,
          teaches: 'The files are on the item of the gist, so one read is all of it.',
          main: html`<p><a href="${accountPath(gist.username)}/gists">${gist.username}</a>, ${dayOf(gist.createdAt)}</p>
            ${Object.entries(gist.files).map(
              ([name, content]) =>
                html`<h2>${name}</h2>
                  <pre class="mono">${content}</pre>`,
            )}
            ${
              person === gist.username &&
              form(
                gistPath(gist),
                html`<h2>Change</h2>
                  ${field('title', 'Title', { refused, value: gist.title })}${field('file', 'Name of the file', { refused, value: file })}${field('text', 'Text', { refused, rows: 4, value: text })}<button
                    class="second"
                  >
                    Save
                  </button>`,
                'Change',
              )
            }`,
        };
      },
    }),
    screen({
      path: '/accounts/{name}/apps',
      serves: ['GH-30', 'GHM-06'],
      query: paged,
      show: async ({ path: { name }, query, person, refused }) => {
        const page = await apps.of(name, cursorOf(query));
        if (query.cursor === undefined) found(page.account, 'account');
        return {
          title: `Apps of ${name}`,
          teaches:
            'Until its migration is done, an account may lack the keys of this collection: then it is read by its own key, which is a second request.',
          main: html`<p><a href="${accountPath(name)}">${name}</a></p>
            ${page.apps.length === 0 && html`<p>Nothing here.</p>`}
            <ul class="rows">
              ${page.apps.map(
                ({ app, name: title, description }) =>
                  html`<li>
                    ${picture('identicon', `${name}/${app}`, 40)}<span class="grow"
                      ><a href="/apps/${encodeURIComponent(name)}/${app}">${title}</a
                      >${description !== undefined && html`<br /><small>${description}</small>`}</span
                    >
                  </li>`,
              )}
            </ul>
            ${more(`${accountPath(name)}/apps`, page.cursor)}
            ${
              person !== undefined &&
              form(
                `${accountPath(name)}/apps`,
                html`<h2>New app</h2>
                  ${field('name', 'Name of the app', { refused })}${field('description', 'Description', { refused })}<button>
                    Create app
                  </button>`,
                'New app',
              )
            }`,
        };
      },
    }),
    screen({
      path: '/apps/{account}/{app}',
      serves: ['GHM-08'],
      query: paged,
      show: async ({ path, query, person, refused }) => {
        const name = { account: path.account, app: found(slug.safeParse(path.app).data, 'app') };
        const page = await apps.installationsOf(name, cursorOf(query));
        if (query.cursor === undefined) found(page.app, 'app');
        const here = `/apps/${encodeURIComponent(name.account)}/${name.app}`;
        return {
          title: page.app?.name ?? 'More installations',
          teaches:
            'An installation is one item, read from the side of the app in the table and from the side of the repository in GSI1.',
          main: html`<p>of <a href="${accountPath(name.account)}/apps">${name.account}</a></p>
            ${page.app?.description !== undefined && html`<p>${page.app.description}</p>`}
            <h2>Installed in</h2>
            ${page.installations.length === 0 && html`<p>Nothing here.</p>`}
            <ul class="rows">
              ${page.installations.map((each) => html`<li><a class="grow" href="${repoPath(each)}/apps">${each.owner}/${each.repo}</a><small>${dayOf(each.installedAt)}</small></li>`)}
            </ul>
            ${more(here, page.cursor)}
            ${person !== undefined && form(here, html`${field('repository', 'Repository', { refused, hint: 'owner/name' })}<button>Install</button>`, 'Install')}`,
        };
      },
    }),
    screen({
      path: '/repos/{owner}/{repo}/apps',
      serves: ['GHM-09'],
      query: paged,
      show: async ({ path, query, person, refused }) => {
        const page = await apps.installedIn(path, cursorOf(query));
        if (query.cursor === undefined) found(page.repo, 'repository');
        const conduct = page.repo?.codeOfConduct;
        return {
          title: repoTitle(path),
          teaches:
            'Installations sort behind the repository in GSI1, pull requests before it: neither list reads the other.',
          main: html`${repositoryHead(path, { tab: 'apps', repo: page.repo, person, tabs: additions.repo })}
            ${page.installations.length === 0 && html`<p>Nothing is installed.</p>`}
            <ul class="rows">
              ${page.installations.map(({ account, app, installedAt }) => html`<li>${picture('identicon', `${account}/${app}`, 40)}<a class="grow" href="/apps/${encodeURIComponent(account)}/${app}">${account}/${app}</a><small>${dayOf(installedAt)}</small></li>`)}
            </ul>
            ${more(`${repoPath(path)}/apps`, page.cursor)}
            ${conduct !== undefined && html`<p>Code of conduct: <a href="${conduct.url}" rel="noreferrer">${conduct.name}</a></p>`}
            ${person !== undefined && conductForms(repoPath(path), conduct, refused)}`,
        };
      },
    }),
  ];
}

/** What their forms do. */
export function yearActions(site: MigratedGitHub, made: MadeOnce): readonly Action[] {
  const { gists, repos } = site;
  const ofRepo = '/repos/{owner}/{repo}/apps';
  return [
    action({
      path: '/accounts/{name}/gists',
      of: '/accounts/{name}/gists',
      signedIn: true,
      form: gistForm,
      act: async ({ form: { title, file, text }, person = '', key }) => ({
        to: gistPath(await made.gist(person, { title, files: { [file]: text } }, key)),
      }),
    }),
    action({
      path: '/accounts/{name}/gists/{gistId}',
      of: '/accounts/{name}/gists/{gistId}',
      signedIn: true,
      form: gistForm,
      act: async ({ path, form: { title, file, text }, person }) => {
        if (path.name !== person) throw new HttpError(403, 'not-yours', 'This gist belongs to another user.');
        const name = { username: path.name, gistId: idOf(path.gistId) };
        await gists.update(name, { title, files: { [file]: text } });
        return { to: gistPath(name) };
      },
    }),
    action({
      path: '/accounts/{name}/apps',
      of: '/accounts/{name}/apps',
      signedIn: true,
      form: newApp,
      act: async ({ path: { name: account }, form: { name, description }, person = '', key }) => {
        await mustActFor(site, person, account);
        const wanted = { name, ...(description !== undefined && description !== '' && { description }) };
        const { app } = await made.app(account, wanted, key);
        return { to: `/apps/${encodeURIComponent(account)}/${app}` };
      },
    }),
    action({
      path: '/apps/{account}/{app}',
      of: '/apps/{account}/{app}',
      signedIn: true,
      form: installForm,
      act: async ({ path: { account, app }, form: { repository }, person = '' }) => {
        const [owner = '', repo = ''] = repository.split('/');
        await mustActFor(site, person, owner);
        await made.installation({ account, app }, { owner, repo });
        return { to: `/apps/${encodeURIComponent(account)}/${app}` };
      },
    }),
    action({
      path: '/repos/{owner}/{repo}/code-of-conduct',
      of: ofRepo,
      signedIn: true,
      form: codeOfConduct,
      act: async ({ path, form: code, person = '' }) => {
        await mustActFor(site, person, path.owner);
        await repos.setCodeOfConduct(path, code);
        return { to: `${repoPath(path)}/apps` };
      },
    }),
    action({
      path: '/repos/{owner}/{repo}/no-code-of-conduct',
      of: ofRepo,
      signedIn: true,
      form: z.object({}),
      act: async ({ path, person = '' }) => {
        await mustActFor(site, person, path.owner);
        await repos.removeCodeOfConduct(path);
        return { to: `${repoPath(path)}/apps` };
      },
    }),
  ];
}

function conductForms(
  path: string,
  conduct: z.output<typeof codeOfConduct> | undefined,
  refused: Parameters<Screen['show']>[0]['refused'],
): Markup {
  return html`${form(
    `${path}/code-of-conduct`,
    html`<h2>Code of conduct</h2>
      ${field('name', 'Name of the code', { refused, value: conduct?.name ?? '' })}${field('url', 'Address', { refused, value: conduct?.url ?? 'https://' })}<button
        class="second"
      >
        Save
      </button>`,
    'Code of conduct',
  )}${conduct !== undefined && form(`${path}/no-code-of-conduct`, html`<button class="plain">Remove it</button>`)}`;
}

function gistPath({ username, gistId: id }: Pick<Gist, 'username' | 'gistId'>): string {
  return `${accountPath(username)}/gists/${id}`;
}

function idOf(given: string): string {
  return found(gistId.safeParse(given).data, 'gist');
}
