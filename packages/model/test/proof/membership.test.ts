import { createDatabase } from 'singlet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../../src/check/index.ts';
import { entity } from '../../src/index.ts';
import type { Model } from '../../src/model.ts';
import { prove } from '../../src/prove/index.ts';
import { fastClient } from '../random-models/fast-client.ts';

/*
 * What is in an index, and what a read returns of it. The service puts every item there that has the key attributes, whatever the model
 * declares.
 */

const text = z.string().regex(/^[a-z]{1,4}$/);
const state = z.enum(['ON', 'OFF']);
const seconds = z.int().max(9_999_999_999);

interface Parts {
  readonly entities: Readonly<Record<string, unknown>>;
  readonly patterns: Readonly<Record<string, unknown>>;
  readonly tables: object;
  readonly keys: object;
  readonly served: object;
  readonly storage?: object;
}

const modelOf = (parts: Parts): Model =>
  ({ name: 'things', relationships: [], storage: {}, ...parts }) as unknown as Model;

const errors = (parts: Parts): string[] => [
  ...new Set(
    check(modelOf(parts))
      .findings.filter(({ level }) => level === 'error')
      .map(({ code, path }) => `${code} ${path}`),
  ),
];

let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => database.close());

/** A model that answers wrongly if it is run all the same, so that the refusal is not a false alarm. */
async function isWrong(parts: Parts): Promise<boolean> {
  const { ok } = await prove(modelOf(parts), { client: fastClient(database), runs: 10, writes: true });
  return !ok;
}

/** One index, one entity with a key there, and one read of it. */
const things = (
  index: unknown,
  key: unknown,
  read: object,
  { rules = {}, other = {}, storage = {}, table = ['T#{id}', 'T'] }: Readonly<Record<string, object>> = {},
): Parts => {
  const {
    attributes: others,
    keys: otherKeys = { Main: ['O#{id}', 'O'] },
    rules: otherRules = {},
  } = other as {
    readonly attributes?: object;
    readonly keys?: object;
    readonly rules?: object;
  };
  const isOther = others !== undefined;
  return {
    entities: {
      Thing: entity({ id: text, team: text, at: text, state }, rules as never),
      ...(isOther && { Other: entity(others as never, otherRules as never) }),
    },
    patterns: {
      create: { creates: 'Thing' },
      read: { reads: ['Thing'], limit: 5, ...read },
      ...(isOther && { createOther: { creates: 'Other' } }),
    },
    tables: { Main: { key: ['PK', 'SK'], indexes: { Index: index } } },
    keys: { Thing: { Main: table, Index: key }, ...(isOther && { Other: otherKeys }) },
    storage,
    served: {
      create: 'unique' in rules ? 'TransactWriteItems' : 'PutItem',
      read: { query: 'Index' },
      ...(isOther && { createOther: 'PutItem' }),
    },
  };
};

