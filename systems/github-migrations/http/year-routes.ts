import { z } from 'zod';
import { found } from '../../github/http/found.ts';
import { httpRoutes, type Requires } from '../../github/http/http-routes.ts';
import type { Once } from '../../github/http/once.ts';
import { mustActFor } from '../../github/http/permissions.ts';
import { routes } from '../../github/http/routes.ts';
import { pageParameters, parameters } from '../../github/http/schemas.ts';
import { HttpError } from '../../http/http-error.ts';
import { type Route, route } from '../../http/route.ts';
import { SESSION } from '../../http/sign-in.ts';
import type { MigratedGitHub } from '../migrated-github.ts';
import { githubMigrations } from '../model.ts';
import type { MadeOnce } from './made-once.ts';

const { Repo, Gist, GitHubApp, GitHubAppInstallation } = githubMigrations.entities;

export const codeOfConduct = Repo.attributes.codeOfConduct.unwrap();
export const newGist = z.object({ title: Gist.attributes.title, files: Gist.attributes.files });
const gistChanges = z.object({
  title: Gist.attributes.title.optional(),
  files: Gist.attributes.files.unwrap().optional(),
});
export const newApp = z.object({ name: GitHubApp.attributes.name, description: GitHubApp.attributes.description });
export const slug = GitHubApp.attributes.app;
export const gistId = parameters.comment_id;

const gist = z.object(Gist.attributes);
const app = z.object(GitHubApp.attributes);
const installation = z.object(GitHubAppInstallation.attributes);
const cursor = z.string().optional();
const query = z.object({ cursor: pageParameters.cursor });

const signedOut = { 401: { description: 'Not signed in' } };
const foreign = { 403: { description: 'Of another user, or of an organization of others' } };
const noSuch = { 404: { description: 'There is no such one' } };
const { owner, repo, username } = parameters;

/** The patterns of this year that the operations of the year before use as well. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  createRepo: ['GHM-14'],
  createRepoOfOrganization: ['GHM-14'],
  forkRepo: ['GHM-14'],
  createIssue: ['GHM-14'],
  createPullRequest: ['GHM-14'],
  setStateOfIssue: ['GHM-15'],
  setStateOfPullRequest: ['GHM-15'],
  listIssues: ['GHM-10', 'GHM-11', 'GHM-16'],
  listPullRequests: ['GHM-12', 'GHM-13', 'GHM-16'],
  listMembers: ['GHM-16'],
  getAccount: ['GHM-16'],
};

/** The operations of the year before, on the migrated site. */
export function earlierRoutes(
  site: MigratedGitHub,
  options: { readonly once: Once; readonly required: Requires },
): readonly Route[] {
  return httpRoutes(routes, site, options).map((each) => ({
    ...each,
    serves: [...(each.serves ?? []), ...(ALSO[each.operationId] ?? [])],
  }));
}

/** Codes of conduct, gists and apps. */
export function yearRoutes(
  site: MigratedGitHub,
  { required, made }: { readonly required: Requires; readonly made: MadeOnce },
): readonly Route[] {
  return [...conductRoutes(site, required), ...gistRoutes(site, required, made), ...appRoutes(site, required, made)];
}

