import { connect } from '@singlet/model';
import { documentOf } from '@singlet/model/docs';
import { expect, test } from 'vitest';
import { errorOf, openExample } from '../testing/example-database.ts';
import { casts, people, profiles, schoolGraph, sports } from './relations.ts';

test('P-06 a student with the sports and a sport with the students take one Query each', async () => {
  const { client, lastItems, stored } = await openExample(sports);
  const db = connect(sports, { client });
  const names = { XYQ: 'Tom', VLD: 'Linda' } as const;
  await db.addStudent({ student: 'XYQ', name: 'Tom' });
  await db.addStudent({ student: 'VLD', name: 'Linda' });
  for (const [sport, coach] of [
    ['BASKETBALL', 'Simon'],
    ['FOOTBALL', 'James'],
    ['TENNIS', 'Susan'],
  ] as const) {
    await db.addSport({ sport, coach });
  }
  const enrol = async (student: 'XYQ' | 'VLD', sport: string) =>
    await db.enrol({ student, sport, studentName: names[student], sportName: sport.toLowerCase() });
  await enrol('XYQ', 'BASKETBALL');
  await enrol('XYQ', 'FOOTBALL');
  await enrol('VLD', 'BASKETBALL');
  await enrol('VLD', 'TENNIS');
  expect(await stored('Sports')).toHaveLength(9);
  await db.studentWithSports({ student: 'XYQ' });
  expect(
    lastItems()
      .map(({ SK }) => SK)
      .toReversed(),
  ).toEqual(['SPORT#BASKETBALL', 'SPORT#FOOTBALL', 'STUDENT#XYQ']); // .a
  const { sport } = await db.sportWithStudents({ sport: 'BASKETBALL' });
  expect(lastItems().map(({ GSI1SK }) => GSI1SK)).toEqual(['SPORT#BASKETBALL', 'STUDENT#VLD', 'STUDENT#XYQ']);
  expect(sport?.coach).toBe('Simon'); // .b
  const studentsOf = async (name: string) =>
    (await db.students({ sport: name })).items.map(({ studentName }) => studentName);
  expect(await studentsOf('BASKETBALL')).toEqual(['Linda', 'Tom']); // .c
  expect(await studentsOf('TENNIS')).toEqual(['Linda']); // .d
  expect(await errorOf(enrol('XYQ', 'CHESS'))).toMatchObject({ code: 'parent-missing', entity: 'Sport' }); // .e
  await db.leave({ student: 'VLD', sport: 'TENNIS' });
  expect(await studentsOf('TENNIS')).toEqual([]);
  expect((await db.sports({ student: 'XYQ' })).items).toHaveLength(2);
});

test('T-01 the view of the index shows a sport with its students, in the order of its bytes', () => {
  const { Student, Sport, Membership } = sports.entities;
  const examples = {
    Student: { ...Student, rules: { examples: { student: ['XYQ', 'VLD'] } } },
    Sport: { ...Sport, rules: { examples: { sport: ['BASKETBALL', 'TENNIS'] } } },
    Membership: { ...Membership, rules: { examples: { student: ['XYQ', 'VLD'], sport: ['BASKETBALL'] } } },
  };
  const { views } = documentOf({ ...sports, entities: examples }, { samples: 2 });
  const collections = views.find(({ place }) => place.name === 'GSI1')?.collections ?? [];
  const basketball = collections.find(({ partition }) => partition === 'SPORT#BASKETBALL');
  expect(basketball?.items.map(({ sort, type }) => [sort, type])).toEqual([
    ['SPORT#BASKETBALL', 'Sport'],
    ['STUDENT#VLD', 'Membership'],
    ['STUDENT#XYQ', 'Membership'],
  ]);
});

test('P-07 nodes are read with their edges, and edges by the value that they point at', async () => {
  const { client, lastItems, stored } = await openExample(schoolGraph);
  const db = connect(schoolGraph, { client });
  await db.addStudent({ student: 'TOM' });
  for (const [teacher, subject] of [
    ['SIMON', 'MATH'],
    ['MICHAEL', 'PHYSICS'],
  ] as const) {
    await db.addTeacher({ teacher });
    await db.attend({ student: 'TOM', teacher, subject });
  }
  await db.settle({ student: 'TOM', country: 'USA', state: 'CA', city: 'LOS_ANGELES' });
  expect(await stored('Graph')).toHaveLength(6);
  await db.node({ student: 'TOM' });
  expect(lastItems().map(({ SK }) => SK)).toEqual([
    'HOME#USA#CA#LOS_ANGELES',
    'STUDENT#TOM',
    'TEACHER#MICHAEL#CLASS#PHYSICS',
    'TEACHER#SIMON#CLASS#MATH',
  ]); // .a
  expect((await db.lessons({ student: 'TOM' })).items).toHaveLength(2); // .b
  expect((await db.lessonsWith({ student: 'TOM', teacher: 'SIMON' })).items.map(({ subject }) => subject)).toEqual([
    'MATH',
  ]);
  await db.teacherWithStudents({ teacher: 'SIMON' });
  expect(
    lastItems()
      .map(({ GSI1SK }) => GSI1SK)
      .toReversed(),
  ).toEqual(['STUDENT#TOM#CLASS#MATH', 'TEACHER#SIMON']); // .c
  const inState = async (state: string) =>
    (await db.inState({ country: 'USA', state })).items.map(({ student }) => student);
  expect([await inState('CA'), await inState('NY')]).toEqual([['TOM'], []]); // .d
});

