import { connect, entity } from '@singlet/model';
import { check } from '@singlet/model/check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openExample } from '../testing/example-database.ts';
import { carts, classes, films, followers, graph, roles } from './many-to-many.ts';

test('S-33 one GetItem returns the class with its students’ names, and a copied GPA is refused', async () => {
  const { client, operations } = await openExample(classes);
  const db = connect(classes, { client });
  await db.enrol({ username: 'alexdebrie', name: 'Alex DeBrie', gpa: 3.12, graduationDate: '2021-05-26' });
  await db.enrol({ username: 'alberteinstein', name: 'Albert Einstein', gpa: 4, graduationDate: '2020-05-14' });
  await db.enrol({ username: 'dracomalfoy', name: 'Draco Malfoy', gpa: 1.87 });
  await db.open({ className: 'Physics101', semester: 'Spring2020', students: ['Albert Einstein', 'Alex DeBrie'] });
  await db.open({ className: 'Gym202', semester: 'Spring2020', students: ['Draco Malfoy', 'Alex DeBrie'] });
  operations();
  const physics = await db.class({ className: 'Physics101', semester: 'Spring2020' });
  expect(physics?.students).toEqual(['Albert Einstein', 'Alex DeBrie']);
  expect(operations()).toEqual(['GetItem']);

  const withGpa = {
    ...classes,
    entities: {
      ...classes.entities,
      Class: entity(
        { className: z.string(), semester: z.string(), students: z.array(z.string()), gpa: z.number() },
        { duplicates: { gpa: { from: 'Student.gpa', rule: 'immutable' } } },
      ),
    },
    patterns: { ...classes.patterns, grade: { updates: 'Student', by: ['username'], sets: ['gpa'] } },
    served: { ...classes.served, grade: 'UpdateItem' },
  } as const;
  const { findings } = check(withGpa);
  expect(findings.filter(({ level }) => level === 'error').map(({ code }) => code)).toContain('broken-duplicate');
});

const openFilms = async () => {
  const example = await openExample(films);
  const db = connect(films, { client: example.client });
  await db.addMovie({ movie: 'ToyStory', year: 1995, genre: "Children's", receipts: 222_498_679, score: 8.3 });
  await db.addMovie({ movie: 'CastAway', year: 2000, genre: 'Drama', receipts: 233_632_142, score: 7.8 });
  await db.addMovie({ movie: 'BlackSwan', year: 2010, genre: 'Drama', receipts: 106_954_678, score: 8 });
  await db.addActor({ actor: 'TomHanks', upvotes: 469_396, birthDate: '1956-07-09' });
  await db.addActor({ actor: 'TimAllen', upvotes: 125_376, birthDate: '1953-06-13' });
  await db.addActor({ actor: 'NataliePortman', upvotes: 551_462, birthDate: '1981-06-09' });
  await db.cast({ movie: 'ToyStory', actor: 'TimAllen', role: 'Buzz Lightyear' });
  await db.cast({ movie: 'ToyStory', actor: 'TomHanks', role: 'Woody' });
  await db.cast({ movie: 'CastAway', actor: 'TomHanks', role: 'Chuck Noland' });
  await db.cast({ movie: 'BlackSwan', actor: 'NataliePortman', role: 'Nina Sayers' });
  await db.addStudio({ studio: 'Pixar' });
  return { ...example, db };
};

test('S-34 a movie is read with its roles, an actor with theirs, and a change of an actor writes one item', async () => {
  const { db, lastItems, operations } = await openFilms();
  await db.movieWithRoles({ movie: 'ToyStory' });
  // Backwards, so that a page limit cuts off actors and not the movie: ACTOR sorts before MOVIE.
  expect(
    lastItems()
      .map(({ SK }) => SK)
      .toReversed(),
  ).toEqual(['ACTOR#TimAllen', 'ACTOR#TomHanks', 'MOVIE#ToyStory']);
  await db.actorWithRoles({ actor: 'TomHanks' });
  expect(lastItems().map(({ GSI1SK }) => GSI1SK)).toEqual(['ACTOR#TomHanks', 'MOVIE#CastAway', 'MOVIE#ToyStory']);
  operations();
  await db.upvote({ actor: 'TomHanks' });
  expect(operations()).toEqual(['UpdateItem']);
  expect((await db.actorWithRoles({ actor: 'TomHanks' })).actor?.upvotes).toBe(469_397);
});

test('S-35 both forms of an inverted index give the same answer; with its own attributes it holds only the intended items', async () => {
  const { db, stored } = await openFilms();
  const { client } = await openExample(roles);
  const simple = connect(roles, { client });
  await simple.cast({ actor: 'Tom Hanks', movie: 'Toy Story', role: 'Woody' });
  await simple.cast({ actor: 'Tom Hanks', movie: 'Cast Away', role: 'Chuck Noland' });
  await simple.cast({ actor: 'Tim Allen', movie: 'Toy Story', role: 'Buzz Lightyear' });
  await simple.cast({ actor: 'Natalie Portman', movie: 'Black Swan', role: 'Nina Sayers' });
  const ownAttributes = (await db.actorWithRoles({ actor: 'TomHanks' })).roles.map(({ role }) => role);
  expect(ownAttributes).toEqual((await simple.moviesOf({ actor: 'Tom Hanks' })).items.map(({ role }) => role));
  expect((await simple.actorsIn({ movie: 'Toy Story' })).items.map(({ actor }) => actor)).toEqual([
    'Tim Allen',
    'Tom Hanks',
  ]);
  expect(new Set((await stored('Films', 'GSI1')).map(({ Type }) => Type))).toEqual(new Set(['Actor', 'Role']));
});

