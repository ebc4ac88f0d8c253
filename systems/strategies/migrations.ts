import { entity, type Model, model } from '@singlet/model';
import { type EntityInfo, type KeyForm, resolve } from '@singlet/model/resolved';
import { z } from 'zod';

const id = z.string().regex(/^[a-z0-9-]+$/);
const time = z.iso.datetime({ precision: 0 });

const Post = entity({ postId: id, text: z.string() });
const Like = entity({ postId: id, username: id });
const tables = { Posts: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } } as const;
const oneTable = { Posts: { key: ['PK', 'SK'] } } as const;

/** The old model: posts, each alone in its collection. */
export const posts = model('posts')
  .entities({ Post })
  .relationships([])
  .patterns({ write: { creates: 'Post' }, post: { reads: 'Post', by: ['postId'] } })
  .tables(oneTable)
  .keys({ Post: { Posts: ['POST#{postId}', 'POST#{postId}'] } })
  .served({ write: 'PutItem', post: 'GetItem' });

/** S-58 A new attribute: stored items do not change, and reads fill in the default. */
export const postsWithLanguage = model('posts')
  .entities({
    Post: entity({
      postId: id,
      text: z.string(),
      language: z.string().default('en'),
      faxNumber: z.string().optional(),
    }),
  })
  .relationships([])
  .patterns({ write: { creates: 'Post' }, post: { reads: 'Post', by: ['postId'], strategy: 'S-58' } })
  .tables(oneTable)
  .keys({ Post: { Posts: ['POST#{postId}', 'POST#{postId}'] } })
  .served({ write: 'PutItem', post: 'GetItem' });

/** S-60 A new entity in an existing collection: likes sort before their post. */
export const postsWithLikes = model('posts')
  .entities({ Post, Like })
  .relationships([['Post', '1:N', 'Like']])
  .patterns({
    write: { creates: 'Post' },
    post: { reads: 'Post', by: ['postId'] },
    like: { creates: 'Like' },
    postWithLikes: {
      reads: { post: 'Post', likes: ['Like'] },
      by: ['postId'],
      order: 'username desc',
      limit: 25,
      strategy: 'S-60',
    },
  })
  .tables(oneTable)
  .keys({
    Post: { Posts: ['POST#{postId}', 'POST#{postId}'] },
    Like: { Posts: ['POST#{postId}', 'LIKE#{username}'] },
  })
  .served({ write: 'PutItem', post: 'GetItem', like: 'PutItem', postWithLikes: { query: 'Posts' } });

/** S-61 A new entity that needs its own collection: an index, whose keys must be added to stored posts. */
export const postsWithComments = model('posts')
  .entities({ Post, Like, Comment: entity({ postId: id, commentId: id, author: z.string(), at: time }) })
  .relationships([
    ['Post', '1:N', 'Like'],
    ['Post', '1:N', 'Comment'],
  ])
  .patterns({
    write: { creates: 'Post' },
    post: { reads: 'Post', by: ['postId'] },
    like: { creates: 'Like' },
    postWithLikes: {
      reads: { post: 'Post', likes: ['Like'] },
      by: ['postId'],
      order: 'username desc',
      limit: 25,
    },
    comment: { creates: 'Comment' },
    postWithComments: {
      reads: { post: 'Post', comments: ['Comment'] },
      by: ['postId'],
      order: 'at desc',
      limit: 25,
      strategy: 'S-61',
    },
  })
  .tables(tables)
  .keys({
    Post: { Posts: ['POST#{postId}', 'POST#{postId}'], GSI1: ['POST#{postId}', 'POST#{postId}'] },
    Like: { Posts: ['POST#{postId}', 'LIKE#{username}'] },
    Comment: { Posts: ['COMMENT#{commentId}', 'COMMENT#{commentId}'], GSI1: ['POST#{postId}', 'COMMENT#{at:seconds}'] },
  })
  .served({
    write: 'PutItem',
    post: 'GetItem',
    like: 'PutItem',
    postWithLikes: { query: 'Posts' },
    comment: 'PutItem',
    postWithComments: { query: 'GSI1' },
  });

const capitals = z.string().regex(/^[A-Z]+$/);

const Organization = entity({ organization: capitals });
const Member = entity({ organization: capitals, user: capitals });

/** Organizations with their users, in the old model. */
export const companies = model('companies')
  .entities({ Organization, Member })
  .relationships([['Organization', '1:N', 'Member']])
  .patterns({
    found: { creates: 'Organization' },
    join: { creates: 'Member' },
    withMembers: { reads: { organization: 'Organization', members: ['Member'] }, by: ['organization'], limit: 25 },
  })
  .tables({ Companies: { key: ['PK', 'SK'] } })
  .keys({
    Organization: { Companies: ['ORG#{organization}', 'ORG#{organization}'] },
    Member: { Companies: ['ORG#{organization}', 'USER#{user}'] },
  })
  .served({ found: 'PutItem', join: 'PutItem', withMembers: { query: 'Companies' } });

