import { createDatabase } from 'singlet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../../src/check/index.ts';
import { entity } from '../../src/index.ts';
import type { Model } from '../../src/model.ts';
import { prove } from '../../src/prove/index.ts';
import type { StandardSchema } from '../../src/schema/standard-schema.ts';
import { fastClient } from '../random-models/fast-client.ts';

/* The order of what several indexes, several entities, or several partitions hold. */

const text = z.string().regex(/^[a-z]{1,3}$/);
const between = (least: number, most: number): StandardSchema => z.int().min(least).max(most);

interface Parts {
  readonly entities: object;
  readonly read: object;
  readonly indexes: object;
  readonly keys: object;
  readonly served: object;
}

const modelOf = ({ read, served, indexes, ...parts }: Parts): Model =>
  ({
    name: 'orders',
    relationships: [],
    storage: {},
    ...parts,
    patterns: { read },
    tables: { Main: { key: ['PK', 'SK'], indexes } },
    served: { read: served },
  }) as unknown as Model;

const errors = (parts: Parts): string[] =>
  check(modelOf(parts))
    .findings.filter(({ level }) => level === 'error')
    .map(({ code, message }) => `${code}: ${message}`);

let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => database.close());

async function isRight(parts: Parts): Promise<boolean> {
  const { ok } = await prove(modelOf(parts), { client: fastClient(database), runs: 6 });
  return ok;
}

describe('two indexes, merged', () => {
  const merged = (one: readonly string[], other: readonly string[], more: object = {}): Parts => ({
    entities: { Thing: entity({ id: text, from: text, to: text, n: between(0, 99) }) },
    read: { reads: ['Thing'], by: [], aka: { either: ['from', 'to'] }, order: 'n asc', limit: 3 },
    indexes: { From: ['F1', 'F2'], Into: ['I1', 'I2'], ...more },
    keys: { Thing: { Main: ['T#{id}', 'T'], From: one, Into: other } },
    served: { query: ['From', 'Into'] },
  });
  const padded = ['F#{from}', '{n:02}#{id}'];

  test.each([
    ['another width', ['I#{to}', '{n:03}#{id}'], {}],
    ['another beginning', ['I#{to}', 'N#{n:02}#{id}'], {}],
    ['a number', ['I#{to}', '{n}'], { Into: ['I1', 'I2:N'] }],
    ['another place', ['I#{to}', 'N', '{n:02}', '{id}'], { Into: { partition: ['I1'], sort: ['I2', 'I3', 'I4'] } }],
  ])('have no order where one has %s', (_, other, more) => {
    expect(errors(merged(padded, other, more))).toEqual([
      expect.stringMatching(
        /^order-not-served: the sort keys of From and Into differ up to n, .*: \{n:02\}#\{id\} and /,
      ),
    ]);
  });

  test('have one where both write it alike', async () => {
    const parts = merged(padded, ['I#{to}', '{n:02}!{id}']);
    expect(errors(parts)).toEqual([]);
    expect(await isRight(parts)).toBe(true);
  });
});

describe('two entities in one partition', () => {
  const both = (one: StandardSchema, other: StandardSchema, read: object, hole = '{n}'): Parts => {
    const key = ['G#{group}', `${hole}#{id}`];
    return {
      entities: { Post: entity({ id: text, group: text, n: one }), Note: entity({ id: text, group: text, n: other }) },
      read: { reads: { posts: ['Post'], notes: ['Note'] }, by: ['group'], limit: 3, ...read },
      indexes: { Index: ['GSI1PK', 'GSI1SK'] },
      keys: { Post: { Main: ['P#{id}', 'P'], Index: key }, Note: { Main: ['N#{id}', 'N'], Index: key } },
      served: { query: 'Index' },
    };
  };
  const needs = [{ order: 'n asc' }, { range: 'n' }];

  test.each(needs)('have no common order if the digits of one are as many as others of the other: %o', (need) => {
    expect(errors(both(between(10, 99), between(100, 999), need))).toEqual([
      expect.stringContaining('n of Post and n of Note have different schemas, and `{n}` does not sort'),
    ]);
  });

  test.each(needs)('have none of texts that end differently: %o', (need) => {
    expect(errors(both(z.string().length(3), z.string().regex(/^[a-z]+$/), need))).toHaveLength(1);
  });

  test.each([
    ['one schema', between(10, 99), between(10, 99), '{n}'],
    ['one width', between(0, 50), between(0, 99), '{n:02}'],
    ['times in one form', z.iso.datetime({ precision: 0 }), z.iso.datetime({ offset: true }), '{n:utc}'],
  ])('have one order with %s', async (_, one, other, hole) => {
    const parts = both(one, other, { order: 'n asc', range: 'n' }, hole);
    expect(errors(parts)).toEqual([]);
    expect(await isRight(parts)).toBe(true);
  });

  test('need none to be read together', async () => {
    const parts = both(between(10, 99), between(100, 999), {});
    expect(errors(parts)).toEqual([]);
    expect(await isRight(parts)).toBe(true);
  });
});

