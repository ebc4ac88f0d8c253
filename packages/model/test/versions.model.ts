import { z } from 'zod';
import { entity, model } from '../src/index.ts';

const status = z.enum(['Open', 'Closed']).default('Open');

const repo = { owner: z.string(), repo: z.string(), about: z.string().optional() };
const issue = { owner: z.string(), repo: z.string(), number: z.number().int(), title: z.string(), status };
const account = { username: z.string(), email: z.string() };
const star = { owner: z.string(), repo: z.string(), username: z.string() };

/** The first version: issues by number only. */
export const tracker1 = model('tracker')
  .entities({
    Account: entity(account),
    Repo: entity(repo),
    Issue: entity(issue),
    Star: entity(star),
  })
  .relationships([['Repo', '1:N', 'Issue']])
  .patterns({
    signUp: { actor: 'user', creates: 'Account' },
    account: { actor: 'user', reads: 'Account', by: ['username'] },
    changeEmail: { actor: 'user', updates: 'Account', by: ['username'], sets: ['email'] },
    createRepo: { actor: 'user', creates: 'Repo' },
    repo: { actor: 'user', reads: 'Repo', by: ['owner', 'repo'] },
    openIssue: { actor: 'user', creates: 'Issue' },
    issue: { actor: 'user', reads: 'Issue', by: ['owner', 'repo', 'number'] },
    setStatus: { actor: 'user', updates: 'Issue', by: ['owner', 'repo', 'number'], sets: ['status'] },
    retitle: { actor: 'user', updates: 'Issue', by: ['owner', 'repo', 'number'], sets: ['title'] },
    dropIssue: { actor: 'user', deletes: 'Issue', by: ['owner', 'repo', 'number'] },
    star: { actor: 'user', creates: 'Star' },
    unstar: { actor: 'user', deletes: 'Star', by: ['owner', 'repo', 'username'] },
  })
  .tables({ Tracker: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Account: { Tracker: ['ACCOUNT#{username}', 'ACCOUNT#{username}'] },
    Repo: { Tracker: ['REPO#{owner}#{repo}', 'REPO#{owner}#{repo}'] },
    Issue: { Tracker: ['REPO#{owner}#{repo}', 'ISSUE#{number:07}'] },
    Star: { Tracker: ['REPO#{owner}#{repo}', 'STAR#{username}'] },
  })
  .served({
    signUp: 'PutItem',
    account: 'GetItem',
    changeEmail: 'UpdateItem',
    createRepo: 'PutItem',
    repo: 'GetItem',
    openIssue: 'PutItem',
    issue: 'GetItem',
    setStatus: 'UpdateItem',
    retitle: 'UpdateItem',
    dropIssue: 'DeleteItem',
    star: 'PutItem',
    unstar: 'DeleteItem',
  });

