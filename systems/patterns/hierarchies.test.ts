import { connect } from '@singlet/model';
import { check } from '@singlet/model/check';
import { expect, test } from 'vitest';
import { openExample } from '../testing/example-database.ts';
import { sales, stores } from './hierarchies.ts';

test('P-08 a country, a city without others of the same name, and a store in a month are read', async () => {
  const { client } = await openExample(sales);
  const db = connect(sales, { client });
  for (const [country, city, store, date] of [
    ['USA', 'SAN_FRANCISCO', '00235', '2020-09-22'],
    ['USA', 'LOS_ANGELES', '00316', '2020-10-12'],
    ['USA', 'SEATTLE', '00110', '2020-08-04'],
    ['FRANCE', 'PARIS', '00512', '2020-12-15'],
  ] as const) {
    await db.record({ country, city, store, date, amount: 100 });
  }
  expect((await db.inCountry({ country: 'USA' })).items.map(({ city }) => city)).toEqual([
    'LOS_ANGELES',
    'SAN_FRANCISCO',
    'SEATTLE',
  ]); // .a
  const inMonth = async (month: string) =>
    (await db.inStore({ country: 'USA', city: 'SAN_FRANCISCO', store: '00235', date: { begins: month } })).items.length;
  expect([await inMonth('2020-09'), await inMonth('2020-10')]).toEqual([1, 0]); // .b
  await db.record({ country: 'USA', city: 'SAN_FRANCISCO_BAY', store: '00999', date: '2020-09-22', amount: 1 });
  expect((await db.inCity({ country: 'USA', city: 'SAN_FRANCISCO' })).items).toHaveLength(1); // .c
});

test('P-41 each level is read for eight stores; a zip code alone is not served', async () => {
  const { client } = await openExample(stores);
  const db = connect(stores, { client });
  for (const [state, city, zip, storeId] of [
    ['NE', 'OMAHA', '68118', '1'],
    ['NE', 'OMAHA', '68118', '2'],
    ['NE', 'LINCOLN', '68501', '3'],
    ['NY', 'NEW_YORK', '10001', '4'],
    ['NY', 'NEW_YORK', '10019', '5'],
    ['NY', 'ALBANY', '12201', '6'],
  ] as const) {
    await db.open({ country: 'USA', state, city, zip, storeId });
  }
  await db.open({ country: 'FRANCE', state: 'IDF', city: 'PARIS', zip: '75001', storeId: '7' });
  await db.open({ country: 'FRANCE', state: 'PACA', city: 'NICE', zip: '06000', storeId: '8' });
  const counts = [
    await db.inCountry({ country: 'USA' }),
    await db.inState({ country: 'USA', state: 'NE' }),
    await db.inCity({ country: 'USA', state: 'NY', city: 'NEW_YORK' }),
    await db.inZip({ country: 'USA', state: 'NE', city: 'OMAHA', zip: '68118' }),
  ].map(({ items }) => items.length);
  expect(counts).toEqual([6, 3, 2, 2]); // .a

  const byZip = { reads: ['Store'], by: ['country', 'zip'], limit: 10 } as const;
  const { patterns } = check({
    ...stores,
    patterns: { ...stores.patterns, byZip },
    served: { ...stores.served, byZip: { query: 'Stores' } },
  });
  expect(patterns.find(({ pattern }) => pattern === 'byZip')?.verdict).toBe('refused'); // .b
});