test('S-36 the facts of a node, the edges that point at a value, and their nodes are found', async () => {
  const { client, operations } = await openExample(graph);
  const db = connect(graph, { client });
  await db.addPerson({ nodeId: '156', name: 'Alex DeBrie' });
  await db.addPerson({ nodeId: '247', name: 'Elsie DeBrie' });
  await db.addPerson({ nodeId: '958', name: 'Atticus Finch' });
  for (const nodeId of ['156', '247']) await db.addEvent({ nodeId, date: '2011-05-28', event: 'MARRIED' });
  await db.addJob({ nodeId: '156', title: 'Developer', employer: 'DeBrie, LLC' });
  await db.addJob({ nodeId: '247', title: 'Attorney', employer: 'Koley Jessen' });
  await db.addJob({ nodeId: '958', title: 'Attorney', employer: 'A.C. Lee' });
  const alex = await db.node({ nodeId: '156' });
  expect([alex.person?.name, alex.events.length, alex.jobs.length]).toEqual(['Alex DeBrie', 1, 1]);
  const married = (await db.eventsOn({ date: '2011-05-28' })).items;
  expect(married.map(({ nodeId }) => nodeId).sort()).toEqual(['156', '247']);
  operations();
  const attorneys = (await db.withJob({ title: 'Attorney' })).items;
  expect(attorneys.map(({ employer, nodeId }) => [employer, nodeId])).toEqual([
    ['A.C. Lee', '958'],
    ['Koley Jessen', '247'],
  ]);
  const nodes = await Promise.all(attorneys.map(async ({ nodeId }) => await db.node({ nodeId })));
  expect(nodes.map(({ person }) => person?.name)).toEqual(['Atticus Finch', 'Elsie DeBrie']);
  expect(operations()).toEqual(['Query', 'Query', 'Query']);
});

test('S-37 followed users have their current names, by a Query and batches of 100', async () => {
  const { client, operations } = await openExample(followers);
  const db = connect(followers, { client });
  const show = async (username: string) => {
    const { following } = await db.userWithFollowing({ username });
    return await db.users(following.map(({ followed }) => ({ username: followed })));
  };
  await db.signUp({ username: 'alexbdebrie', displayName: 'Alex DeBrie' });
  await db.signUp({ username: 'paulchinjr', displayName: 'Paul Chin' });
  await db.signUp({ username: 'virtualgill', displayName: 'Gillian' });
  await db.follow({ username: 'alexbdebrie', followed: 'paulchinjr', followedAt: '2020-02-15T11:13:06Z' });
  await db.follow({ username: 'alexbdebrie', followed: 'virtualgill', followedAt: '2020-02-10T11:26:01Z' });
  expect((await show('alexbdebrie')).map((user) => user?.displayName)).toEqual(['Gillian', 'Paul Chin']);
  operations();
  await db.rename({ username: 'paulchinjr', displayName: 'Paul Chin, Jr.' });
  expect(operations()).toEqual(['UpdateItem']);
  expect((await show('alexbdebrie')).map((user) => user?.displayName)).toEqual(['Gillian', 'Paul Chin, Jr.']);

  const many = Array.from({ length: 250 }, (_, n) => `user${n}`);
  await Promise.all(many.map(async (username) => await db.signUp({ username, displayName: username })));
  const followedAt = '2020-02-15T11:13:06Z';
  await Promise.all(many.map(async (followed) => await db.follow({ username: 'popular', followed, followedAt })));
  operations();
  expect((await show('popular')).every((user) => user !== undefined)).toBe(true);
  expect(operations()).toEqual(['Query', 'BatchGetItem', 'BatchGetItem', 'BatchGetItem']);
});

test('S-37 a cart shows the current price, and checkout uses the new one', async () => {
  const { client } = await openExample(carts);
  const db = connect(carts, { client });
  await db.offer({ productId: 'shirt', price: 20, stock: 5 });
  await db.addToCart({ cartId: 'c1', productId: 'shirt', shownPrice: 20, quantity: 2 });
  await db.setPrice({ productId: 'shirt', price: 25 });
  const { items } = await db.cart({ cartId: 'c1' });
  const products = await db.products(items.map(({ productId }) => ({ productId })));
  const total = items.reduce((sum, { quantity }, at) => sum + quantity * (products[at]?.price ?? 0), 0);
  expect([items[0]?.shownPrice, total]).toEqual([20, 50]);
});