describe('an index of attributes that other items have, too', () => {
  const byTeam = { by: ['team'] };

  test('holds the items of every entity that has them', async () => {
    const parts = things(['team', 'state'], ['{team}', '{state}'], byTeam, {
      other: { attributes: { id: text, team: text, state } },
    });
    expect(errors(parts)).toEqual(['reads-neighbours served.read']);
  });

  test('is an error only where such items are read', () => {
    const parts = things(['team', 'GSI1SK'], ['{team}', '{id}'], byTeam, {
      other: { attributes: { id: text, team: text, state } },
    });
    expect(errors(parts)).toEqual([]);
  });

  test('holds the guards of unique values', () => {
    expect(errors(things(['team'], ['{team}'], byTeam, { rules: { unique: ['team'] } }))).toEqual([
      'reads-neighbours served.read',
    ]);
    expect(errors(things(['GSI1PK'], ['{team}'], byTeam, { rules: { unique: ['team'] } }))).toEqual([]);
  });

  test('holds the items of an inverted index that do not say so', () => {
    const inverted = (sort: string): string[] =>
      errors(
        things(['SK', 'PK'], ['TEAM#{team}', 'T#{id}'], byTeam, {
          table: ['T#{id}', 'TEAM#{team}'],
          other: { attributes: { id: text, team: text }, keys: { Main: [sort, 'TEAM#{team}'] } },
        }),
      );
    expect(inverted('O#{id}')).toEqual([]);
    expect(inverted('T#X#{id}')).toEqual(['reads-neighbours served.read']);
  });

  test('refuses items whose attribute is of another type, or null', async () => {
    const price = (of: unknown): Parts =>
      things(
        { local: 'price:N' },
        ['{price}'],
        { by: ['id'] },
        {
          other: { attributes: { id: text, price: of }, keys: { Main: ['P#{id}', 'P'] } },
        },
      );
    const withPrice = (of: unknown): Parts => {
      const parts = price(of);
      const Thing = entity({ id: text, team: text, at: text, state, price: z.int() } as never);
      return { ...parts, entities: { ...parts.entities, Thing } };
    };
    expect(errors(withPrice(z.string().min(1)))).toContain('key-type entities.Other.price');
    expect(errors(withPrice(z.int().nullable()))).toContain('key-type entities.Other.price');
    expect(errors(withPrice(z.int()))).toEqual([]);
    expect(await isWrong(withPrice(z.string().min(1)))).toBe(true);
  });
});

describe('a condition that keeps no item out', () => {
  const open = { by: ['team'], where: { state: 'ON' } };

  test.each<[string, unknown, unknown, readonly string[]]>([
    ['attributes of the application', ['team', 'at'], ['{team}', '{at}'], ['T#{id}', 'T']],
    ['the key of the table', ['SK', 'PK'], ['TEAM#{team}', 'T#{id}'], ['T#{id}', 'TEAM#{team}']],
  ])('since the index key is made of %s', async (_, index, key, table) => {
    const parts = things(index, { when: { state: 'ON' }, key }, open, { table });
    expect(errors(parts)).toEqual(['index-key-written-twice keys.Thing.Index']);
    expect(await isWrong(parts)).toBe(true);
  });

  test('keeps them out with a key attribute of its own', () => {
    expect(errors(things(['GSI1PK', 'at'], { when: { state: 'ON' }, key: ['{team}', '{at}'] }, open))).toEqual([]);
  });

  test('may be that the attribute is there', () => {
    const when = { when: { at: { exists: true } }, key: ['{at}'] };
    const parts = things(['at'], when, { by: ['at'] });
    expect(errors(parts)).toEqual([]);
  });
});

test('two templates for one key attribute', () => {
  const twice = (first: object, second: object): string[] =>
    errors({
      entities: { Thing: entity({ id: text, team: text, at: text, state }) },
      patterns: { create: { creates: 'Thing' } },
      tables: { Main: { key: ['PK', 'SK'], indexes: { First: ['Bucket', 'One'], Second: ['Bucket', 'Two'] } } },
      keys: { Thing: { Main: ['T#{id}', 'T'], First: first, Second: second } },
      served: { create: 'PutItem' },
    });
  const first = { when: { state: 'ON' }, key: ['A#{team}', '{id}'] };
  const both = ['index-key-written-twice keys.Thing.First', 'index-key-written-twice keys.Thing.Second'];
  expect(twice(first, { when: { at: 'a' }, key: ['B#{at}', '{id}'] })).toEqual(both);
  expect(twice(first, { when: { state: 'OFF' }, key: ['B#{at}', '{id}'] })).toEqual([]);
  expect(twice(first, { when: { at: 'a' }, key: ['A#{team}', '{at}'] })).toEqual([]);
});

test('an index key that replaces the primary key', () => {
  const parts = things(['SK', 'PK'], ['X#{team}', 'T#{id}'], { by: ['team'] }, { table: ['T#{id}', 'TEAM#{team}'] });
  expect(errors(parts)).toEqual(['index-key-written-twice keys.Thing.Index']);
});

