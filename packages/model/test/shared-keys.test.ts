import { expect, test } from 'vitest';
import { z } from 'zod';
import { entity, model } from '../src/index.ts';
import { openModel } from './proof-writes/open-model.ts';

const child = { place: z.string(), id: z.string() };
const either = { accepts: { 'key-collision': 'a place is an office or a shop' } };
const drop = { by: ['place', 'id'] } as const;

/** A place is an office that counts desks, or a shop that counts shelves. */
const places = model('places')
  .entities({
    Office: entity({ place: z.string(), parts: z.int().default(0) }),
    Shop: entity({ place: z.string(), parts: z.int().default(0) }),
    Desk: entity(child),
    Shelf: entity(child),
  })
  .relationships([
    ['Office', '1:N', 'Desk', { count: 'parts' }],
    ['Shop', '1:N', 'Shelf', { count: 'parts' }],
  ])
  .patterns({
    openOffice: { creates: 'Office' },
    openShop: { creates: 'Shop' },
    shop: { reads: 'Shop', by: ['place'] },
    office: { reads: 'Office', by: ['place'] },
    addDesk: { creates: 'Desk' },
    addShelf: { creates: 'Shelf' },
    clear: { transacts: { desk: { deletes: 'Desk', ...drop }, shelf: { deletes: 'Shelf', ...drop } } },
    setParts: {
      transacts: { desk: { deletes: 'Desk', ...drop }, shop: { updates: 'Shop', by: ['place'], sets: ['parts'] } },
    },
    mustClear: {
      transacts: { desk: { deletes: 'Desk', ...drop, mustExist: true }, shelf: { deletes: 'Shelf', ...drop } },
    },
  })
  .tables({ Places: { key: ['PK', 'SK'] } })
  .keys(
    {
      Office: { Places: ['PLACE#{place}', 'PLACE'] },
      Shop: { Places: ['PLACE#{place}', 'PLACE'] },
      Desk: { Places: ['PLACE#{place}', 'DESK#{id}'] },
      Shelf: { Places: ['PLACE#{place}', 'SHELF#{id}'] },
    },
    { Office: either, Shop: either },
  )
  .served({
    openOffice: 'PutItem',
    openShop: 'PutItem',
    shop: 'GetItem',
    office: 'GetItem',
    addDesk: 'TransactWriteItems',
    addShelf: 'TransactWriteItems',
    clear: 'TransactWriteItems',
    setParts: 'TransactWriteItems',
    mustClear: 'TransactWriteItems',
  });

const one = { place: 'p', id: '1' };

test('of two parents with one key, the one that is there counts', async () => {
  await using shop = await openModel(places);
  await shop.db.openShop({ place: 'p' });
  await shop.db.addShelf(one);
  await shop.db.clear({ desk: one, shelf: one });
  expect(await shop.db.shop({ place: 'p' })).toEqual({ place: 'p', parts: 0 });

  await using office = await openModel(places);
  await office.db.openOffice({ place: 'p' });
  await office.db.addDesk(one);
  await office.db.clear({ desk: one, shelf: one });
  expect(await office.db.office({ place: 'p' })).toEqual({ place: 'p', parts: 0 });
});

test('a count of a parent that is not meant does not conflict with a change of the one that is', async () => {
  await using opened = await openModel(places);
  const { db } = opened;
  await db.openShop({ place: 'p' });
  await db.setParts({ desk: one, shop: { place: 'p', parts: 3 } });
  expect(await db.shop({ place: 'p' })).toEqual({ place: 'p', parts: 3 });
});

test('what may be missing is no reason for a refusal', async () => {
  await using opened = await openModel(places);
  const error: unknown = await opened.db.mustClear({ desk: one, shelf: one }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ failures: [{ entity: 'Desk', part: 'desk', code: 'not-found' }] });
});
