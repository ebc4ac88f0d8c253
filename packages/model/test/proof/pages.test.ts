import { expect, test } from 'vitest';
import { z } from 'zod';
import { connect, entity, model } from '../../src/index.ts';
import { testDatabase } from '../test-database.ts';

const hotels = model('hotels')
  .entities({
    Hotel: entity({ h: z.string() }),
    Room: entity({ h: z.string(), text: z.string() }),
  })
  .relationships([['Hotel', '1:N', 'Room']])
  .patterns({
    putHotel: { puts: ['Hotel'] },
    put: { puts: ['Room'] },
    hotel: { reads: { hotel: 'Hotel', rooms: ['Room'] }, by: ['h'] },
    between: { reads: ['Room'], by: ['h'], range: 'text' },
  })
  .tables({ Hotels: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({ Hotel: { Hotels: ['{h}', 'A'] }, Room: { Hotels: ['{h}', 'R#{text}'], GSI1: ['{h}', '{text}'] } })
  .served({
    putHotel: 'BatchWriteItem',
    put: 'BatchWriteItem',
    hotel: { query: 'Hotels' },
    between: { query: 'GSI1' },
  });

const rooms = ['a', 'b', 'c'].map((text) => ({ h: 'x', text }));

test('the one item comes on top of the limit only if it is there', async () => {
  await using database = await testDatabase(hotels);
  const db = connect(hotels, { client: database.client });
  await db.put(rooms);
  const pages = async (): Promise<string[]> => {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await db.hotel({ h: 'x' }, { limit: 1, cursor });
      found.push(`${page.hotel?.h ?? ''} ${page.rooms.map(({ text }) => text).join('')}`);
      ({ cursor } = page);
    } while (cursor !== undefined);
    return found.filter((page) => page !== ' ');
  };
  expect(await pages()).toEqual([' a', ' b', ' c']);
  await db.putHotel([{ h: 'x' }]);
  expect(await pages()).toEqual(['x a', ' b', ' c']);
});

test('an interval of text that looks like times goes by characters, and may be empty', async () => {
  await using database = await testDatabase(hotels);
  const db = connect(hotels, { client: database.client });
  const [whole, fraction] = ['2023-12-31T23:59:59Z', '2023-12-31T23:59:59.999Z'];
  await db.put([
    { h: 'x', text: whole },
    { h: 'x', text: fraction },
  ]);
  const between = async (text: { after?: string; from?: string; before?: string; to?: string }): Promise<string[]> =>
    (await db.between({ h: 'x', text })).items.map((room) => room.text);
  expect(await between({ after: whole, before: fraction })).toEqual([]);
  expect(await between({ after: whole, before: `${whole}\0` })).toEqual([]);
  expect(await between({ after: '\u{ffff}', before: '\u{ffff}\0' })).toEqual([]);
  expect(await between({ after: '\u{10000}', before: '\u{ffff}' })).toEqual([]);
  expect(await between({ from: fraction, to: whole })).toEqual([fraction, whole]);
});
