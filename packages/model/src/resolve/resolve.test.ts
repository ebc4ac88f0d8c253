import { expect, test } from 'vitest';
import { z } from 'zod';
import { connect, entity, type Model, model, ModelError } from '../index.ts';
import { check } from '../check/index.ts';
import { resolve } from './resolve.ts';

const Note = entity({ user: z.string(), at: z.string(), body: z.string(), stars: z.number().optional() });
const notes = (needs: object, keys: object, served: object, rules: readonly object[] = []): object =>
  model('notes')
    .entities({ Note, Book: entity({ book: z.string(), count: z.number() }) })
    .relationships(rules as never)
    .patterns(needs as { x: { reads: ['Note'] } })
    .tables({
      T: {
        key: ['PK', 'SK'],
        indexes: { GSI1: ['A', 'B'], Small: { partition: ['C'], sort: ['D'], project: 'KEYS_ONLY' } },
      },
    })
    .keys({ Note: { T: ['USER#{user}', 'NOTE#{at}'] }, Book: { T: ['BOOK#{book}', 'BOOK#{book}'] }, ...keys } as never)
    .served(served as never);

const one = (need: object, served: unknown, keys: object = {}, rules: readonly object[] = []): unknown[] => {
  const { problems } = resolve(notes({ x: need }, keys, { x: served }, rules) as never);
  return problems.map(({ code, path, message }) => `${code} ${path}: ${message}`);
};

const indexedBook = { T: ['BOOK#{book}', 'BOOK#{book}'], GSI1: ['BOOKS', 'BOOK#{book}'] };
const list = { reads: ['Note'], by: ['user'] };