function conductRoutes(site: MigratedGitHub, required: Requires): readonly Route[] {
  const { repos } = site;
  const common = {
    path: '/repos/{owner}/{repo}/code-of-conduct',
    tag: 'Codes of conduct',
    serves: ['GHM-01'],
    pathSchemas: { owner, repo },
  } as const;
  return [
    route({
      ...common,
      method: 'GET',
      operationId: 'getCodeOfConduct',
      summary: 'The code of conduct, which is on the repository',
      answers: { 200: { description: 'The code', schema: codeOfConduct }, ...noSuch },
      handle: async ({ path }) => ({
        status: 200,
        body: found(found(await repos.find(path), 'repository').codeOfConduct, 'code of conduct'),
      }),
    }),
    route({
      ...common,
      method: 'PUT',
      operationId: 'setCodeOfConduct',
      summary: 'Add or replace the code of conduct, for the owner of the repository',
      security: SESSION,
      body: codeOfConduct,
      answers: { 204: { description: 'Set' }, ...signedOut, ...foreign, ...noSuch },
      handle: async ({ path, body, request }) => {
        await mustActFor(site, await required(request), path.owner);
        await repos.setCodeOfConduct(path, body);
        return { status: 204 };
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      operationId: 'removeCodeOfConduct',
      summary: 'Remove the code of conduct, for the owner of the repository; one that is missing stays so',
      security: SESSION,
      answers: { 204: { description: 'Removed' }, ...signedOut, ...foreign, ...noSuch },
      handle: async ({ path, request }) => {
        await mustActFor(site, await required(request), path.owner);
        await repos.removeCodeOfConduct(path);
        return { status: 204 };
      },
    }),
  ];
}

function gistRoutes({ gists }: MigratedGitHub, required: Requires, made: MadeOnce): readonly Route[] {
  const gistPath = { path: '/users/{username}/gists/{gistId}', pathSchemas: { username, gistId } } as const;
  return [
    route({
      method: 'POST',
      path: '/user/gists',
      operationId: 'createGist',
      summary: 'Share a gist',
      description: 'With an Idempotency-Key, a repeated request is answered with the gist of the first one.',
      takesKey: true,
      tag: 'Gists',
      security: SESSION,
      serves: ['GHM-02'],
      body: newGist,
      answers: { 201: { description: 'The gist', schema: gist }, ...signedOut, ...noSuch },
      handle: async ({ body, key, request }) => ({
        status: 201,
        body: await made.gist(await required(request), body, key),
      }),
    }),
    route({
      method: 'GET',
      path: '/users/{username}/gists',
      operationId: 'listGists',
      summary: 'The gists of a user, the newest first',
      tag: 'Gists',
      serves: ['GHM-03'],
      pathSchemas: { username },
      query,
      answers: { 200: { description: 'A page', schema: z.object({ gists: z.array(gist), cursor }) }, ...noSuch },
      handle: async ({ path, query: page }) => {
        const { account, ...list } = await gists.of(path.username, page);
        if (page.cursor === undefined) found(account, 'account');
        return { status: 200, body: list };
      },
    }),
    route({
      ...gistPath,
      method: 'GET',
      operationId: 'getGist',
      summary: 'One gist',
      tag: 'Gists',
      serves: ['GHM-04'],
      answers: { 200: { description: 'The gist', schema: gist }, ...noSuch },
      handle: async ({ path }) => ({ status: 200, body: found(await gists.find(path), 'gist') }),
    }),
    route({
      ...gistPath,
      method: 'PATCH',
      operationId: 'updateGist',
      summary: 'Change a gist of your own',
      tag: 'Gists',
      security: SESSION,
      serves: ['GHM-04'],
      body: gistChanges,
      answers: {
        200: { description: 'The gist', schema: gist },
        ...signedOut,
        ...foreign,
        ...noSuch,
      },
      handle: async ({ path, body: { title, files }, request }) => {
        if ((await required(request)) !== path.username)
          throw new HttpError(403, 'not-yours', 'This gist belongs to another user.');
        const changes = { ...(title !== undefined && { title }), ...(files !== undefined && { files }) };
        return { status: 200, body: await gists.update(path, changes) };
      },
    }),
  ];
}

function appRoutes(site: MigratedGitHub, required: Requires, made: MadeOnce): readonly Route[] {
  const { apps } = site;
  const named = { account: username, app: slug };
  return [
    route({
      method: 'POST',
      path: '/users/{username}/apps',
      operationId: 'createApp',
      summary: 'Create an app of oneself, or of an organization as its member',
      description: 'With an Idempotency-Key, a repeated request is answered with the app of the first one.',
      takesKey: true,
      tag: 'Apps',
      security: SESSION,
      serves: ['GHM-05'],
      pathSchemas: { username },
      body: newApp,
      answers: {
        201: { description: 'The app', schema: app },
        409: { description: 'There is one' },
        ...signedOut,
        ...foreign,
        ...noSuch,
      },
      handle: async ({ path, body: { name, description }, key, request }) => {
        await mustActFor(site, await required(request), path.username);
        const wanted = { name, ...(description !== undefined && { description }) };
        return { status: 201, body: await made.app(path.username, wanted, key) };
      },
    }),
    route({
      method: 'GET',
      path: '/users/{username}/apps',
      operationId: 'listApps',
      summary: 'The apps of a user or an organization, by name',
      tag: 'Apps',
      serves: ['GHM-06'],
      pathSchemas: { username },
      query,
      answers: { 200: { description: 'A page', schema: z.object({ apps: z.array(app), cursor }) }, ...noSuch },
      handle: async ({ path, query: page }) => {
        const { account, ...list } = await apps.of(path.username, page);
        if (page.cursor === undefined) found(account, 'account');
        return { status: 200, body: list };
      },
    }),
    route({
      method: 'PATCH',
      path: '/apps/{account}/{app}',
      operationId: 'describeApp',
      summary: 'Change the description of an app, as its owner or a member of that',
      tag: 'Apps',
      security: SESSION,
      serves: ['GHM-05'],
      pathSchemas: named,
      body: z.object({ description: GitHubApp.attributes.description.unwrap() }),
      answers: { 204: { description: 'Changed' }, ...signedOut, ...foreign, ...noSuch },
      handle: async ({ path, body: { description }, request }) => {
        await mustActFor(site, await required(request), path.account);
        await apps.describe(path, description);
        return { status: 204 };
      },
    }),
    route({
      method: 'PUT',
      path: '/apps/{account}/{app}/installations/{owner}/{repo}',
      operationId: 'installApp',
      summary: 'Install an app in a repository, for the owner of the repository; one that is installed stays so',
      tag: 'Apps',
      security: SESSION,
      serves: ['GHM-07'],
      pathSchemas: { ...named, owner, repo },
      answers: {
        201: { description: 'The installation', schema: installation },
        ...signedOut,
        ...foreign,
        ...noSuch,
      },
      handle: async ({ path, request }) => {
        await mustActFor(site, await required(request), path.owner);
        return { status: 201, body: await made.installation(path, path) };
      },
    }),
    route({
      method: 'GET',
      path: '/apps/{account}/{app}/installations',
      operationId: 'listInstallations',
      summary: 'An app, and the repositories where it is installed',
      tag: 'Apps',
      serves: ['GHM-08'],
      pathSchemas: named,
      query,
      answers: {
        200: {
          description: 'A page; the app is on the first one',
          schema: z.object({ app: app.optional(), installations: z.array(installation), cursor }),
        },
        ...noSuch,
      },
      handle: async ({ path, query: page }) => {
        const list = await apps.installationsOf(path, page);
        if (page.cursor === undefined) found(list.app, 'app');
        return { status: 200, body: list };
      },
    }),
    route({
      method: 'GET',
      path: '/repos/{owner}/{repo}/apps',
      operationId: 'listAppsOfRepo',
      summary: 'The apps that are installed in a repository',
      tag: 'Apps',
      serves: ['GHM-09'],
      pathSchemas: { owner, repo },
      query,
      answers: {
        200: { description: 'A page', schema: z.object({ installations: z.array(installation), cursor }) },
        ...noSuch,
      },
      handle: async ({ path, query: page }) => {
        const { repo: parent, ...list } = await apps.installedIn(path, page);
        if (page.cursor === undefined) found(parent, 'repository');
        return { status: 200, body: list };
      },
    }),
  ];
}