describe('a walk', () => {
  const walk = (at: StandardSchema, read: object, [inPartition, inSort] = ['{at:year}', '{at}']): Parts => ({
    entities: { Thing: entity({ id: text, at }) },
    read: { reads: ['Thing'], by: [], window: { of: 'at', from: '1970-01-01', to: '2090-01-01' }, limit: 3, ...read },
    indexes: { Index: ['GSI1PK', 'GSI1SK'] },
    keys: { Thing: { Main: ['T#{id}', 'T'], Index: [`AT#${inPartition ?? ''}`, `${inSort ?? ''}#{id}`] } },
    served: { query: 'Index', walk: { unit: 'year', most: 200 } },
  });
  // 2024-01-01T01:00:00+02:00 is in 2023, and sorts behind 2024-01-01T00:00:00+00:00.
  const undeclared = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+]\d\d:\d\d$/);

  test.each([
    ['order-not-served', { order: 'at asc' }],
    ['range-not-served', { range: 'at' }],
  ])('of text that is no declared time: %s', (code, read) => {
    expect(errors(walk(undeclared, read))).toEqual([
      `${code}: partitions are walked from time to time, and the schema of at says text, not a time, which sorts by its characters`,
    ]);
    expect(errors(walk(undeclared, {}))).toEqual([]);
  });

  test.each([
    ['milliseconds', between(0, 2_000_000_000_000), '{at:year}', '{at:013}'],
    ['seconds', between(0, 2_000_000_000), '{at:epoch:year}', '{at:010}'],
    ['times', z.iso.date(), '{at:year}', '{at}'],
    ['ids', z.ksuid(), '{at:ksuid:year}', '{at}'],
  ])('of %s has their order', async (_, at, partition, sort) => {
    const parts = walk(at, { order: 'at asc', range: 'at' }, [partition, sort]);
    expect(errors(parts)).toEqual([]);
    expect(await isRight(parts)).toBe(true);
  });
});

describe('an encoder that changes none of the values', () => {
  const word = z.string().regex(/^[a-z]{1,3}$/);
  const list = (read: object, sort: string): Parts => ({
    entities: { Word: entity({ h: word, v: word, id: word }) },
    read: { reads: ['Word'], by: ['h'], limit: 5, ...read },
    indexes: { GSI1: ['GSI1PK', 'GSI1SK'] },
    keys: { Word: { Main: ['W#{h}#{v}#{id}', 'W'], GSI1: ['H#{h}', sort] } },
    served: { query: 'GSI1' },
  });

  test('settles an input and an order', async () => {
    const parts = list({ by: ['h', 'v'], order: 'id asc' }, '{v:lower}#{id:trim}');
    expect(errors(parts)).toEqual([]);
    expect(await isRight(parts)).toBe(true);
    const ordered = list({ order: 'v desc' }, '{v:lower}#{id}');
    expect(errors(ordered)).toEqual([]);
    expect(await isRight(ordered)).toBe(true);
  });

  test('has no intervals, whose ends may be any text', () => {
    expect(errors(list({ range: 'v', order: 'v asc' }, '{v:lower}#{id}')).join()).toContain(
      'an end of the interval may be any text, which lower may change',
    );
  });
});
