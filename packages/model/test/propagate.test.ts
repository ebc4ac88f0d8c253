import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { connect, entity, model, ModelError, ref, RuleError } from '../src/index.ts';
import { changeOf, propagation, streamFilter } from '../src/propagate/index.ts';
import { toAttributeValue } from '../src/run/attribute-value.ts';
import { testDatabase, type TestDatabase } from './test-database.ts';

const blog = model('blog')
  .entities({
    Author: entity({ author: z.string(), name: z.string(), motto: z.string().optional(), version: z.number() }),
    Post: entity(
      { writer: z.string(), postId: z.string(), name: z.string(), version: z.number(), body: z.string() },
      {
        duplicates: {
          name: { from: 'Author.name', rule: 'stream', found: 'postsOf' },
          version: { from: 'Author.version', rule: 'stream', found: 'postsOf', version: true },
        },
      },
    ),
    Card: entity(
      { author: z.string(), place: z.string(), motto: z.string().optional() },
      { duplicates: { motto: { from: 'Author.motto', rule: 'immediate', found: 'cardsOf' } } },
    ),
  })
  .relationships([
    ['Author', '1:N', 'Post', { by: { author: 'writer' } }],
    ['Author', '1:N', 'Card'],
  ])
  .patterns({
    putAuthor: { puts: 'Author' },
    putPosts: { puts: ['Post'] },
    putCards: { puts: ['Card'] },
    dropPost: { deletes: 'Post', by: ['postId'] },
    rename: {
      updates: 'Author',
      by: ['author'],
      sets: ['name', 'version'],
      takes: { known: z.number() },
      given: { version: ref('known') },
    },
    postsOf: { reads: ['Post'], by: ['writer'], limit: 4 },
    cardsOf: { reads: ['Card'], by: ['author'] },
  })
  .tables({ Blog: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'PK'] } } })
  .keys({
    Author: { Blog: ['AUTHOR#{author}', 'AUTHOR'] },
    Post: { Blog: ['POST#{postId}', 'POST'], GSI1: ['POSTS#{writer}', 'POST#{postId}'] },
    Card: { Blog: ['CARD#{author}', 'CARD#{place}'] },
  })
  .served({
    putAuthor: 'PutItem',
    putPosts: 'BatchWriteItem',
    putCards: 'BatchWriteItem',
    dropPost: 'DeleteItem',
    rename: 'UpdateItem',
    postsOf: { query: 'GSI1' },
    cardsOf: { query: 'Blog' },
  });

const ann = { author: 'ann', name: 'Ann', version: 1 };
const anna = { author: 'ann', name: 'Anna', version: 2 };

let database: TestDatabase;
let pauses: number[] = [];
const open = () =>
  connect(blog, {
    client: database.client,
    pause: async (milliseconds) => {
      pauses.push(milliseconds);
      await Promise.resolve();
    },
  });

beforeEach(async () => {
  database = await testDatabase(blog);
  pauses = [];
});
afterEach(async () => database[Symbol.asyncDispose]());

const posts = (count: number, of: object = ann) =>
  Array.from({ length: count }, (_, i) => {
    const { author: writer, ...rest } = { ...ann, ...of };
    return { writer, ...rest, postId: `p${i}`, body: 'text' };
  });

/** Names and versions of the posts, as stored. */
async function namesStored(): Promise<string[]> {
  const { Items = [] } = await database.client.send(new ScanCommand({ TableName: 'Blog', IndexName: 'GSI1' }));
  return Items.map(({ name, version }) => `${name?.S} ${version?.N}`);
}

const image = (item: object) => ({
  ...toAttributeValue({ ...item, Type: 'Author' }, 'image').M,
});

describe('copies with the change', () => {
  test('are written in one transaction where they fit', async () => {
    const db = open();
    await db.putAuthor(ann);
    await db.putPosts(posts(9));
    database.sent();
    const change = db.rename.op({ author: 'ann', name: 'Anna', version: 2, known: 1 });
    expect(await propagation(db).together(change, 'Author', anna)).toEqual({ copies: 9, atomic: true });
    expect(database.sent()).toEqual(['Query', 'Query', 'Query', 'Query', 'TransactWriteItems']);
    expect(await namesStored()).toEqual(Array(9).fill('Anna 2'));
  });

  test('a change that is refused leaves all of them', async () => {
    const db = open();
    await db.putAuthor(ann);
    await db.putPosts(posts(2));
    const change = db.rename.op({ author: 'ann', name: 'Anna', version: 2, known: 7 });
    await expect(propagation(db).together(change, 'Author', anna)).rejects.toThrow(RuleError);
    expect(await namesStored()).toEqual(['Ann 1', 'Ann 1']);
  });

  test('more than a transaction takes: the change first, then hundreds', async () => {
    const db = open();
    await db.putAuthor(ann);
    await db.putPosts(posts(150));
    database.sent();
    const change = db.rename.op({ author: 'ann', name: 'Anna', version: 2, known: 1 });
    expect(await propagation(db).together(change, 'Author', anna)).toEqual({ copies: 150, atomic: false });
    expect(database.sent().filter((name) => name !== 'Query')).toEqual([
      'UpdateItem',
      'TransactWriteItems',
      'TransactWriteItems',
    ]);
    expect(new Set(await namesStored())).toEqual(new Set(['Anna 2']));
  });

  test('a copy that has gone since it was found is left out', async () => {
    const db = open();
    await db.putAuthor(ann);
    await db.putPosts(posts(3));
    // The deletion happens between the read of the index and the transaction.
    let once = true;
    database.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (once && commandName === 'TransactWriteItemsCommand') {
            once = false;
            await db.dropPost({ postId: 'p1' });
          }
          return next(args);
        },
      { step: 'initialize' },
    );
    const change = db.rename.op({ author: 'ann', name: 'Anna', version: 2, known: 1 });
    await propagation(db).together(change, 'Author', anna);
    expect(await namesStored()).toEqual(['Anna 2', 'Anna 2']);
  });
});

