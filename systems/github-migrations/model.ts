import { entity, model, remove } from '@singlet/model';
import { z } from 'zod';
import { github } from '../github/model.ts';

const { Repo } = github.entities;
const { name } = github.entities.User.attributes;
const { owner, repo, createdAt: time } = Repo.attributes;

/** An app is addressed by the letters and digits of its name. */
const slug = z.string().regex(/^[a-z0-9]{1,100}$/);

/** The files of a gist are on its item, which has at most 400 KB. */
export const GIST_FILES_MAX = 20;
export const GIST_FILE_CHARACTERS_MAX = 4_000;

const files = z
  .record(z.string().min(1).max(255), z.string().max(GIST_FILE_CHARACTERS_MAX))
  .refine((each) => Object.keys(each).length <= GIST_FILES_MAX, `has more than ${GIST_FILES_MAX} files`);

/**
 * The site a year later: codes of conduct, gists and apps, and issues and pull requests of one status by key. Everything in the
 * first model is unchanged: its keys, its patterns, its items.
 */
export const githubMigrations = model('github-migrations')
  // 1. What there is, and how it is related
  .entities({
    ...github.entities,
    Repo: entity(
      {
        ...Repo.attributes,
        codeOfConduct: z.object({ name: z.string().min(1).max(200), url: z.url().max(2_000) }).optional(),
      },
      Repo.rules,
    ),
    Gist: entity(
      {
        username: name,
        gistId: z.string(),
        title: z.string().min(1).max(500),
        files: files.default({}),
        createdAt: time,
        updatedAt: time,
      },
      { expects: { items: 40_000, bytes: 1_500 } },
    ),
    GitHubApp: entity(
      {
        account: name,
        app: slug,
        name: z.string().min(1).max(100),
        description: z.string().max(5_000).optional(),
        createdAt: time,
      },
      { expects: { items: 500, bytes: 500 } },
    ),
    GitHubAppInstallation: entity(
      { account: name, app: slug, owner, repo, installedAt: time },
      { expects: { items: 5_000, bytes: 250 } },
    ),
  })
  .relationships([
    ...github.relationships,
    ['User', '1:N', 'Gist', { by: { name: 'username' } }],
    ['User', '1:N', 'GitHubApp', { by: { name: 'account' } }],
    ['Organization', '1:N', 'GitHubApp', { by: { name: 'account' } }],
    ['GitHubApp', 'N:M', 'Repo', { through: 'GitHubAppInstallation' }],
    ['GitHubApp', '1:N', 'GitHubAppInstallation', { required: true }],
    ['Repo', '1:N', 'GitHubAppInstallation', { required: true }],
  ])

  // 2. What the application needs
  .patterns(
    {
      ...github.patterns,
      setCodeOfConduct: {
        id: 'GHM-01',
        note: 'adds or replaces; it comes with the repo',
        actor: 'user',
        updates: 'Repo',
        by: ['owner', 'repo'],
        sets: ['codeOfConduct'],
        rate: 0.1,
      },
      removeCodeOfConduct: {
        id: 'GHM-01',
        actor: 'user',
        updates: 'Repo',
        by: ['owner', 'repo'],
        changes: { codeOfConduct: remove() },
        rate: 0.01,
      },
      createGist: {
        id: 'GHM-02',
        actor: 'user',
        transacts: {
          gist: { creates: 'Gist' },
          user: { checks: 'User', by: ['name'] },
        },
        rate: 2,
      },
      userWithGists: {
        id: 'GHM-03',
        note: 'under the name of an organization only the organization comes',
        actor: 'visitor',
        reads: { user: 'User', organization: 'Organization', gists: ['Gist'] },
        aka: { name: ['name', 'username'] },
        order: 'gistId desc',
        limit: 25,
        rate: 50,
      },
      gist: { id: 'GHM-04', actor: 'visitor', reads: 'Gist', by: ['username', 'gistId'], rate: 100 },
      updateGist: {
        id: 'GHM-04',
        actor: 'user',
        updates: 'Gist',
        by: ['username', 'gistId'],
        sets: ['updatedAt'],
        maySet: ['title', 'files'],
        returns: 'new',
        rate: 1,
      },
      createApp: {
        id: 'GHM-05',
        note: 'of a user; if there is none of that name, of an organization. An account that no migration has reached gets its keys by it',
        actor: 'user',
        transacts: {
          app: { creates: 'GitHubApp' },
          account: { updates: 'User', by: ['name'], rekeys: ['GSI1'] },
        },
        rate: 0.1,
      },
      createOrganizationApp: {
        id: 'GHM-05',
        actor: 'user',
        transacts: {
          app: { creates: 'GitHubApp' },
          account: { updates: 'Organization', by: ['name'], rekeys: ['GSI1'] },
        },
        rate: 0.1,
      },
      updateApp: {
        id: 'GHM-05',
        actor: 'user',
        updates: 'GitHubApp',
        by: ['account', 'app'],
        sets: ['description'],
        rate: 0.1,
      },
      accountWithApps: {
        id: 'GHM-06',
        actor: 'visitor',
        reads: { user: 'User', organization: 'Organization', apps: ['GitHubApp'] },
        aka: { name: ['name', 'account'] },
        unproven: 'an app has a name of its own beside that of its account, and only the account is in its key',
        order: 'app asc',
        limit: 30,
        rate: 20,
      },
      installApp: { id: 'GHM-07', actor: 'user', creates: 'GitHubAppInstallation', rate: 1 },
      appWithInstallations: {
        id: 'GHM-08',
        actor: 'user',
        reads: { app: 'GitHubApp', installations: ['GitHubAppInstallation'] },
        by: ['account', 'app'],
        limit: 100,
        rate: 10,
      },
      repoWithApps: {
        id: 'GHM-09',
        actor: 'user',
        reads: { repo: 'Repo', installations: ['GitHubAppInstallation'] },
        by: ['owner', 'repo'],
        limit: 30,
        rate: 20,
      },
      openIssuesOfRepo: {
        id: 'GHM-10',
        actor: 'visitor',
        reads: { repo: 'Repo', issues: ['Issue'] },
        by: ['owner', 'repo'],
        where: { status: 'Open' },
        order: 'number desc',
        limit: 25,
        rate: 400,
        volume: { typical: 25 },
      },
      closedIssuesOfRepo: {
        id: 'GHM-11',
        actor: 'visitor',
        reads: { repo: 'Repo', issues: ['Issue'] },
        by: ['owner', 'repo'],
        where: { status: 'Closed' },
        order: 'number desc',
        limit: 25,
        rate: 100,
        volume: { typical: 25 },
      },
      openPullRequestsOfRepo: {
        id: 'GHM-12',
        actor: 'visitor',
        reads: { repo: 'Repo', pullRequests: ['PullRequest'] },
        by: ['owner', 'repo'],
        where: { status: 'Open' },
        order: 'number desc',
        limit: 25,
        rate: 150,
        volume: { typical: 25 },
      },
      closedPullRequestsOfRepo: {
        id: 'GHM-13',
        actor: 'visitor',
        reads: { repo: 'Repo', pullRequests: ['PullRequest'] },
        by: ['owner', 'repo'],
        where: { status: 'Closed' },
        order: 'number desc',
        limit: 25,
        rate: 50,
        volume: { typical: 25 },
      },
      removeIssue: {
        note: 'spam, by moderators: while it is open, so that the count of open ones goes with it',
        actor: 'moderator',
        deletes: 'Issue',
        by: ['owner', 'repo', 'number'],
        given: { status: 'Open' },
        mustExist: true,
        rate: 0.1,
      },
      removePullRequest: {
        note: 'as an issue',
        actor: 'moderator',
        deletes: 'PullRequest',
        by: ['owner', 'repo', 'number'],
        given: { status: 'Open' },
        mustExist: true,
        rate: 0.1,
      },
    },
    {
      createWithNewKeys: {
        id: 'GHM-14',
        actor: 'user',
        takes: ['createRepo', 'forkRepo', 'createIssue', 'createPullRequest'],
        note: 'as before, with the keys of GSI4 and GSI5',
      },
      setStatusWithNewKeys: {
        id: 'GHM-15',
        actor: 'user',
        takes: ['setIssueStatus', 'setPullRequestStatus'],
        note: 'the status and the index key of its form in one update',
      },
      earlierQueries: {
        id: 'GHM-16',
        actor: 'visitor',
        takes: ['issuesOfRepo', 'pullRequestsOfRepo', 'membersOfOrganization', 'account'],
        note: 'bounded: installations follow the repo in GSI1, gists precede the user',
      },
      addCodesOfConduct: {
        id: 'MIG-1',
        actor: 'migration',
        takes: ['setCodeOfConduct', 'repo'],
        note: 'an attribute that may be missing: nothing is written',
      },
      addGists: {
        id: 'MIG-2',
        actor: 'migration',
        takes: ['createGist', 'userWithGists'],
        note: 'new items in collections that are there: nothing is written',
      },
      addApps: {
        id: 'MIG-3',
        actor: 'migration',
        takes: ['accountWithApps'],
        scans: { GitHubTable: 'a backfill reads every item once' },
        note: 'accounts get the keys of GSI1; the pattern is switched on at the end',
      },
      listIssuesByKey: {
        id: 'MIG-4',
        actor: 'migration',
        takes: ['openIssuesOfRepo', 'closedIssuesOfRepo'],
        scans: { GitHubTable: 'a backfill reads every item once' },
        note: 'GSI4 is made, repos and issues get its keys; the patterns are switched on at the end',
      },
      listPullRequestsByKey: {
        id: 'MIG-5',
        actor: 'migration',
        takes: ['openPullRequestsOfRepo', 'closedPullRequestsOfRepo'],
        scans: { GitHubTable: 'a backfill reads every item once' },
        note: 'GSI5 is made, repos and pull requests get its keys; the patterns are switched on at the end',
      },
    },
  )

  // 3. Keys and indexes: the entity chart
  .tables({
    GitHubTable: {
      ...github.tables.GitHubTable,
      indexes: {
        ...github.tables.GitHubTable.indexes,
        GSI4: ['GSI4PK', 'GSI4SK'],
        GSI5: ['GSI5PK', 'GSI5SK'],
      },
    },
  })
  .keys(
    {
      ...github.keys,
      User: { ...github.keys.User, GSI1: ['ACCOUNT#{name}', 'ACCOUNT#{name}'] },
      Organization: { ...github.keys.Organization, GSI1: ['ACCOUNT#{name}', 'ACCOUNT#{name}'] },
      // '#G' sorts before 'A': backwards from the user come the gists, the newest first.
      Gist: { GitHubTable: ['ACCOUNT#{username}', '#GIST#{gistId}'] },
      GitHubApp: {
        GitHubTable: ['APP#{account}#{app}', 'APP#{account}#{app}'],
        GSI1: ['ACCOUNT#{account}', 'APP#{app}'],
      },
      GitHubAppInstallation: {
        GitHubTable: ['APP#{account}#{app}', 'REPO#{owner}#{repo}'],
        GSI1: ['REPO#{owner}#{repo}', 'REPOAPP#{account}#{app}'],
      },
      // The repo is between closed ones, read backwards, and open ones, read forwards. The difference reverses their order.
      Repo: {
        ...github.keys.Repo,
        GSI4: ['REPO#{owner}#{repo}', '#REPO#{owner}#{repo}'],
        GSI5: ['REPO#{owner}#{repo}', '#REPO#{owner}#{repo}'],
      },
      Issue: {
        ...github.keys.Issue,
        GSI4: [
          { when: { status: 'Open' }, key: ['REPO#{owner}#{repo}', 'ISSUE#OPEN#{number:inverse8}'] },
          { when: { status: 'Closed' }, key: ['REPO#{owner}#{repo}', '#ISSUE#CLOSED#{number:08}'] },
        ],
      },
      PullRequest: {
        ...github.keys.PullRequest,
        GSI5: [
          { when: { status: 'Open' }, key: ['REPO#{owner}#{repo}', 'PR#OPEN#{number:inverse8}'] },
          { when: { status: 'Closed' }, key: ['REPO#{owner}#{repo}', '#PR#CLOSED#{number:08}'] },
        ],
      },
    },
    {
      ...github.storage,
      Repo: { ...github.storage.Repo, stored: { ...github.storage.Repo?.stored, codeOfConduct: 'CodeOfConduct' } },
      Gist: {
        stored: {
          username: 'Username',
          gistId: 'GistId',
          title: 'GistTitle',
          files: 'Files',
          createdAt: 'DateCreated',
          updatedAt: 'UpdatedAt',
        },
      },
      GitHubApp: {
        stored: {
          account: 'AccountName',
          app: 'AppSlug',
          name: 'AppName',
          description: 'Description',
          createdAt: 'CreatedAt',
        },
      },
      GitHubAppInstallation: {
        stored: {
          account: 'AccountName',
          app: 'AppName',
          owner: 'RepoOwner',
          repo: 'RepoName',
          installedAt: 'InstalledAt',
        },
      },
    },
  )

  // 4. How each pattern is served
  .served({
    ...github.served,
    setCodeOfConduct: 'UpdateItem',
    removeCodeOfConduct: 'UpdateItem',
    createGist: 'TransactWriteItems', // the gist and a check of its user
    userWithGists: { query: 'GitHubTable' }, // backwards: the user, then gists
    gist: 'GetItem',
    updateGist: 'UpdateItem',
    createApp: 'TransactWriteItems', // the app, and its owner's keys in GSI1
    createOrganizationApp: 'TransactWriteItems',
    updateApp: 'UpdateItem',
    accountWithApps: { query: 'GSI1' }, // forwards: the account, then apps
    installApp: 'TransactWriteItems', // the installation, a check of the app and one of the repo
    appWithInstallations: { query: 'GitHubTable' }, // forwards: the app, then installations
    repoWithApps: { query: 'GSI1' }, // forwards: the repo, then installations
    openIssuesOfRepo: { query: 'GSI4' }, // forwards: the repo, then open issues
    closedIssuesOfRepo: { query: 'GSI4' }, // backwards: the repo, then closed issues
    openPullRequestsOfRepo: { query: 'GSI5' },
    closedPullRequestsOfRepo: { query: 'GSI5' },
    removeIssue: 'TransactWriteItems', // the issue, and the count of open ones
    removePullRequest: 'TransactWriteItems',
  });
