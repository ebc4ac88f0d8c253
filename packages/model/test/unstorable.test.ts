import * as v from 'valibot';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../src/check/index.ts';
import { connect, entity, type Model, ref } from '../src/index.ts';
import type { Write } from '../src/patterns/signature.ts';
import type { StandardSchema } from '../src/schema/standard-schema.ts';
import { testDatabase } from './test-database.ts';

/* A model that `check` refuses, because DynamoDB cannot store what a schema yields, and that an application runs all the same. */

function modelWith(site: StandardSchema): Model {
  return {
    name: 'shops',
    entities: {
      Shop: entity({ id: z.string(), site, sites: z.record(z.string(), site as z.ZodType).optional() } as never),
    },
    relationships: [],
    patterns: {
      create: { creates: 'Shop' },
      createSeveral: { creates: ['Shop'] },
      move: { updates: 'Shop', by: ['id'], sets: ['site'] },
      moveOne: { updates: 'Shop', by: ['id'], takes: { to: site }, changes: { site: ref('to') } },
      both: { transacts: { one: { updates: 'Shop', by: ['id'], maySet: ['site'] }, two: { creates: 'Shop' } } },
      all: { reads: ['Shop'], by: ['id'], takes: { of: site }, where: { site: ref('of') } },
    },
    tables: { Shops: { key: ['PK'] } },
    keys: { Shop: { Shops: ['SHOP#{id}'] } },
    storage: {},
    served: {
      create: 'PutItem',
      createSeveral: 'TransactWriteItems',
      move: 'UpdateItem',
      moveOne: 'UpdateItem',
      both: 'TransactWriteItems',
      all: { query: 'Shops' },
    },
  } as unknown as Model;
}

const url = (text: string): string => new URL(text).href;
const isReal = async (): Promise<boolean> => Promise.resolve(true);
const isKnown = async (): Promise<boolean> => Promise.reject(new Error('not known'));

test.each<[string, StandardSchema, unknown]>([
  ['a function of zod that throws', z.string().transform(url), 'none'],
  ['such a function before the schema', z.preprocess((value) => BigInt(value as string), z.bigint()), 'none'],
  ['an asynchronous function of zod', z.string().refine(isReal), 'any'],
  ['a function of valibot that throws', v.pipe(v.string(), v.transform(url)), 'none'],
  ['an asynchronous schema of valibot', v.pipeAsync(v.string(), v.checkAsync(isKnown)), 'any'],
  ['a Date', z.date(), new Date(0)],
  ['a Map', z.map(z.string(), z.string()), new Map([['a', 'b']])],
  ['a symbol', z.symbol(), Symbol('a')],
])('%s is a rejection of each call, and of nothing else', async (_, schema, site) => {
  const model = modelWith(schema);
  expect(check(model).findings.map(({ code }) => code)).toContain('unstorable-schema');
  await using database = await testDatabase(model);
  const db = connect(model, { client: database.client }) as unknown as Record<string, Write<object, unknown>>;
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  const id = 'a';
  const inputs: Record<string, object> = {
    create: { id, site },
    createSeveral: [
      { id, site },
      { id: 'b', site },
    ],
    move: { id, site },
    moveOne: { id, to: site },
    both: { one: { id, site }, two: { id: 'b', site } },
    all: { id, of: site },
  };
  for (const [name, input] of Object.entries(inputs)) await expect(db[name]?.(input), name).rejects.toThrow();
  // Node reports rejections before it runs what is immediate.
  await new Promise((done) => setImmediate(done));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