describe('a time to live', () => {
  const two = (own: object, other: object, stored?: object): Parts => ({
    entities: {
      Session: entity({ user: text, id: text, until: seconds }, { expires: 'until' }),
      Invite: entity({ user: text, id: text, ...own } as never, other as never),
    },
    patterns: {
      createSession: { creates: 'Session' },
      createInvite: { creates: 'Invite' },
      both: { reads: { sessions: ['Session'], invites: ['Invite'] }, by: ['user'], limit: 5 },
    },
    tables: { Main: { key: ['PK', 'SK'] } },
    keys: { Session: { Main: ['U#{user}', 'S#{id}'] }, Invite: { Main: ['U#{user}', 'T#{id}'] } },
    storage: { Invite: { stored } },
    served: { createSession: 'PutItem', createInvite: 'PutItem', both: { query: 'Main' } },
  });

  test('is one attribute of a table', async () => {
    const parts = two({ ends: seconds }, { expires: 'ends' });
    expect(errors(parts)).toEqual(['time-to-live entities.Invite.expires']);
    expect(await isWrong(parts)).toBe(true);
    expect(errors(two({ ends: seconds }, { expires: 'ends' }, { ends: 'until' }))).toEqual([]);
  });

  test('deletes whatever has the attribute', async () => {
    const parts = two({ until: seconds }, {});
    expect(errors(parts)).toEqual(['time-to-live entities.Invite.until']);
    expect(await isWrong(parts)).toBe(true);
    expect(errors(two({ until: seconds }, { expires: 'until' }))).toEqual([]);
    expect(errors(two({ until: seconds }, {}, { until: 'ends' }))).toEqual([]);
    expect(errors(two({ ends: seconds }, {}, { ends: 'until' }))).toEqual(['time-to-live entities.Invite.ends']);
  });
});

test('guards of the type of an entity', async () => {
  const typed = (type: string): Parts => ({
    entities: {
      User: entity({ id: text, mail: text }, { unique: ['mail'] }),
      UserMail: entity({ mail: text, id: text }),
    },
    patterns: {
      createUser: { creates: 'User' },
      createMail: { creates: 'UserMail' },
      mails: { reads: ['UserMail'], accepts: { scan: 'an export' } },
    },
    tables: { Main: { key: ['PK', 'SK'] } },
    keys: { User: { Main: ['U#{id}', 'U'] }, UserMail: { Main: ['M#{mail}', 'M'] } },
    storage: { User: { unique: { mail: { key: ['G#{mail}', 'G'], type } } } },
    served: { createUser: 'TransactWriteItems', createMail: 'PutItem', mails: { scan: 'Main', because: 'an export' } },
  });
  expect(errors(typed('UserMail'))).toEqual(['type-not-distinct storage.User.unique.mail']);
  expect(await isWrong(typed('UserMail'))).toBe(true);
  expect(errors(typed('MailGuard'))).toEqual([]);
});

describe('a scan of an index', () => {
  const scanned = (key: unknown, where?: object): string[] =>
    errors({
      entities: { Thing: entity({ id: text, state, due: text.optional() }) },
      patterns: {
        create: { creates: 'Thing' },
        read: { reads: ['Thing'], ...(where && { where }), accepts: { scan: 'a test' } },
      },
      tables: { Main: { key: ['PK', 'SK'], indexes: { Index: ['GSI1PK'] } } },
      keys: { Thing: { Main: ['T#{id}', 'T'], Index: key } },
      served: { create: 'PutItem', read: { scan: 'Index', because: 'a test' } },
    });
  const lost = ['part-of-items served.read'];

  test('finds what is in the index', () => {
    expect(scanned(['{id}'])).toEqual([]);
    expect(scanned(['{due}'])).toEqual(lost);
    expect(scanned(['{due}'], { due: { exists: true } })).toEqual([]);
  });

  test('finds only what meets its condition', () => {
    const when = { when: { state: 'ON' }, key: ['{id}'] };
    expect(scanned(when)).toEqual(lost);
    expect(scanned(when, { state: 'ON' })).toEqual([]);
    expect(scanned(when, { state: 'OFF' })).toEqual(lost);
    expect(scanned([when, { when: { state: 'OFF' }, key: ['{id}'] }])).toEqual([]);
  });
});

