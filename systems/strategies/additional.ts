import { entity, exclude, include, model, ref } from '@singlet/model';
import { z } from 'zod';

const id = z.string().regex(/^[a-z0-9]+$/);

/** S-65 Uniqueness of two attributes: a guard item for the second, in the same transaction. Every write keeps it. */
export const accounts = model('accounts')
  .entities({ User: entity({ username: id, email: z.email() }, { unique: ['email'], same: { email: 'lower' } }) })
  .relationships([])
  .patterns({
    signUp: { creates: 'User', strategy: 'S-65' },
    changeEmail: {
      updates: 'User',
      by: ['username'],
      sets: ['email'],
      accepts: { 'serial-requests': 'the old address, whose guard goes, is read first' },
      strategy: 'S-65',
    },
    user: { reads: 'User', by: ['username'] },
  })
  .tables({ Accounts: { key: ['PK', 'SK'] } })
  .keys(
    { User: { Accounts: ['USER#{username}', 'USER#{username}'] } },
    { User: { unique: { email: { key: ['USEREMAIL#{email:lower}', 'USEREMAIL#{email:lower}'] } } } },
  )
  .served({ signUp: 'TransactWriteItems', changeEmail: ['GetItem', 'TransactWriteItems'], user: 'GetItem' });

/** S-66 Consecutive numbers for people to read: the parent's counter gives the number, then the item is written with it. */
export const projects = model('projects')
  .entities({
    Project: entity({ project: id, issueCount: z.number().default(0) }),
    Issue: entity(
      { project: id, number: z.number().int(), title: z.string().max(200) },
      { sequence: { number: 'Project.issueCount' } },
    ),
  })
  .relationships([['Project', '1:N', 'Issue']])
  .patterns({
    start: { creates: 'Project' },
    openIssue: {
      creates: 'Issue',
      accepts: { 'serial-requests': 'the number comes from the counter first' },
      strategy: 'S-66',
    },
    issues: { reads: ['Issue'], by: ['project'], order: 'number asc', limit: 100 },
  })
  .tables({ Projects: { key: ['PK', 'SK'] } })
  .keys({
    Project: { Projects: ['PROJECT#{project}', 'PROJECT#{project}'] },
    Issue: { Projects: ['PROJECT#{project}', 'ISSUE#{number:06}'] },
  })
  .served({ start: 'PutItem', openIssue: ['UpdateItem', 'PutItem'], issues: { query: 'Projects' } });

/** S-67 Pages: the next one begins after the last item seen. A cursor, or a range before an id, marks the position. */
export const orderPages = model('orderPages')
  .entities({
    User: entity({ username: id }),
    Order: entity({ username: id, orderId: z.string().length(27), amount: z.number() }),
    Address: entity({ username: id, label: id }),
  })
  .relationships([
    ['User', '1:N', 'Order'],
    ['User', '1:N', 'Address'],
  ])
  .patterns({
    signUp: { creates: 'User' },
    place: { creates: 'Order' },
    addAddress: { creates: 'Address' },
    orders: {
      reads: ['Order'],
      by: ['username'],
      range: 'orderId',
      order: 'orderId desc',
      limit: 5,
      strategy: 'S-67',
    },
    addresses: { reads: ['Address'], by: ['username'], volume: { typical: 2, most: 20 } },
  })
  .tables({ Shop: { key: ['PK', 'SK'] } })
  .keys({
    User: { Shop: ['USER#{username}', 'USER#{username}'] },
    Order: { Shop: ['USER#{username}', 'ORDER#{orderId}'] },
    Address: { Shop: ['USER#{username}', 'ADDRESS#{label}'] },
  })
  .served({
    signUp: 'PutItem',
    place: 'PutItem',
    addAddress: 'PutItem',
    orders: { query: 'Shop' },
    addresses: { query: 'Shop' },
  });

export const JOBS_MAX = 3;

/** S-68 A singleton: one item with constant keys, here the set of jobs in progress, which bounds their number. */
export const jobs = model('jobs')
  .entities({
    Progress: entity({ running: z.set(z.string()).optional() }),
    Job: entity({ jobId: id, status: z.enum(['WAITING', 'IN_PROGRESS', 'DONE']).default('WAITING') }),
  })
  .relationships([['Progress', '1:N', 'Job']])
  .patterns({
    submit: { creates: 'Job' },
    start: {
      transacts: {
        slot: {
          updates: 'Progress',
          orCreates: true,
          takes: { jobId: id },
          changes: { running: include(ref('jobId')) },
          // The set is absent when it is empty.
          given: { any: [{ running: { exists: false } }, { running: { size: { below: JOBS_MAX } } }] },
        },
        job: { updates: 'Job', by: ['jobId'], changes: { status: 'IN_PROGRESS' }, given: { status: 'WAITING' } },
      },
      strategy: 'S-68',
    },
    finish: {
      transacts: {
        slot: { updates: 'Progress', takes: { jobId: id }, changes: { running: exclude(ref('jobId')) } },
        job: { updates: 'Job', by: ['jobId'], changes: { status: 'DONE' }, given: { status: 'IN_PROGRESS' } },
      },
      strategy: 'S-68',
    },
    progress: { reads: 'Progress' },
    job: { reads: 'Job', by: ['jobId'] },
  })
  .tables({ Jobs: { key: ['PK', 'SK'] } })
  .keys({ Progress: { Jobs: ['JOBS', 'JOBS'] }, Job: { Jobs: ['JOB#{jobId}', 'JOB#{jobId}'] } })
  .served({
    submit: 'PutItem',
    start: 'TransactWriteItems',
    finish: 'TransactWriteItems',
    progress: 'GetItem',
    job: 'GetItem',
  });

/** S-69 A reference count: kept on the parent by the transaction that writes the child. */
export const stars = model('stars')
  .entities({
    Repo: entity({ owner: id, repo: id, starCount: z.number().default(0) }),
    Star: entity({ owner: id, repo: id, username: id }),
  })
  .relationships([['Repo', '1:N', 'Star', { count: 'starCount' }]])
  .patterns({
    create: { creates: 'Repo' },
    star: { creates: 'Star', strategy: 'S-69' },
    unstar: { deletes: 'Star', by: ['owner', 'repo', 'username'], mustExist: true, strategy: 'S-69' },
    repo: { reads: 'Repo', by: ['owner', 'repo'] },
  })
  .tables({ Stars: { key: ['PK', 'SK'] } })
  .keys({
    Repo: { Stars: ['REPO#{owner}#{repo}', 'REPO#{owner}#{repo}'] },
    Star: { Stars: ['REPO#{owner}#{repo}', 'STAR#{username}'] },
  })
  .served({ create: 'PutItem', star: 'TransactWriteItems', unstar: 'TransactWriteItems', repo: 'GetItem' });