/** The second: open and closed issues through an index. The application's writers write its keys. */
export const tracker2 = model('tracker')
  .entities({
    Account: entity(account),
    Repo: entity(repo),
    Issue: entity(issue),
    Star: entity(star),
  })
  .relationships([['Repo', '1:N', 'Issue']])
  .patterns({
    signUp: { actor: 'user', creates: 'Account' },
    createRepo: { actor: 'user', creates: 'Repo' },
    openIssue: { actor: 'user', creates: 'Issue' },
    issue: { actor: 'user', reads: 'Issue', by: ['owner', 'repo', 'number'] },
    setStatus: { actor: 'user', updates: 'Issue', by: ['owner', 'repo', 'number'], sets: ['status'] },
    retitle: { actor: 'user', updates: 'Issue', by: ['owner', 'repo', 'number'], sets: ['title'] },
    dropIssue: { actor: 'user', deletes: 'Issue', by: ['owner', 'repo', 'number'] },
    repoWithOpenIssues: {
      actor: 'user',
      reads: { repo: 'Repo', issues: ['Issue'] },
      by: ['owner', 'repo'],
      where: { status: 'Open' },
      order: 'number desc',
      limit: 25,
    },
  })
  .tables({ Tracker: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'], GSI4: ['GSI4PK', 'GSI4SK'] } } })
  .keys({
    Account: { Tracker: ['ACCOUNT#{username}', 'ACCOUNT#{username}'] },
    Repo: {
      Tracker: ['REPO#{owner}#{repo}', 'REPO#{owner}#{repo}'],
      GSI4: ['REPO#{owner}#{repo}', '#REPO#{owner}#{repo}'],
    },
    Issue: {
      Tracker: ['REPO#{owner}#{repo}', 'ISSUE#{number:07}'],
      GSI4: [
        { when: { status: 'Open' }, key: ['REPO#{owner}#{repo}', 'ISSUE#OPEN#{number:inverse8}'] },
        { when: { status: 'Closed' }, key: ['REPO#{owner}#{repo}', '#ISSUE#CLOSED#{number:08}'] },
      ],
    },
    Star: { Tracker: ['REPO#{owner}#{repo}', 'STAR#{username}'] },
  })
  .served({
    signUp: 'PutItem',
    createRepo: 'PutItem',
    openIssue: 'PutItem',
    issue: 'GetItem',
    setStatus: 'UpdateItem',
    retitle: 'UpdateItem',
    dropIssue: 'DeleteItem',
    repoWithOpenIssues: { query: 'GSI4' },
  });

/**
 * The third: issues with their own keys, unique e-mail addresses, counted stars, and a slug that no item has yet. All at
 * once.
 */
export const tracker3 = model('tracker')
  .entities({
    Account: entity(account, { unique: ['email'] }),
    Repo: entity({ ...repo, slug: z.string(), stars: z.number().default(0) }),
    Issue: entity({ ...issue, labels: z.array(z.string()).default([]) }),
    Star: entity(star),
  })
  .relationships([
    ['Repo', '1:N', 'Issue'],
    ['Repo', '1:N', 'Star', { count: 'stars' }],
  ])
  .patterns({
    signUp: { actor: 'user', creates: 'Account' },
    account: { actor: 'user', reads: 'Account', by: ['username'] },
    changeEmail: { actor: 'user', updates: 'Account', by: ['username'], sets: ['email'] },
    createRepo: { actor: 'user', creates: 'Repo' },
    describe: { actor: 'user', updates: 'Repo', by: ['owner', 'repo'], sets: ['about'] },
    repo: { actor: 'user', reads: 'Repo', by: ['owner', 'repo'] },
    openIssue: { actor: 'user', creates: 'Issue' },
    issue: { actor: 'user', reads: 'Issue', by: ['owner', 'repo', 'number'] },
    issues: { actor: 'user', reads: ['Issue'], by: ['owner', 'repo'], order: 'number desc', limit: 25 },
    setStatus: { actor: 'user', updates: 'Issue', by: ['owner', 'repo', 'number'], sets: ['status'] },
    retitle: { actor: 'user', updates: 'Issue', by: ['owner', 'repo', 'number'], sets: ['title'] },
    dropIssue: { actor: 'user', deletes: 'Issue', by: ['owner', 'repo', 'number'] },
    star: { actor: 'user', creates: 'Star' },
    unstar: { actor: 'user', deletes: 'Star', by: ['owner', 'repo', 'username'] },
  })
  .tables({ Tracker: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Account: { Tracker: ['ACCOUNT#{username}', 'ACCOUNT#{username}'] },
    Repo: { Tracker: ['REPO#{owner}#{repo}', 'REPO#{owner}#{repo}'] },
    Issue: { Tracker: ['ISSUES#{owner}#{repo}', '{number:inverse8}'] },
    Star: { Tracker: ['REPO#{owner}#{repo}', 'STAR#{username}'] },
  })
  .served({
    signUp: 'TransactWriteItems',
    account: 'GetItem',
    changeEmail: ['GetItem', 'TransactWriteItems'],
    createRepo: 'PutItem',
    describe: 'UpdateItem',
    repo: 'GetItem',
    openIssue: 'PutItem',
    issue: 'GetItem',
    issues: { query: 'Tracker' },
    setStatus: 'UpdateItem',
    retitle: 'UpdateItem',
    dropIssue: 'DeleteItem',
    star: 'TransactWriteItems',
    unstar: 'TransactWriteItems',
  });