test('copies are read by their key', () => {
  const { findings } = check(
    modelOf({
      entities: { Page: entity({ site: text, id: text }, { copies: 3 }) },
      patterns: {
        create: { creates: 'Page' },
        one: { reads: 'Page', by: ['site', 'id'] },
        list: { reads: ['Page'], by: ['site'], limit: 3, unproven: 'a reason' },
        number: { reads: ['Page'], by: ['site'], count: true },
        all: { reads: ['Page'], accepts: { scan: 'a test' } },
      },
      tables: { Main: { key: ['PK', 'SK'], indexes: { Index: ['GSI1PK', 'GSI1SK'] } } },
      keys: { Page: { Main: ['P#{site}#{id}#{copy}', 'P'], Index: ['S#{site}', '{id}'] } },
      served: {
        create: 'TransactWriteItems',
        one: 'GetItem',
        list: { query: 'Index' },
        number: { query: 'Index' },
        all: { scan: 'Main', because: 'a test' },
      },
    }),
  );
  expect(findings.filter(({ level }) => level === 'error').map(({ path }) => path)).toEqual([
    'served.list',
    'served.number',
    'served.all',
  ]);
});

test('a window is read by a walk', () => {
  const windowed = (served: object, key: readonly string[]): string[] =>
    errors({
      entities: { Thing: entity({ id: text, team: text, at: z.iso.date() }) },
      patterns: {
        create: { creates: 'Thing' },
        read: { reads: ['Thing'], by: ['team'], window: { of: 'at', from: '2024-01-01' }, limit: 5 },
      },
      tables: { Main: { key: ['PK', 'SK'], indexes: { Index: ['GSI1PK', 'GSI1SK'] } } },
      keys: { Thing: { Main: ['T#{id}', 'T'], Index: key } },
      served: { create: 'PutItem', read: served },
    });
  expect(windowed({ query: 'Index' }, ['{team}', '{at}#{id}'])).toEqual(['walk-not-bounded served.read']);
  const walk = { query: 'Index', walk: { unit: 'month', most: 3 } };
  expect(windowed(walk, ['{team}#{at:month}', '{at}#{id}'])).toEqual([]);
});

test('no reason accepts neighbours, of which the first makes the call fail', () => {
  const parts = (accepts: object): Parts => ({
    entities: { Thing: entity({ team: text, id: text }), Other: entity({ team: text, id: text }) },
    patterns: {
      create: { creates: 'Thing' },
      createOther: { creates: 'Other' },
      number: { reads: ['Thing'], by: ['team'], count: true, accepts },
    },
    tables: { Main: { key: ['PK', 'SK'] } },
    keys: { Thing: { Main: ['T#{team}', 'I#{id}'] }, Other: { Main: ['T#{team}', 'I#X#{id}'] } },
    served: { create: 'PutItem', createOther: 'PutItem', number: { query: 'Main' } },
  });
  expect(errors(parts({ 'reads-neighbours': 'there are few' }))).toEqual(['reads-neighbours served.number']);
});