test.each<[string, object, unknown, object?, object[]?]>([
  ['', list, { query: 'T' }],
  [
    'key-not-known served.x: the key needs {at}, which is not among the inputs',
    { reads: 'Note', by: ['user'] },
    'GetItem',
  ],
  ['not-one-item served.x: GetItem reads one item by its key', list, 'GetItem'],
  ['wrong-operation served.x: a read is not served by "PutItem"', list, 'PutItem'],
  [
    'key-not-known served.x: the partition key USER#{user} of T needs more than the inputs',
    { reads: ['Note'] },
    { query: 'T' },
  ],
  ['not-in-place served.x: Note has no key in GSI1', list, { query: 'GSI1' }],
  [
    'fan-out served.x: takes 4 queries, one for each partition; declared are 1',
    { reads: ['Note'] },
    { query: 'GSI1' },
    { Note: { T: ['USER#{user}', 'NOTE#{at}'], GSI1: ['S#{at:shard4}', '{at}'] } },
  ],
  ['fan-out served.x: takes 1 queries, one for each partition; declared are 2', list, { query: 'T', fanOut: 2 }],
  [
    'no-walk served.x: no part of the partition key is cut to the day',
    list,
    { query: 'T', walk: { unit: 'day', most: 5 } },
  ],
  [
    'not-projected served.x: Small does not hold all that is read',
    list,
    { query: 'Small' },
    { Note: { T: ['USER#{user}', 'NOTE#{at}'], Small: ['U#{user}', '{at}'] } },
  ],
  ['not-served served.x: the pattern is not served', list, undefined],
  [
    'one-verb served.x: needs exactly one of creates, puts, upserts, updates, deletes, checks',
    { creates: 'Note', deletes: 'Note' },
    'PutItem',
  ],
  [
    'wrong-operation served.x: takes PutItem; declared is TransactWriteItems',
    { creates: 'Note' },
    'TransactWriteItems',
  ],
  [
    'wrong-operation served.x: takes TransactWriteItems; declared is PutItem',
    { creates: 'Note' },
    'PutItem',
    { Note: { T: ['USER#{user}', 'NOTE#{at}'] } },
    [['Book', '1:N', 'Note', { required: true, by: { book: 'body' } }]],
  ],
  [
    'unknown-attribute relationships.Book.Note: Note has no attribute "book"',
    { creates: 'Note' },
    'TransactWriteItems',
    {},
    [['Book', '1:N', 'Note', { required: true }]],
  ],
  [
    'put-breaks-rules served.x: Note has unique attributes or is counted: create, upsert, update or delete it',
    { puts: 'Note' },
    'PutItem',
    {},
    [['Book', '1:N', 'Note', { count: 'count', by: { book: 'body' } }]],
  ],
  [
    'batch-breaks-rules served.x: a batch takes no conditions, and Note has some: delete them one by one',
    { deletes: ['Note'], by: ['user', 'at'], given: { body: '' } },
    'BatchWriteItem',
  ],
  ['', { deletes: ['Note'], by: ['user', 'at'] }, 'BatchWriteItem'],
  [
    'key-changes served.x: "at" is part of the primary key and cannot change',
    { updates: 'Note', by: ['user', 'at'], sets: ['at'] },
    'UpdateItem',
  ],
  ['', { updates: 'Book', by: ['book'], rekeys: ['GSI1'] }, 'UpdateItem', { Book: indexedBook }],
  [
    'wrong-operation served.x: takes TransactWriteItems; declared is UpdateItem',
    { updates: 'Note', by: ['user', 'at'], maySet: ['body'] },
    'UpdateItem',
    {},
    [['Book', '1:N', 'Note', { required: true, by: { book: 'body' } }]],
  ],
  [
    'key-not-known served.x: the key of Note needs at, which is not among `by`',
    { updates: 'Note', by: ['user'], sets: ['body'] },
    'UpdateItem',
  ],
  [
    'wrong-operation served.x: takes GetItem, then UpdateItem; declared is UpdateItem',
    { updates: 'Note', by: ['user', 'at'], sets: ['stars'] },
    'UpdateItem',
    { Note: { T: ['USER#{user}', 'NOTE#{at}'], GSI1: ['U#{user}', '{stars:03}#{body}'] } },
  ],
  [
    '',
    { updates: 'Note', by: ['user', 'at'], sets: ['stars', 'body'] },
    'UpdateItem',
    { Note: { T: ['USER#{user}', 'NOTE#{at}'], GSI1: ['U#{user}', '{stars:03}#{body}'] } },
  ],
  [
    'unknown-attribute keys.Note.T: has no attribute "name"',
    list,
    { query: 'T' },
    { Note: { T: ['USER#{user}', 'NOTE#{name}'] } },
  ],
  [
    'bad-template keys.Note.T: no encoder "loud"',
    list,
    { query: 'T' },
    { Note: { T: ['USER#{user}', 'NOTE#{at:loud}'] } },
  ],
  [
    'key-length keys.Note.T: has 1 templates; T has 2 key attributes',
    list,
    { query: 'T' },
    { Note: { T: ['USER#{user}'] } },
  ],
  [
    'no-such-index keys.Note.GSI9: table T has no index GSI9',
    list,
    { query: 'T' },
    { Note: { T: ['USER#{user}', 'NOTE#{at}'], GSI9: ['a', 'b'] } },
  ],
])('%s', (problem, need, served, keys, rules) => {
  const found = one(need, served, keys, rules);
  if (problem === '') expect(found).toEqual([]);
  else expect(found).toContain(problem);
});

test('a model with faults is not connected, and all are named', () => {
  const wrong = notes(
    { x: { reads: ['Note'] } },
    { Note: { T: ['USER#{user:loud}', 'NOTE#{at}'] } },
    { x: { query: 'T' } },
  );
  const attempt = (): unknown => connect(wrong as never, { client: {} as never });
  expect(attempt).toThrow(ModelError);
  expect(attempt).toThrow(/no encoder "loud"[\s\S]*needs more than the inputs/);
});

