import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../../src/check/index.ts';
import { add, connect, entity, model, type Model, ModelError, type RuleError, transact } from '../../src/index.ts';
import { resolve } from '../../src/resolve/resolve.ts';
import { writeFaults } from '../../src/resolve/write-faults.ts';
import { testDatabase, type TestDatabase } from '../test-database.ts';
import { openModel } from './open-model.ts';

let database: TestDatabase | undefined;

afterEach(async () => {
  await database?.[Symbol.asyncDispose]();
  database = undefined;
});

/** Tenants whose documents have ids that are unique over all tenants. The tenant is not in the key. */
const documents = model('documents')
  .entities({
    Document: entity({
      id: z.string(),
      tenant: z.string(),
      state: z.enum(['DRAFT', 'FINAL']).default('DRAFT'),
      size: z.number().default(0),
      title: z.string().optional(),
    }),
  })
  .relationships([])
  .patterns({
    create: { creates: 'Document' },
    document: { reads: 'Document', by: ['id'] },
    listing: { reads: ['Document'], by: ['tenant', 'state'] },
    finish: { updates: 'Document', by: ['id', 'tenant'], changes: { state: 'FINAL' } },
    grow: { updates: 'Document', by: ['id', 'tenant', 'state'], changes: { size: add(1) } },
    note: { updates: 'Document', by: ['id', 'tenant', 'state'], sets: ['title'], orCreates: true },
    look: { checks: 'Document', by: ['id', 'tenant'] },
    drop: { deletes: 'Document', by: ['id', 'tenant'] },
    dropThere: { deletes: 'Document', by: ['id', 'tenant'], mustExist: true, returns: 'old' },
  })
  .tables({ Documents: { key: ['PK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({ Document: { Documents: ['DOC#{id}'], GSI1: ['TENANT#{tenant}', '{state}#{id}'] } })
  .served({
    create: 'PutItem',
    document: 'GetItem',
    listing: { query: 'GSI1' },
    finish: 'UpdateItem',
    grow: 'UpdateItem',
    note: 'UpdateItem',
    look: 'TransactWriteItems',
    drop: 'DeleteItem',
    dropThere: 'DeleteItem',
  });

const open = async () => {
  database = await testDatabase(documents);
  const db = connect(documents, { client: database.client, pause: async () => undefined });
  await db.create({ id: 'd1', tenant: 't1' });
  return db;
};

/** A refusal that shows nothing of an item. */
const refusal = (code: string): unknown =>
  expect.toSatisfy(
    (error: RuleError) =>
      error.name === 'RuleError' && error.code === code && error.entity === 'Document' && error.item === undefined,
  );
const notFound = refusal('not-found');

describe('what `by` names beyond the key', () => {
  test('is a condition of an update, and moves nothing into the listing of another tenant', async () => {
    const db = await open();
    const before = await database?.stored('Documents');
    await expect(db.finish({ id: 'd1', tenant: 't2' })).rejects.toEqual(notFound);
    await expect(db.grow({ id: 'd1', tenant: 't1', state: 'FINAL' })).rejects.toEqual(notFound);
    await expect(db.finish({ id: 'd2', tenant: 't1' })).rejects.toEqual(notFound);
    expect(await database?.stored('Documents')).toEqual(before);
    await db.finish({ id: 'd1', tenant: 't1' });
    expect((await db.listing({ tenant: 't1', state: 'FINAL' })).items).toMatchObject([{ id: 'd1', state: 'FINAL' }]);
    expect((await db.listing({ tenant: 't2', state: 'FINAL' })).items).toEqual([]);
  });

  test('is a condition of a delete: the item of another tenant is none at all', async () => {
    const db = await open();
    await db.drop({ id: 'd1', tenant: 't2' });
    await db.drop({ id: 'd2', tenant: 't2' });
    await expect(db.dropThere({ id: 'd1', tenant: 't2' })).rejects.toEqual(notFound);
    expect(await db.document({ id: 'd1' })).toMatchObject({ tenant: 't1' });
    expect(await db.dropThere({ id: 'd1', tenant: 't1' })).toMatchObject({ tenant: 't1' });
    expect(await db.document({ id: 'd1' })).toBeUndefined();
  });

  test('is a condition within transactions, too', async () => {
    const db = await open();
    await expect(db.look({ id: 'd1', tenant: 't2' })).rejects.toEqual(notFound);
    await db.look({ id: 'd1', tenant: 't1' });
    await db.create({ id: 'd2', tenant: 't2' });
    // The delete has nothing to do, and does not cause the rest to be refused.
    await transact(db, [db.drop.op({ id: 'd1', tenant: 't2' }), db.finish.op({ id: 'd2', tenant: 't2' })]);
    expect(await db.document({ id: 'd1' })).toMatchObject({ tenant: 't1' });
    expect(await db.document({ id: 'd2' })).toMatchObject({ state: 'FINAL' });
    await expect(
      transact(db, [db.finish.op({ id: 'd1', tenant: 't2' }), db.drop.op({ id: 'd2', tenant: 't2' })]),
    ).rejects.toEqual(notFound);
    expect(await db.document({ id: 'd2' })).toMatchObject({ state: 'FINAL' });
  });

  test('is written with an item that an update creates, and compared where there is one', async () => {
    const db = await open();
    await db.note({ id: 'd3', tenant: 't1', state: 'FINAL', title: 'new' });
    expect(await db.document({ id: 'd3' })).toMatchObject({ tenant: 't1', state: 'FINAL', title: 'new' });
    expect((await db.listing({ tenant: 't1', state: 'FINAL' })).items).toMatchObject([{ id: 'd3' }]);
    await expect(db.note({ id: 'd3', tenant: 't2', state: 'FINAL', title: 'mine' })).rejects.toEqual(
      refusal('already-exists'),
    );
    await db.note({ id: 'd3', tenant: 't1', state: 'FINAL', title: 'newer' });
    expect(await db.document({ id: 'd3' })).toMatchObject({ tenant: 't1', title: 'newer' });
  });

  test('meets a stored item that lacks the attribute by its default', async () => {
    const db = await open();
    const { client } = database as TestDatabase;
    const { PutItemCommand } = await import('@aws-sdk/client-dynamodb');
    const old = { PK: { S: 'DOC#d9' }, Type: { S: 'Document' }, id: { S: 'd9' }, tenant: { S: 't1' } };
    await client.send(new PutItemCommand({ TableName: 'Documents', Item: old }));
    await expect(db.grow({ id: 'd9', tenant: 't1', state: 'FINAL' })).rejects.toEqual(notFound);
    await db.grow({ id: 'd9', tenant: 't1', state: 'DRAFT' });
    expect(await db.document({ id: 'd9' })).toMatchObject({ size: 1, state: 'DRAFT' });
  });
});

describe('a model that cannot keep it', () => {
  const faultsOf = (needs: Model['patterns'], served: Model['served']): string[] => {
    const { entities, tables, keys, storage, relationships, name } = documents;
    const { patterns, problems } = resolve({
      name,
      entities,
      tables,
      keys,
      storage,
      relationships,
      patterns: needs,
      served,
    });
    const plans = [...patterns.values()].flatMap(({ plan }) => (plan?.kind === 'write' ? plan.writes : []));
    return [...problems, ...plans.flatMap(writeFaults)].map(({ code }) => code);
  };

  test('is at fault', () => {
    const by = ['id', 'tenant'];
    expect(faultsOf({ a: { updates: 'Document', by, sets: ['tenant'] } }, { a: ['GetItem', 'UpdateItem'] })).toEqual([
      'named-and-set',
    ]);
    expect(faultsOf({ a: { deletes: ['Document'], by } }, { a: 'BatchWriteItem' })).toEqual(['batch-breaks-rules']);
    expect(faultsOf({ a: { checks: 'Document', by, mustExist: false } }, { a: 'TransactWriteItems' })).toEqual([
      'named-and-absent',
    ]);
    expect(faultsOf({ a: { deletes: 'Document', by: ['id', 'tenannt'] } }, { a: 'DeleteItem' })).toEqual([
      'unknown-attribute',
    ]);
  });

  test('is not run, and does not pass the checker', async () => {
    const { entities, tables, keys, storage, relationships, name } = documents;
    const faulty: Model = {
      name,
      entities,
      tables,
      keys,
      storage,
      relationships,
      patterns: { drop: { deletes: 'Document', by: ['id', 'tenannt'] } },
      served: { drop: 'DeleteItem' },
    };
    await using opened = await openModel(faulty);
    const { drop } = opened.db as unknown as { drop(input: object): Promise<void> };
    await expect(drop({ id: 'd1', tenannt: 't1' })).rejects.toThrow(ModelError);
    expect(check(faulty).findings.map(({ code, level }) => `${level} ${code}`)).toContain('error faulty-write');
  });
});