test('P-43 three roles are read in both directions; a new rating writes one item', async () => {
  const { client, operations } = await openExample(casts);
  const db = connect(casts, { client });
  for (const movie of ['TOY_STORY', 'CAST_AWAY']) await db.addMovie({ movie, rating: 8 });
  for (const actor of ['TOM_HANKS', 'TIM_ALLEN']) await db.addActor({ actor });
  await db.cast({ movie: 'TOY_STORY', actor: 'TOM_HANKS', role: 'Woody' });
  await db.cast({ movie: 'TOY_STORY', actor: 'TIM_ALLEN', role: 'Buzz Lightyear' });
  await db.cast({ movie: 'CAST_AWAY', actor: 'TOM_HANKS', role: 'Chuck Noland' });
  expect((await db.actorsOf({ movie: 'TOY_STORY' })).items.map(({ actor }) => actor)).toEqual([
    'TIM_ALLEN',
    'TOM_HANKS',
  ]);
  expect((await db.moviesOf({ actor: 'TOM_HANKS' })).items.map(({ movie }) => movie)).toEqual([
    'CAST_AWAY',
    'TOY_STORY',
  ]); // .a
  operations();
  await db.rate({ movie: 'TOY_STORY', rating: 9 });
  expect(operations()).toEqual(['UpdateItem']);
  expect((await db.movie({ movie: 'TOY_STORY' }))?.rating).toBe(9); // .b
});

test('P-44 the facts of a person, the events of a period, and the people with a job are read', async () => {
  const { client } = await openExample(people);
  const db = connect(people, { client });
  for (const [person, job] of [
    ['ANN', 'LAWYER'],
    ['BOB', 'LAWYER'],
    ['CID', 'COOK'],
  ] as const)
    await db.hire({ person, job });
  for (const [date, event] of [
    ['2011-05-28', 'MARRIED'],
    ['2012-01-01', 'MOVED'],
    ['2019-12-31', 'RETIRED'],
  ] as const) {
    await db.record({ person: 'ANN', date, event });
  }
  expect((await db.withJob({ job: 'LAWYER' })).items.map(({ person }) => person)).toEqual(['ANN', 'BOB']);
  expect((await db.withJob({ job: 'COOK' })).items.map(({ person }) => person)).toEqual(['CID']); // .a
  const period = { person: 'ANN', date: { from: '2011-06-01', to: '2019-12-31' } };
  expect((await db.events(period)).items.map(({ event }) => event)).toEqual(['MOVED', 'RETIRED']); // .b
  const ann = await db.person({ person: 'ANN' });
  expect([ann.events.length, ann.jobs.length]).toEqual([3, 1]);
});

test('P-45 followers are read by one Query and three batches, in order, with their current names', async () => {
  const { client, operations } = await openExample(profiles);
  const db = connect(profiles, { client });
  const users = Array.from({ length: 250 }, (_, n) => `U${100 + n}`);
  await Promise.all(users.map(async (user) => await db.signUp({ user, name: user.toLowerCase() })));
  await Promise.all(users.map(async (follower) => await db.follow({ follower, followed: 'STAR' })));
  operations();
  const show = async () => {
    const { items } = await db.followers({ followed: 'STAR' });
    const found = await db.profiles(items.map(({ follower }) => ({ user: follower })));
    const gone = items.filter((_, at) => found[at] === undefined).map(({ follower }) => follower);
    return { names: found.flatMap((user) => user?.name ?? []), gone };
  };
  expect(await show()).toEqual({ names: users.map((user) => user.toLowerCase()), gone: [] });
  expect(operations()).toEqual(['Query', 'BatchGetItem', 'BatchGetItem', 'BatchGetItem']); // .a
  await db.rename({ user: 'U100', name: 'renamed' });
  expect((await show()).names[0]).toBe('renamed'); // .b
  await db.close({ user: 'U101' });
  const { names, gone } = await show();
  expect([names.length, gone]).toEqual([249, ['U101']]); // .c
});