describe('a read of a sparse index by a narrower interval', () => {
  const scores = (when: object, where: object): Parts => ({
    entities: { Score: entity({ id: text, team: text, points: z.int().min(-9).max(99) }) },
    patterns: { create: { creates: 'Score' }, read: { reads: ['Score'], by: ['team'], where: { points: where } } },
    tables: { Main: { key: ['PK', 'SK'], indexes: { Index: ['IndexPK', 'IndexSK'] } } },
    keys: { Score: { Main: ['S#{id}', 'S'], Index: { when: { points: when }, key: ['T#{team}', '{id}'] } } },
    served: { create: 'PutItem', read: { query: 'Index' } },
  });

  test.each([
    [{ above: 0 }, { above: 5 }],
    [{ above: 0 }, { atLeast: 1, below: 10 }],
    [{ atLeast: 5 }, { above: 5 }],
    [{ atMost: 9 }, { below: 9 }],
    [
      { above: 0, atMost: 50 },
      { atLeast: 1, atMost: 50 },
    ],
  ])('%j holds all of %j', async (when, where) => {
    const parts = scores(when, where);
    expect(errors(parts)).toEqual([]);
    expect(await isWrong(parts)).toBe(false);
  });

  test.each([
    [{ above: 5 }, { above: 0 }],
    [{ above: 5 }, { atLeast: 5 }],
    [{ below: 9 }, { atMost: 9 }],
    [{ above: 0, below: 50 }, { above: 0 }],
    [{ above: 0 }, { below: 50 }],
    [{ above: 0, not: 7 }, { above: 1 }],
  ])('%j does not hold all of %j', (when, where) => {
    expect(errors(scores(when, where))).toEqual(['part-of-items served.read']);
  });
});

describe('an input that each form of a key has in another way', () => {
  const forms = (late: unknown): Parts => ({
    entities: { Task: entity({ id: text, team: text, state: z.enum(['OPEN', 'DONE', 'LATE']) }) },
    patterns: { create: { creates: 'Task' }, read: { reads: ['Task'], by: ['team', 'state'], limit: 3 } },
    tables: { Main: { key: ['PK', 'SK'], indexes: { Index: ['IndexPK', 'IndexSK'] } } },
    keys: {
      Task: {
        Main: ['T#{id}', 'T'],
        Index: [
          { when: { state: 'OPEN' }, key: ['T#{team}', 'OPEN#{id}'] },
          { when: { state: ['DONE', 'LATE'] }, key: ['T#{team}', late] },
        ],
      },
    },
    served: { create: 'PutItem', read: { query: 'Index' } },
  });

  test('is settled by the form that it chooses, so that no filter shortens a page', async () => {
    const parts = forms('{state}#{id}');
    expect(check(modelOf(parts)).findings.filter(({ level }) => level === 'error' || level === 'warning')).toEqual([]);
    expect(await isWrong(parts)).toBe(false);
  });

  test('is filtered where a form does not have it', () => {
    expect(errors(forms('X#{id}'))).toEqual(['filter-with-limit served.read']);
  });
});

describe('an index whose key may be null', () => {
  const notes = (where: object | undefined, tag: z.ZodType = z.enum(['a', 'b']).nullable()): Parts => ({
    entities: { Note: entity({ id: text, team: text, tag } as never) },
    patterns: { create: { creates: 'Note' }, read: { reads: ['Note'], by: ['team'], ...(where && { where }) } },
    tables: { Main: { key: ['PK', 'SK'], indexes: { Index: ['IndexPK', 'IndexSK'] } } },
    keys: { Note: { Main: ['N#{id}', 'N'], Index: ['T#{team}', '{tag}#{id}'] } },
    served: { create: 'PutItem', read: { query: 'Index' } },
  });
  const isRefused = ['part-of-items served.read'];

  test('does not hold those that have null, which is there', () => {
    expect(errors(notes(undefined))).toEqual(isRefused);
    expect(errors(notes({ tag: { exists: true } }))).toEqual(isRefused);
    expect(errors(notes({ tag: null }))).toEqual(isRefused);
    expect(errors(notes({ tag: { exists: true } }, z.enum(['a', 'b']).nullish()))).toEqual(isRefused);
  });

  test('holds all that a test asks for which null does not meet', async () => {
    expect(errors(notes({ tag: 'a' }))).toEqual([]);
    expect(errors(notes({ tag: { begins: 'a' } }))).toEqual([]);
    expect(errors(notes({ tag: { exists: true } }, z.enum(['a', 'b']).optional()))).toEqual([]);
    expect(await isWrong(notes({ tag: { atLeast: 'b' } }))).toBe(false);
  });
});
