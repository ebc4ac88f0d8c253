import { z } from 'zod';
import { describe, expect, test } from 'vitest';
import { shop } from '../../test/shop.model.ts';
import { mixed } from '../../test/patterns.model.ts';
import { entity, type Model } from '../index.ts';
import { resolve } from '../resolve/resolve.ts';
import { diff } from './diff.ts';
import { modelOf, readSnapshot, snapshot, snapshotText } from './snapshot.ts';

/** A model by its parts: the tests below change them one at a time. */
interface Parts {
  readonly entities: Record<string, ReturnType<typeof entity>>;
  readonly relationships?: readonly unknown[];
  readonly tables?: Record<string, unknown>;
  readonly keys: Record<string, unknown>;
  readonly storage?: Record<string, unknown>;
}

const posts: Parts = {
  entities: { Post: entity({ postId: z.string(), title: z.string(), likes: z.number().default(0) }) },
  tables: { Blog: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } },
  keys: { Post: { Blog: ['POST#{postId}', 'POST#{postId}'] } },
};

function made({ entities, relationships = [], tables = posts.tables ?? {}, keys, storage = {} }: Parts): Model {
  // Assembled by hand, so that one part can be changed without the types of all others.
  return { name: 'blog', entities, relationships, patterns: {}, tables, keys, storage, served: {} } as unknown as Model;
}

function changes(after: Partial<Parts>, before: Partial<Parts> = {}): (readonly [string, string, string])[] {
  const old = snapshot(made({ ...posts, ...before }));
  return diff(old, snapshot(made({ ...posts, ...before, ...after }))).map((change) => [
    change.class,
    change.code,
    change.deploy,
  ]);
}

const post = { postId: z.string(), title: z.string(), likes: z.number().default(0) };
const ending = { ...post, endsAt: z.number().optional() };
const postKey = { Blog: ['POST#{postId}', 'POST#{postId}'] };
const shortened = { from: ['title'] as const, as: ({ title }: { readonly title: string }) => title.slice(0, 1) };
const like = entity({ postId: z.string(), username: z.string() });
const comment = entity({ postId: z.string(), commentId: z.string(), at: z.string() });

