import { discussionRoutes } from './discussion-routes.ts';
import { found } from './found.ts';
import { list, onceIsEnough, repeated, unlessEmpty } from './handling.ts';
import { mustActFor, mustAdminister } from './permissions.ts';
import {
  accountAnswer,
  memberAnswer,
  organizationAnswer,
  planOf,
  repositoryAnswer,
  roleAnswer,
  roleOf,
  stargazerAnswer,
  userAnswer,
} from './representations.ts';
import { route, type Route } from './route.ts';

const accountRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/users',
    id: 'createUser',
    summary: 'Create a user',
    description: repeated,
    takesKey: true,
    patterns: ['GH-18'],
    takes: 'NewAccount',
    gives: [{ status: 201, of: 'Account' }],
    refuses: [409],
    handle: async ({ once, key, body }) => ({
      status: 201,
      body: userAnswer(await once.createUser(body.login, key)),
    }),
  }),
  route({
    method: 'POST',
    path: '/orgs',
    id: 'createOrganization',
    summary: 'Create an organization, with the user who asks as its admin',
    description: repeated,
    takesKey: true,
    patterns: ['GH-19', 'GH-20'],
    acts: true,
    takes: 'NewAccount',
    gives: [{ status: 201, of: 'Account' }],
    refuses: [409],
    handle: async ({ once, key, username, body: { login } }) => ({
      status: 201,
      body: organizationAnswer(await once.foundOrganization(login, username, key)),
    }),
  }),
  route({
    method: 'GET',
    path: '/users/{username}',
    id: 'getAccount',
    summary: 'Get a user or an organization',
    patterns: ['GH-30'],
    gives: [{ status: 200, of: 'Account' }],
    refuses: [404],
    handle: async ({ site, parameters: { username } }) => ({
      status: 200,
      body: accountAnswer(found(await site.accounts.find(username), 'account')),
    }),
  }),
  route({
    method: 'PUT',
    path: '/users/{username}/plan',
    id: 'setPlan',
    summary: 'Set the payment plan of oneself, or of an organization as its admin',
    patterns: ['GH-31'],
    acts: true,
    takes: 'Plan',
    gives: [{ status: 204 }],
    refuses: [403, 404],
    handle: async ({ site, parameters: { username }, username: person, body }) => {
      await mustAdminister(site, person, username);
      await site.accounts.setPaymentPlan(username, planOf(body));
      return { status: 204 };
    },
  }),
  route({
    method: 'GET',
    path: '/users/{username}/repos',
    id: 'listReposOfUser',
    summary: 'List the repositories of a user, the latest updated first',
    patterns: ['GH-23'],
    paged: true,
    gives: [{ status: 200, of: 'Repository', many: true }],
    refuses: [404],
    handle: async ({ site, parameters: { username }, page }) => {
      const { account, repos, cursor } = await site.accounts.reposOf(username, page);
      return list(page.cursor, account, repos.map(repositoryAnswer), cursor);
    },
  }),
  route({
    method: 'GET',
    path: '/users/{username}/orgs',
    id: 'listOrganizationsOfUser',
    summary: 'List the organizations of a user',
    patterns: ['GH-22'],
    gives: [{ status: 200, of: 'OrganizationOfUser', many: true }],
    refuses: [404],
    handle: async ({ site, parameters: { username } }) => {
      const organizations = found(await site.accounts.organizationsOf(username), 'user');
      return {
        status: 200,
        body: Object.entries(organizations).map(([login, role]) => ({ login, role: roleAnswer(role) })),
      };
    },
  }),
  route({
    method: 'GET',
    path: '/orgs/{org}/repos',
    id: 'listReposOfOrganization',
    summary: 'List the repositories of an organization, the latest updated first',
    patterns: ['GH-24'],
    paged: true,
    gives: [{ status: 200, of: 'Repository', many: true }],
    refuses: [404],
    handle: async ({ site, parameters: { org }, page }) => {
      const { account, repos, cursor } = await site.accounts.reposOfOrganization(org, page);
      return list(page.cursor, account, repos.map(repositoryAnswer), cursor);
    },
  }),
  route({
    method: 'GET',
    path: '/orgs/{org}/members',
    id: 'listMembers',
    summary: 'List the members of an organization by name',
    patterns: ['GH-21'],
    paged: true,
    gives: [{ status: 200, of: 'Member', many: true }],
    refuses: [404],
    handle: async ({ site, parameters: { org }, page }) => {
      const { organization, memberships, cursor } = await site.accounts.membersOf(org, page);
      return list(page.cursor, organization, memberships.map(memberAnswer), cursor);
    },
  }),
  route({
    method: 'PUT',
    path: '/orgs/{org}/memberships/{username}',
    id: 'addMember',
    summary: 'Make a user a member of an organization, as its admin; who is one stays as they are',
    patterns: ['GH-20'],
    acts: true,
    takes: 'Membership',
    gives: [{ status: 204 }],
    refuses: [403, 404, 409],
    handle: async ({ site, parameters: { org, username }, username: person, body }) => {
      await mustAdminister(site, person, org);
      await onceIsEnough(site.accounts.addMember({ organization: org, username, role: roleOf(body) }));
      return { status: 204 };
    },
  }),
];

const repositoryRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/user/repos',
    id: 'createRepo',
    summary: 'Create a repository of the user who asks',
    description: repeated,
    takesKey: true,
    patterns: ['GH-01'],
    acts: true,
    takes: 'NewRepository',
    gives: [{ status: 201, of: 'Repository' }],
    refuses: [409],
    handle: async ({ once, key, username, body: { name, ...rest } }) => {
      const repo = await once.createRepo({ owner: username, repo: name, ...given(rest) }, username, key);
      return { status: 201, body: repositoryAnswer(repo) };
    },
  }),
  route({
    method: 'POST',
    path: '/orgs/{org}/repos',
    id: 'createRepoOfOrganization',
    summary: 'Create a repository of an organization, as its member',
    description: repeated,
    takesKey: true,
    patterns: ['GH-01'],
    acts: true,
    takes: 'NewRepository',
    gives: [{ status: 201, of: 'Repository' }],
    refuses: [403, 409],
    handle: async ({ site, once, key, parameters: { org }, username, body: { name, ...rest } }) => {
      await mustActFor(site, username, org);
      const repo = await once.createRepo({ owner: org, repo: name, ...given(rest) }, username, key);
      return { status: 201, body: repositoryAnswer(repo) };
    },
  }),
  route({
    method: 'GET',
    path: '/repos/{owner}/{repo}',
    id: 'getRepo',
    summary: 'Get a repository',
    patterns: ['GH-02'],
    gives: [{ status: 200, of: 'Repository' }],
    refuses: [404],
    handle: async ({ site, parameters }) => ({
      status: 200,
      body: repositoryAnswer(found(await site.repos.find(parameters), 'repository')),
    }),
  }),
  route({
    method: 'GET',
    path: '/repos/{owner}/{repo}/open-counts',
    id: 'getOpenCounts',
    summary: 'The numbers of open issues and pull requests',
    patterns: ['GH-33'],
    gives: [{ status: 200, of: 'OpenCounts' }],
    refuses: [404],
    handle: async ({ site, parameters }) => {
      const counts = found(await site.repos.openItemCountsOf(parameters), 'repository');
      return { status: 200, body: { issues: counts.openIssueCount, pulls: counts.openPullRequestCount } };
    },
  }),
  route({
    method: 'PATCH',
    path: '/repos/{owner}/{repo}',
    id: 'updateRepo',
    summary: 'Change the description of a repository, as its owner or a member of that',
    patterns: ['GH-29'],
    acts: true,
    takes: 'RepositoryUpdate',
    gives: [{ status: 200, of: 'Repository' }],
    refuses: [403, 404],
    handle: async ({ site, parameters, username, body }) => {
      await mustActFor(site, username, parameters.owner);
      return { status: 200, body: repositoryAnswer(await site.repos.update(parameters, body)) };
    },
  }),
  route({
    method: 'GET',
    path: '/repos/{owner}/{repo}/forks',
    id: 'listForks',
    summary: 'List the forks of a repository by owner',
    patterns: ['GH-10'],
    paged: true,
    gives: [{ status: 200, of: 'Repository', many: true }],
    refuses: [404],
    handle: async ({ site, parameters, page }) => {
      const { original, forks, cursor } = await site.repos.forksOf(parameters, page);
      if (original === undefined) {
        await unlessEmpty(page, forks, async () => found(await site.repos.find(parameters), 'repository'));
      }
      return { status: 200, body: forks.map(repositoryAnswer), cursor };
    },
  }),
  route({
    method: 'POST',
    path: '/repos/{owner}/{repo}/forks',
    id: 'forkRepo',
    summary: 'Fork a repository, to the user who asks or to an organization',
    description: repeated,
    takesKey: true,
    patterns: ['GH-09'],
    acts: true,
    takes: 'NewFork',
    gives: [{ status: 201, of: 'Repository' }],
    refuses: [403, 404, 409],
    handle: async ({ site, once, key, parameters, username, body: { organization = username } }) => {
      await mustActFor(site, username, organization);
      return { status: 201, body: repositoryAnswer(await once.fork(parameters, organization, key)) };
    },
  }),
  route({
    method: 'GET',
    path: '/repos/{owner}/{repo}/stargazers',
    id: 'listStargazers',
    summary: 'List who has starred a repository, by name',
    patterns: ['GH-17'],
    paged: true,
    gives: [{ status: 200, of: 'Stargazer', many: true }],
    refuses: [404],
    handle: async ({ site, parameters, page }) => {
      const { repo, stars, cursor } = await site.repos.stargazersOf(parameters, page);
      return list(page.cursor, repo, stars.map(stargazerAnswer), cursor);
    },
  }),
  route({
    method: 'PUT',
    path: '/user/starred/{owner}/{repo}',
    id: 'starRepo',
    summary: 'Star a repository; doing it again changes nothing',
    patterns: ['GH-16'],
    acts: true,
    gives: [{ status: 204 }],
    refuses: [404],
    handle: async ({ site, parameters, username }) => {
      await onceIsEnough(site.repos.star(parameters, username));
      return { status: 204 };
    },
  }),
];

/** Every operation of the service. */
export const routes: readonly Route[] = [...accountRoutes, ...repositoryRoutes, ...discussionRoutes];

function given({ description }: { readonly description?: string | undefined }): { description?: string } {
  return description === undefined ? {} : { description };
}