test.each<[string, (whole: Model) => object]>([
  ...[undefined, null, 5, {}, { key: null }, { when: { body: 'x' } }, [null, 'x'], [5, 'x'], [{}], [[]]].map(
    (key): [string, (whole: Model) => object] => [
      `the key ${JSON.stringify(key)}`,
      () => ({ keys: { Note: { T: ['USER#{user}', 'NOTE#{at}'], GSI1: key } } }),
    ],
  ),
  ['keys that are none', () => ({ keys: null })],
  [
    'unique attributes that are no list',
    () => ({ entities: { Note: entity(Note.attributes, { unique: 'body' as never }) } }),
  ],
  ['an operation that is none', () => ({ served: { x: 5n } })],
  ['an operation that is null', () => ({ served: { x: null } })],
  ['a place that is none', () => ({ served: { x: { query: 5n } } })],
  ['a big integer in a condition', () => ({ patterns: { x: { ...list, where: { stars: 5n } } } })],
  ['a big integer in a list', () => ({ patterns: { x: { ...list, where: { stars: [5n] } } } })],
])('a model that is not shaped like one is refused, and nothing throws a TypeError: %s', (_, change) => {
  const whole = notes({ x: list }, {}, { x: { query: 'GSI1' } }) as Model;
  const wrong = { ...whole, ...change(whole) } as Model;
  const { problems } = resolve(wrong);
  expect(problems.length).toBeGreaterThan(0);
  expect(() => connect(wrong, { client: {} as never })).toThrow(ModelError);
  expect(check(wrong).findings.map(({ code }) => code)).toContain('bad-declaration');
});

test.each<[string, readonly string[] | object, object, object | undefined]>([
  ['in the known part of the key', ['U#{user}', '{body}#{at}'], { body: 'x' }, undefined],
  ['behind what is not known', ['U#{user}', '{at}#{body}'], { body: 'x' }, { body: 'x' }],
  ['one of several values', ['U#{user}', '{body}#{at}'], { body: ['x', 'y'] }, { body: ['x', 'y'] }],
  ['no equality', ['U#{user}', '{body}#{at}'], { body: { begins: 'x' } }, { body: { begins: 'x' } }],
  ['that of the index', { when: { body: ['x', 'y'] }, key: ['U#{user}', '{at}'] }, { body: ['y', 'x'] }, undefined],
  ['wider than that of the index', { when: { body: 'x' }, key: ['U#{user}', '{at}'] }, { body: ['x', 'y'] }, undefined],
  ['narrower', { when: { body: ['x', 'y'] }, key: ['U#{user}', '{at}'] }, { body: 'x' }, { body: 'x' }],
  [
    'a test that is the same',
    { when: { stars: { exists: true } }, key: ['U#{user}', '{at}'] },
    { stars: { exists: true } },
    undefined,
  ],
])('what a pattern asks for is filtered unless every item that is read has it: %s', (_why, key, where, filter) => {
  const model = notes(
    { x: { ...list, where } },
    { Note: { T: ['USER#{user}', 'NOTE#{at}'], GSI1: key } },
    { x: { query: 'GSI1' } },
  );
  const { plan, problems } = resolve(model as never).patterns.get('x') ?? {};
  expect(problems).toEqual([]);
  const left = plan?.kind === 'query' ? plan.streams.flatMap(({ residuals }) => residuals) : undefined;
  expect(left?.flatMap(({ tests }) => tests)).toEqual(filter === undefined ? [] : [filter]);
});

test.each<[object, string]>([
  [{ stored: { at: 'x', body: 'x' } }, 'body and at would both be stored as "x"'],
  [{ stored: { body: 'Type' } }, 'body and the type would both be stored as "Type"'],
  [{ stored: { body: 'PK' } }, 'body and a key would both be stored as "PK"'],
  [{ stored: { body: 'A' } }, 'body and a key would both be stored as "A"'],
])('two values are not stored under one name: %j', (storage, message) => {
  const { problems } = resolve({
    ...(notes(
      { x: list },
      { Note: { T: ['USER#{user}', 'NOTE#{at}'], GSI1: ['USER#{user}', '{at}'] } },
      {
        x: { query: 'T' },
      },
    ) as Model),
    storage: { Note: storage },
  });
  expect(problems.map(({ code, path, message: text }) => [code, path, text])).toEqual([
    ['stored-name-taken', 'entities.Note', message],
  ]);
});