describe('copies by the stream', () => {
  test('are rewritten page by page, looked through again, and by newer versions only', async () => {
    const db = open();
    await db.putPosts([...posts(5), ...posts(7, { name: 'Annabel', version: 3 }).slice(5)]);
    const keeper = propagation(db, { settle: 1234 });
    await keeper.handle([{ oldImage: image(ann), newImage: image(anna) }]);
    expect(pauses).toEqual([1234]);
    expect((await namesStored()).sort()).toEqual([...Array(5).fill('Anna 2'), 'Annabel 3', 'Annabel 3']);
    database.sent();
    await keeper.handle([{ oldImage: image(ann), newImage: image(anna) }]);
    expect(new Set(database.sent())).toEqual(new Set(['Query']));
  });

  test('changes in any order end at the newest', async () => {
    const db = open();
    await db.putPosts(posts(3));
    const keeper = propagation(db);
    const annabel = { ...ann, name: 'Annabel', version: 3 };
    await keeper.handle([{ oldImage: image(anna), newImage: image(annabel) }]);
    await keeper.handle([{ oldImage: image(ann), newImage: image(anna) }]);
    expect(await namesStored()).toEqual(Array(3).fill('Annabel 3'));
  });

  test('one page at a time, for a job with checkpoints', async () => {
    const db = open();
    await db.putPosts(posts(6));
    const keeper = propagation(db);
    const [copies] = keeper.copies('Author');
    const first = await keeper.page(copies!, anna);
    expect(first).toMatchObject({ found: 4, rewritten: 4 });
    expect(await keeper.page(copies!, anna, { cursor: first.cursor })).toEqual({
      found: 2,
      rewritten: 2,
      cursor: undefined,
    });
  });

  test('records that change no copied attribute, create, delete or are not items of the model do nothing', async () => {
    const db = open();
    await db.putPosts(posts(1));
    database.sent();
    const keeper = propagation(db);
    const stranger = { Type: { S: 'Stranger' } };
    await keeper.handle([
      { newImage: image(anna) },
      { oldImage: image(ann) },
      { oldImage: image(ann), newImage: image({ ...ann, motto: 'x' }) },
      { oldImage: stranger, newImage: stranger },
      {},
    ]);
    expect(database.sent()).toEqual([]);
  });
});

test('copies without a version are rewritten where they differ, by the rule immediate', async () => {
  const db = open();
  const keeper = propagation(db);
  await db.putCards([
    { author: 'ann', place: 'a', motto: 'old' },
    { author: 'ann', place: 'b' },
  ]);
  const [, cards] = keeper.copies('Author');
  expect(cards).toMatchObject({ entity: 'Card', rule: 'immediate', version: undefined });
  expect(await keeper.rewrite(cards!, { ...ann, motto: 'new' })).toBe(2);
  expect(await keeper.rewrite(cards!, { ...ann, motto: 'new' })).toBe(0);
  expect(await keeper.rewrite(cards!, ann)).toBe(2);
  expect((await db.cardsOf({ author: 'ann' })).items).toEqual([
    { author: 'ann', place: 'a' },
    { author: 'ann', place: 'b' },
  ]);
});

test('records and filters speak of items, not of keys', () => {
  const db = open();
  expect(changeOf(db, { oldImage: image(ann), newImage: image(anna) })).toEqual({
    entity: 'Author',
    before: ann,
    after: anna,
  });
  expect(streamFilter(db, 'Author')).toEqual({
    dynamodb: { Keys: { PK: { S: [{ prefix: 'AUTHOR#' }] }, SK: { S: ['AUTHOR'] } } },
  });
  expect(() => streamFilter(db, 'Absent')).toThrow('is not an entity of the model');
});

test('copies whose finder reads something else are a fault of the model', () => {
  const wrong = { ...blog.entities.Post.rules.duplicates.name, found: 'cardsOf' };
  const { Post } = blog.entities;
  const faulty = { ...blog, entities: { ...blog.entities, Post: { ...Post, rules: { duplicates: { name: wrong } } } } };
  expect(() => propagation(connect(faulty, { client: database.client })).copies('Author')).toThrow(ModelError);
});
