import { expect, test } from 'vitest';
import { z } from 'zod';
import { connect, entity, model, ref } from '../src/index.ts';
import { testDatabase } from './test-database.ts';

/** Attributes with the same names as the placeholders of requests. */
const awkward = model('awkward')
  .entities({ Thing: entity({ p0: z.string(), s0: z.number(), a1: z.string(), n0: z.string() }) })
  .relationships([])
  .patterns({
    put: { puts: 'Thing' },
    above: {
      reads: ['Thing'],
      by: ['p0'],
      filters: ['a1'],
      takes: { least: z.number() },
      where: { s0: { atLeast: ref('least') } },
      attributes: ['a1', 's0'],
    },
    rename: { updates: 'Thing', by: ['p0', 'n0'], sets: ['a1'], given: { s0: { above: 0 } } },
  })
  .tables({ Awkward: { key: ['PK', 'SK'], type: 'n1' } })
  .keys({ Thing: { Awkward: ['{p0}', 'THING#{n0}'] } })
  .served({ put: 'PutItem', above: { query: 'Awkward' }, rename: 'UpdateItem' });

test('attributes may be called like placeholders', async () => {
  await using database = await testDatabase(awkward);
  const db = connect(awkward, { client: database.client });
  await db.put({ p0: 'p', s0: 1, a1: 'one', n0: 'x' });
  await db.put({ p0: 'p', s0: 2, a1: 'two', n0: 'y' });
  await db.rename({ p0: 'p', n0: 'y', a1: 'zwei' });
  const { items } = await db.above({ p0: 'p', least: 2, a1: 'zwei' });
  expect(items).toEqual([{ a1: 'zwei', s0: 2 }]);
});
