import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { connect, entity, model } from '../../src/index.ts';
import type { TestDatabase } from '../test-database.ts';
import { testDatabase } from '../test-database.ts';

/** Notes of tenants, with only the id as their key. */
const tenants = model('tenants')
  .entities({
    Note: entity({
      tenant: z.string(),
      id: z.string(),
      state: z.string(),
      at: z.string(),
      tag: z.string().default('none'),
    }),
  })
  .relationships([])
  .patterns({
    put: { puts: ['Note'] },
    note: { reads: 'Note', by: ['tenant', 'id'] },
    names: { reads: 'Note', by: ['tenant', 'id'], attributes: ['at'] },
    open: { reads: 'Note', by: ['id'], where: { state: 'open' } },
    untagged: { reads: 'Note', by: ['id'], where: { tag: 'none' } },
    filtered: { reads: 'Note', by: ['id'], filters: ['state'] },
    notes: { reads: 'Note', by: ['tenant', 'id'], each: true },
    all: { reads: ['Note'], by: ['tenant'], where: { tag: 'none' } },
    list: { reads: ['Note'], by: ['tenant'], where: { state: 'open' }, filters: ['state', 'tag'], order: 'at asc' },
  })
  .tables({ Notes: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({ Note: { Notes: ['N#{id}', 'N'], GSI1: ['T#{tenant}', '{at}'] } })
  .served({
    put: 'BatchWriteItem',
    note: 'GetItem',
    names: 'GetItem',
    open: 'GetItem',
    untagged: 'GetItem',
    filtered: 'GetItem',
    notes: 'BatchGetItem',
    all: { scan: 'Notes', because: 'few' },
    list: { query: 'GSI1' },
  });

const a = { tenant: 't1', id: 'a', state: 'open', at: '1', tag: 'none' };
const b = { tenant: 't2', id: 'b', state: 'done', at: '2', tag: 'red' };
const c = { tenant: 't1', id: 'c', state: 'done', at: '3', tag: 'none' };

async function withNotes(
  run: (db: ReturnType<typeof connection>, database: TestDatabase) => Promise<void>,
): Promise<void> {
  await using database = await testDatabase(tenants);
  const db = connection(database);
  await db.put([a, b, c]);
  await run(db, database);
}

function connection({ client }: TestDatabase) {
  return connect(tenants, { client });
}

describe('what the key does not settle is asked of the item', () => {
  test('by a get: an input, a constant and a filter', async () => {
    await withNotes(async (db) => {
      expect(await db.note({ tenant: 't1', id: 'a' })).toEqual(a);
      expect(await db.note({ tenant: 't2', id: 'a' })).toBeUndefined();
      expect(await db.names({ tenant: 't1', id: 'a' })).toEqual({ at: '1' });
      expect(await db.names({ tenant: 't2', id: 'a' })).toBeUndefined();
      expect(await db.open({ id: 'a' })).toEqual(a);
      expect(await db.open({ id: 'c' })).toBeUndefined();
      expect(await db.filtered({ id: 'c', state: 'done' })).toEqual(c);
      expect(await db.filtered({ id: 'c', state: 'open' })).toBeUndefined();
      expect(await db.filtered({ id: 'c' })).toEqual(c);
    });
  });

  test('by a batch of gets, in the order of the inputs', async () => {
    await withNotes(async (db) => {
      const inputs = [
        { tenant: 't2', id: 'a' },
        { tenant: 't1', id: 'a' },
        { tenant: 't1', id: 'b' },
      ];
      expect(await db.notes(inputs)).toEqual([undefined, a, undefined]);
    });
  });

  test('by a scan', async () => {
    await withNotes(async (db) => {
      const { items } = await db.all({ tenant: 't1' });
      expect(items.map(({ id }) => id).sort()).toEqual(['a', 'c']);
      expect((await db.all({ tenant: 't2' })).items).toEqual([]);
    });
  });

  test('a filter that the caller chooses narrows what the pattern says, and never replaces it', async () => {
    await withNotes(async (db) => {
      expect((await db.list({ tenant: 't1' })).items).toEqual([a]);
      expect((await db.list({ tenant: 't1', state: 'done' })).items).toEqual([]);
      expect((await db.list({ tenant: 't1', tag: 'none' })).items).toEqual([a]);
      expect((await db.list({ tenant: 't1', tag: 'red' })).items).toEqual([]);
    });
  });

  test('a default that an older item lacks is tested as if it were stored', async () => {
    await withNotes(async (db, { client }) => {
      const { UpdateItemCommand } = await import('@aws-sdk/client-dynamodb');
      const Key = { PK: { S: 'N#a' }, SK: { S: 'N' } };
      await client.send(new UpdateItemCommand({ TableName: 'Notes', Key, UpdateExpression: 'REMOVE tag' }));
      expect(await db.untagged({ id: 'a' })).toEqual(a);
      expect((await db.all({ tenant: 't1' })).items).toHaveLength(2);
      expect((await db.list({ tenant: 't1', tag: 'none' })).items).toEqual([a]);
      expect((await db.list({ tenant: 't1', tag: 'red' })).items).toEqual([]);
    });
  });
});