describe('S-57 P-53 a difference is classified', () => {
  test('nothing changed: nothing to do', () => {
    expect(changes({})).toEqual([]);
    expect(diff(snapshot(shop), snapshot(shop))).toEqual([]);
  });

  test('S-58 P-53.a a new attribute is lazy', () => {
    expect(changes({ entities: { Post: entity({ ...post, birthdate: z.string().optional() }) } })).toEqual([
      ['lazy', 'attribute-added', 'any'],
    ]);
    expect(changes({ entities: { Post: entity({ ...post, views: z.number().default(0) }) } })[0]?.[0]).toBe('lazy');
  });

  test('S-59 P-53.b an entity by itself is a new collection', () => {
    const entities = { ...posts.entities, Project: entity({ org: z.string(), name: z.string() }) };
    const keys = { ...posts.keys, Project: { Blog: ['ORGPROJECTS#{org}', 'PROJECT#{name}'] } };
    expect(changes({ entities, keys })).toEqual([['new-collection', 'entity-added', 'any']]);
  });

  test('S-60 P-53.c an entity in a collection that is there asks nothing of it', () => {
    const keys = { ...posts.keys, Like: { Blog: ['POST#{postId}', 'LIKE#{username}'] } };
    const old = snapshot(made(posts));
    const [change, ...rest] = diff(
      old,
      snapshot(made({ ...posts, entities: { ...posts.entities, Like: like }, keys })),
    );
    expect(rest).toEqual([]);
    expect(change).toMatchObject({
      class: 'nothing',
      strategy: 'S-60',
      message: expect.stringContaining('Post in Blog') as string,
    });
  });

  test('S-61 P-53.d an entity with a parent that has to join it: a new collection, and a backfill of the parent', () => {
    const keys = {
      Post: { ...postKey, GSI1: ['POST#{postId}', 'POST#{postId}'] },
      Comment: { Blog: ['COMMENT#{commentId}', 'COMMENT#{commentId}'], GSI1: ['POST#{postId}', 'COMMENT#{at}'] },
    };
    expect(changes({ entities: { ...posts.entities, Comment: comment }, keys })).toEqual([
      ['new-collection', 'entity-added', 'any'],
      ['backfill', 'index-key-added', 'writers-first'],
    ]);
  });

  test('S-62 items that are there, joined in a new index: the index, and a backfill', () => {
    const tables = { Blog: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'], GSI2: ['GSI2PK', 'GSI2SK'] } } };
    expect(changes({ tables, keys: { Post: { ...postKey, GSI2: ['POSTS', '{title}'] } } })).toEqual([
      ['new-index', 'index-added', 'writers-first'],
      ['backfill', 'index-key-added', 'writers-first'],
    ]);
  });

  test('an index of attributes as they are stored fills itself', () => {
    const tables = { Blog: { key: ['PK', 'SK'], indexes: { ByTitle: ['title'] } } };
    expect(
      changes(
        { tables, keys: { Post: { ...postKey, ByTitle: ['{title}'] } } },
        { tables: { Blog: { key: ['PK', 'SK'] } } },
      ),
    ).toEqual([
      ['new-index', 'index-added', 'writers-first'],
      ['nothing', 'index-key-added', 'any'],
    ]);
  });

  test.each<[string, Partial<Parts>, Partial<Parts>, (readonly [string, string, string])[]]>([
    [
      'the primary key',
      { keys: { Post: { Blog: ['P#{postId}', 'P#{postId}'] } } },
      {},
      [['re-key', 'key-changed', 'dual']],
    ],
    [
      'a required attribute',
      { entities: { Post: entity({ ...post, slug: z.string() }) } },
      {},
      [['backfill', 'attribute-required', 'dual']],
    ],
    [
      'the kind of an attribute',
      { entities: { Post: entity({ ...post, title: z.number() }) } },
      {},
      [['backfill', 'attribute-kind', 'dual']],
    ],
    [
      'an attribute that goes',
      { entities: { Post: entity({ postId: z.string(), title: z.string() }) } },
      {},
      [['nothing', 'attribute-removed', 'any']],
    ],
    [
      'a stored name',
      { storage: { Post: { stored: { title: 't' } } } },
      {},
      [['backfill', 'attribute-stored-as', 'dual']],
    ],
    [
      'a name in the application only',
      {
        entities: { Post: entity({ postId: z.string(), heading: z.string(), likes: z.number().default(0) }) },
        storage: { Post: { stored: { heading: 'title' } } },
      },
      {},
      [['nothing', 'attribute-renamed', 'any']],
    ],
    ['the type', { storage: { Post: { type: 'post' } } }, {}, [['backfill', 'type-changed', 'dual']]],
    [
      'a default',
      { entities: { Post: entity({ ...post, likes: z.number().default(1) }) } },
      {},
      [['lazy', 'default-changed', 'any']],
    ],
    [
      'a unique attribute',
      { entities: { Post: entity(post, { unique: ['title'] }) } },
      {},
      [['backfill', 'unique-added', 'dual']],
    ],
    [
      'a unique attribute that need not be',
      { entities: posts.entities },
      { entities: { Post: entity(post, { unique: ['title'] }) } },
      [['backfill', 'unique-removed', 'writers-first']],
    ],
    [
      'a lock',
      { entities: { Post: entity({ ...post, version: z.number() }, { lock: 'version' }) } },
      {},
      [['backfill', 'lock-added', 'dual']],
    ],
    [
      'an attribute that is computed',
      { entities: { Post: entity({ ...post, first: z.string().optional() }, { computed: { first: shortened } }) } },
      {},
      [['backfill', 'attribute-computed', 'dual']],
    ],
    [
      'a copy of an attribute',
      {
        entities: {
          Post: entity(
            { ...post, author: z.string().optional() },
            { duplicates: { author: { from: 'Author.name', rule: 'immutable' } } },
          ),
        },
      },
      {},
      [['by-hand', 'copy-added', 'writers-first']],
    ],
    [
      'items that no longer expire',
      { entities: { Post: entity(post) } },
      { entities: { Post: entity(post, { expires: 'likes' }) } },
      [['nothing', 'time-to-live', 'any']],
    ],
    [
      'guards that expire with their items',
      { entities: { Post: entity(ending, { unique: ['title'], expires: 'endsAt' }) } },
      { entities: { Post: entity(ending, { unique: ['title'] }) } },
      [
        ['nothing', 'time-to-live', 'any'],
        ['backfill', 'unique-changed', 'dual'],
      ],
    ],
    ['copies', { entities: { Post: entity(post, { copies: 3 }) } }, {}, [['by-hand', 'copies-changed', 'any']]],
    [
      'the key of the table',
      { tables: { Blog: { key: ['A', 'B'] } } },
      { tables: { Blog: { key: ['PK', 'SK'] } } },
      [
        ['by-hand', 'table-key', 'any'],
        ['re-key', 'key-changed', 'dual'],
      ],
    ],
    [
      'a local index',
      { tables: { Blog: { key: ['PK', 'SK'], indexes: { L: { local: 'title' } } } } },
      { tables: { Blog: { key: ['PK', 'SK'] } } },
      [['by-hand', 'local-index-added', 'any']],
    ],
    [
      'an index of another form',
      {
        tables: {
          Blog: {
            key: ['PK', 'SK'],
            indexes: { GSI1: { partition: ['GSI1PK'], sort: ['GSI1SK'], project: 'KEYS_ONLY' } },
          },
        },
      },
      {},
      [['by-hand', 'index-changed', 'any']],
    ],
    ['an index that goes', { tables: { Blog: { key: ['PK', 'SK'] } } }, {}, [['nothing', 'index-removed', 'any']]],
    ['an entity that goes', { entities: {}, keys: {} }, {}, [['nothing', 'entity-removed', 'any']]],
    [
      'another table',
      { keys: { Post: { Posts: ['{postId}'] } }, tables: { ...posts.tables, Posts: { key: ['postId'] } } },
      {},
      [
        ['new-collection', 'table-added', 'any'],
        ['re-key', 'key-changed', 'dual'],
      ],
    ],
  ])('%s', (_name, after, before, expected) => {
    expect(changes(after, before)).toEqual(expected);
  });

  test('a key that items of an entity have which goes: by hand, whatever its variables are called', () => {
    const article = entity({ id: z.string(), title: z.string() });
    const renamed = { entities: { Article: article }, keys: { Article: { Blog: ['POST#{id}', 'POST#{id}'] } } };
    expect(changes(renamed)).toEqual([
      ['by-hand', 'key-reused', 'any'],
      ['nothing', 'entity-removed', 'any'],
    ]);
    expect(changes({ ...renamed, storage: { Article: { type: 'Post' } } }).map(([, code]) => code)).not.toContain(
      'key-reused',
    );
    const elsewhere = { ...renamed, keys: { Article: { Blog: ['ARTICLE#{id}', 'ARTICLE'] } } };
    expect(changes(elsewhere)[0]?.[1]).toBe('entity-added');
  });

  test('an attribute that goes, and is a key attribute of an index: by hand if it would put items into the index', () => {
    const slug = { ...post, slug: z.string() };
    const before = {
      entities: { Post: entity(slug) },
      tables: { Blog: { key: ['PK', 'SK'], indexes: { Slugs: ['slug', 'postId'], Authors: ['slug', 'author'] } } },
      keys: { Post: { ...postKey, Slugs: ['{slug}', '{postId}'] } },
    };
    const removed = (keys: Record<string, unknown>): unknown =>
      changes({ entities: { Post: entity(post) }, keys: { Post: { ...postKey, ...keys } } }, before).filter(
        ([, code]) => code === 'attribute-removed',
      );
    expect(removed({})).toEqual([['by-hand', 'attribute-removed', 'any']]);
    // Items that the condition excludes would stay.
    const conditional = { Slugs: { when: { likes: { exists: true } }, key: ['{title}', '{postId}'] } };
    expect(removed(conditional)).toEqual([['by-hand', 'attribute-removed', 'any']]);
    // The new key is written in its place.
    expect(removed({ Slugs: ['{title}', '{postId}'] })).toEqual([['nothing', 'attribute-removed', 'any']]);
    // No item has the other key attribute.
    const { Slugs: _, ...other } = before.tables.Blog.indexes;
    expect(
      changes(
        { entities: posts.entities, keys: posts.keys },
        { ...before, tables: { Blog: { key: ['PK', 'SK'], indexes: other } }, keys: posts.keys },
      ),
    ).toEqual([['nothing', 'attribute-removed', 'any']]);
  });

  test('S-69 a count: the parents count what is there', () => {
    const entities = { ...posts.entities, Like: like };
    const keys = { ...posts.keys, Like: { Blog: ['POST#{postId}', 'LIKE#{username}'] } };
    const counted = { relationships: [['Post', '1:N', 'Like', { count: 'likes' }]] };
    expect(changes(counted, { entities, keys })).toEqual([['backfill', 'count-added', 'dual']]);
  });

  test('a time to live that items lack has no default', () => {
    const expiring = (endsAt: z.ZodType): Partial<Parts> => ({
      entities: { Post: entity({ ...post, endsAt }, { expires: 'endsAt' }) },
    });
    const byHand = [['by-hand', 'expires-changed', 'any']];
    const refused = (after: Partial<Parts>, before: Partial<Parts> = {}): unknown =>
      changes(after, before).filter(([kind]) => kind === 'by-hand');
    const [one, two] = [expiring(z.number().default(1)), expiring(z.number().default(2))];
    expect(refused(one)).toEqual(byHand);
    expect(refused(two, one)).toEqual(byHand);
    expect(refused(one, expiring(z.number().optional()))).toEqual(byHand);
    expect(refused(one, { entities: { Post: entity({ ...post, endsAt: z.number().default(1) }) } })).toEqual(byHand);
    expect(refused(one, one)).toEqual([]);
    // Every item has a value.
    expect(refused(one, expiring(z.number()))).toEqual([]);
    expect(refused(expiring(z.number().optional()))).toEqual([]);
  });

  test('an index key that goes, and one whose condition changes', () => {
    const keyed = { keys: { Post: { ...postKey, GSI1: ['POSTS', '{title}'] } } };
    expect(changes({ keys: posts.keys }, keyed)).toEqual([['backfill', 'index-key-removed', 'writers-first']]);
    const sparse = { keys: { Post: { ...postKey, GSI1: { when: { likes: 0 }, key: ['POSTS', '{title}'] } } } };
    expect(changes(sparse, keyed)).toEqual([['backfill', 'index-key-changed', 'writers-first']]);
  });
});

describe('snapshots', () => {
  test.each([
    ['shop', shop],
    ['mixed', mixed],
  ])('%s comes back from its text, and codes items as the model does', (_name, given) => {
    const taken = snapshot(given);
    expect(readSnapshot(snapshotText(taken))).toEqual(taken);
    const own = resolve(given);
    const revived = resolve(modelOf(taken));
    expect(revived.problems).toEqual([]);
    expect([...revived.entities].map(([name, { key, unique }]) => [name, JSON.stringify([key, unique])])).toEqual(
      [...own.entities].map(([name, { key, unique }]) => [name, JSON.stringify([key, unique])]),
    );
  });

  test('know what attributes are stored as, and their defaults', () => {
    const { attributes } = snapshot(shop).entities['Customer'] ?? { attributes: {} };
    expect(attributes).toEqual({
      username: { kind: 'S', optional: false },
      email: { kind: 'S', optional: false },
      name: { kind: 'S', optional: false },
      addresses: { kind: 'M', optional: true, default: { M: {} } },
      createdAt: { kind: 'S', optional: false },
    });
  });

  test.each([
    ['not JSON', '{', 'is not JSON'],
    ['something else', '{"a":1}', 'is not a snapshot'],
    ['a later format', '{"format":2}', 'has format 2; this version reads 1'],
    ['a part', '{"format":1,"entities":{}}', 'lacks its relationships'],
    ['nothing', 'null', 'is not a snapshot'],
  ])('%s is refused', (_name, text, message) => {
    expect(() => readSnapshot(text)).toThrow(message);
  });
});

describe('a new pattern says what it waits for', () => {
  const version = (keys: object, patterns: object, served: object): Model => ({
    ...made({ ...posts, keys: { Post: { ...postKey, ...keys } } }),
    patterns: patterns as Model['patterns'],
    served: served as Model['served'],
  });
  const messageOf = (patterns: object, served: object, keys: object = {}): string[] =>
    diff(snapshot(version({}, {}, {})), snapshot(version(keys, patterns, served)))
      .filter(({ code }) => code === 'pattern-added')
      .map(({ message }) => message);

  test('nothing, where a key serves it that is there', () => {
    expect(messageOf({ post: { reads: 'Post', by: ['postId'] } }, { post: 'GetItem' })).toEqual([
      'A new pattern, served by what is there: GetItem on Blog.',
    ]);
  });

  test('the key of an index that items are given', () => {
    const byTitle = { reads: ['Post'], by: ['title'], limit: 10 };
    expect(messageOf({ byTitle }, { byTitle: { query: 'GSI1' } }, { GSI1: ['TITLE#{title}', '{postId}'] })).toEqual([
      'A new pattern, Query on GSI1: it waits for keys.Post.GSI1.',
    ]);
  });

  test('a check, where nothing serves it', () => {
    expect(messageOf({ byTitle: { reads: 'Post', by: ['title'] } }, { byTitle: 'GetItem' })).toEqual([
      'A new pattern, which nothing serves: see singlet check.',
    ]);
  });
});