/** S-59 A new entity that is never read with its parent: its own collections, beside the existing ones. */
export const companiesWithProjects = model('companies')
  .entities({
    Organization,
    Member,
    Project: entity({ organization: capitals, project: z.string(), tasks: z.number() }, { same: { project: 'lower' } }),
  })
  .relationships([
    ['Organization', '1:N', 'Member'],
    ['Organization', '1:N', 'Project'],
  ])
  .patterns({
    found: { creates: 'Organization' },
    join: { creates: 'Member' },
    withMembers: { reads: { organization: 'Organization', members: ['Member'] }, by: ['organization'], limit: 25 },
    plan: { creates: 'Project' },
    projects: { reads: ['Project'], by: ['organization'], limit: 25, strategy: 'S-59' },
  })
  .tables({ Companies: { key: ['PK', 'SK'] } })
  .keys({
    Organization: { Companies: ['ORG#{organization}', 'ORG#{organization}'] },
    Member: { Companies: ['ORG#{organization}', 'USER#{user}'] },
    Project: { Companies: ['ORGPROJECTS#{organization}', 'PROJECT#{project:lower}'] },
  })
  .served({
    found: 'PutItem',
    join: 'PutItem',
    withMembers: { query: 'Companies' },
    plan: 'PutItem',
    projects: { query: 'Companies' },
  });

const Issue = entity({ repo: id, number: z.number().int(), title: z.string() });
const work = { Work: { key: ['PK', 'SK'] } } as const;

/** Issues and pull requests, each in their own collections, in the old model. */
export const separateWork = model('work')
  .entities({ Issue, PullRequest: Issue })
  .relationships([['Issue', '1:1', 'PullRequest']])
  .patterns({ openIssue: { creates: 'Issue' }, openPullRequest: { creates: 'PullRequest' } })
  .tables(work)
  .keys({
    Issue: { Work: ['ISSUES#{repo}', 'ISSUE#{number:06}'] },
    PullRequest: { Work: ['PRS#{repo}', 'PR#{number:06}'] },
  })
  .served({ openIssue: 'PutItem', openPullRequest: 'PutItem' });

/** S-62 A new pattern over existing items: an index in which both have the same partition. */
export const joinedWork = model('work')
  .entities({ Issue, PullRequest: Issue })
  .relationships([['Issue', '1:1', 'PullRequest']])
  .patterns({
    openIssue: { creates: 'Issue' },
    openPullRequest: { creates: 'PullRequest' },
    work: {
      reads: { issues: ['Issue'], pullRequests: ['PullRequest'] },
      by: ['repo'],
      order: 'number asc',
      limit: 25,
      strategy: 'S-62',
    },
  })
  .tables({ Work: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Issue: { Work: ['ISSUES#{repo}', 'ISSUE#{number:06}'], GSI1: ['REPO#{repo}', '{number:06}'] },
    PullRequest: { Work: ['PRS#{repo}', 'PR#{number:06}'], GSI1: ['REPO#{repo}', '{number:06}'] },
  })
  .served({ openIssue: 'PutItem', openPullRequest: 'PutItem', work: { query: 'GSI1' } });

/** S-57 What a new version of a model requires of the stored items. */
export interface VersionChange {
  readonly strategies: readonly ('S-58' | 'S-59' | 'S-60' | 'S-61' | 'S-62')[];
  /** No stored item is rewritten. */
  readonly additive: boolean;
  /** Entities whose stored items need further index keys, with the names of these. */
  readonly backfill: ReadonlyMap<string, readonly string[]>;
}

/** S-57 Compares two versions. Only indexing attributes matter: a new one on a stored item requires a backfill. */
export function changeOf(before: Model, after: Model): VersionChange {
  const old = resolve(before).entities;
  const backfill = new Map<string, readonly string[]>();
  const strategies = new Set<VersionChange['strategies'][number]>();
  const entities = [...resolve(after).entities.values()];
  for (const entity of entities) {
    const known = old.get(entity.name);
    if (known === undefined) continue;
    const added = keyNames(entity).filter((name) => !keyNames(known).includes(name));
    if (added.length > 0) backfill.set(entity.name, added);
    if ([...entity.attributes.keys()].some((name) => !known.attributes.has(name))) strategies.add('S-58');
  }
  const fresh = entities.filter(({ name }) => !old.has(name));
  for (const entity of fresh) {
    const isWithParent = [...old.values()].some((parent) => partitionOf(parent.key) === partitionOf(entity.key));
    strategies.add(isWithParent ? 'S-60' : backfill.size > 0 ? 'S-61' : 'S-59');
  }
  if (backfill.size > 0 && fresh.length === 0) strategies.add('S-62');
  return { strategies: [...strategies], additive: backfill.size === 0, backfill };
}

function keyNames({ indexes }: EntityInfo): string[] {
  return indexes.flatMap(({ place }) => [...place.partition, ...place.sort]).map(({ attribute }) => attribute);
}

function partitionOf({ partition }: KeyForm): string {
  return partition.map(({ template }) => template.source).join();
}
