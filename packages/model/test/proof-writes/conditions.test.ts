import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { entity, model } from '../../src/index.ts';
import { resolve } from '../../src/resolve/resolve.ts';
import { openModel } from './open-model.ts';

const declared = model('desk')
  .entities({ Note: entity({ id: z.string(), state: z.enum(['DRAFT', 'FINAL']) }) })
  .relationships([])
  .patterns({
    note: { reads: 'Note', by: ['id'] },
    putDrafts: { puts: ['Note'], given: { state: { not: 'FINAL' } } },
    createOne: { transacts: { note: { creates: 'Note' } } },
    putOne: { transacts: { note: { puts: 'Note' } } },
  })
  .tables({ Desk: { key: ['PK', 'SK'] } })
  .keys({ Note: { Desk: ['NOTE#{id}', 'NOTE'] } });

const operations = { note: 'GetItem', createOne: 'TransactWriteItems', putOne: 'TransactWriteItems' } as const;
const desk = declared.served({ ...operations, putDrafts: 'TransactWriteItems' });

describe('several items that are put on a condition', () => {
  test('are put all or none', async () => {
    await using open = await openModel(desk);
    const { db } = open;
    await db.createOne({ note: { id: '1', state: 'FINAL' } });
    const drafts = ['2', '1'].map((id) => ({ id, state: 'DRAFT' as const }));
    await expect(db.putDrafts(drafts)).rejects.toMatchObject({ code: 'condition-failed' });
    expect(await db.note({ id: '2' })).toBeUndefined();
    expect(await db.putDrafts(drafts.slice(0, 1))).toEqual([{ id: '2', state: 'DRAFT' }]);
    expect(await db.note({ id: '2' })).toEqual({ id: '2', state: 'DRAFT' });
  });

  test('are not put by a batch, which has no conditions', () => {
    const { problems } = resolve(declared.served({ ...operations, putDrafts: 'BatchWriteItem' }));
    expect(problems.map(({ message }) => message)).toEqual(['takes TransactWriteItems; declared is BatchWriteItem']);
  });
});

test('a transaction of one item takes its part by name', async () => {
  await using open = await openModel(desk);
  const { db } = open;
  await db.createOne({ note: { id: '1', state: 'DRAFT' } });
  await db.putOne({ note: { id: '1', state: 'FINAL' } });
  expect(await db.note({ id: '1' })).toEqual({ id: '1', state: 'FINAL' });
  expect(db.putOne.request({ note: { id: '2', state: 'DRAFT' } })).toHaveLength(1);
});
