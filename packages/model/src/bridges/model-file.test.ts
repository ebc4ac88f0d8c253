import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { shop } from '../../test/shop.model.ts';
import { testDatabase } from '../../test/test-database.ts';
import { check } from '../check/check.ts';
import { connect } from '../index.ts';
import { seed } from '../samples/seed.ts';
import { inferModel } from './infer/infer-model.ts';
import { sampleTable } from './infer/sample-table.ts';
import { modelFile } from './model-file.ts';
import type { Draft } from './draft.ts';

/** The written files are committed: the compiler checks them, and reviewers see each change. `vitest -u` writes them again. */
const written = (name: string): string =>
  fileURLToPath(new URL(`../../test/imported/${name}.model.ts`, import.meta.url));

test('a table becomes a file that compiles, has no error, and reads what is in the table', async () => {
  await using database = await testDatabase(shop);
  const { client } = database;
  await seed(shop, { client, items: 30 });
  const { draft } = inferModel('shop', [await sampleTable('Shop', { client })]);
  await expect(modelFile(draft, { entry: '../../src/index.ts' })).toMatchFileSnapshot(written('shop'));

  const imported = await import('../../test/imported/shop.model.ts');
  const report = check(imported.shop);
  expect(report.findings.filter(({ level }) => level === 'error')).toEqual([]);
  const db = connect(imported.shop, { client });
  const stored = (await database.stored('Shop')).filter(({ Type }) => Type === 'Order');
  for (const { username, orderId, amount } of stored) {
    const order = await db.order({ username: String(username), orderId: String(orderId) });
    expect(order?.amount).toBe(amount);
  }
  const { items } = await db.ordersOfUsername({ username: String(stored[0]?.['username']) });
  expect(items.length).toBeGreaterThan(0);
  // The guard from before the import is still in effect.
  const taken = await db.customer({ username: String(stored[0]?.['username']) });
  await expect(db.createCustomer({ ...taken!, username: 'somebody-else' })).rejects.toMatchObject({
    code: 'not-unique',
  });
});

test('what comes from data can be neither code nor the end of a comment', () => {
  const hostile = "x'); process.exit(1); //\n*/ }\u2028${1}";
  const draft: Draft = {
    name: hostile,
    notes: [hostile],
    tables: { [hostile]: { key: ['PK'] } },
    entities: [
      {
        name: 'Thing',
        type: hostile,
        attributes: [{ name: hostile, shape: { kind: 'enum', values: [hostile] }, optional: false, notes: [hostile] }],
        keys: [{ place: hostile, forms: [{ templates: ['THING'] }], notes: [hostile] }],
        notes: [hostile],
      },
    ],
    patterns: [],
  };
  const text = modelFile(draft);
  const body = text.slice(text.indexOf('export const')).replace(/^export const \w+ = /, 'return ');
  const code = body.replaceAll(/^\s*\/\/.*$/gm, '');
  const seen: unknown[] = [];
  const recorder: Record<string, unknown> = {};
  const step = (...values: unknown[]): object => (seen.push(...values), recorder);
  for (const name of ['entities', 'relationships', 'patterns', 'tables', 'keys', 'served']) recorder[name] = step;
  const z = { enum: (values: unknown) => values };
  runInNewContext(`(() => {${code}})()`, { model: step, entity: (attributes: unknown) => attributes, z });
  expect(seen[0]).toBe(hostile);
  expect(seen).toContainEqual({ Thing: { [hostile]: [hostile] } });
  expect(text.split('\n').filter((line) => line.includes('process.exit') && !/^\s*(\/\/|.*')/.test(line))).toEqual([]);
});
