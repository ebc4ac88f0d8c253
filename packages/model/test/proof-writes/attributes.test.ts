import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { add, attribute, entity, model } from '../../src/index.ts';
import { openModel } from './open-model.ts';

/** Rooms of a night. The booked number has a default, because a later version added it. */
const hotel = model('hotel')
  .entities({
    Night: entity({ date: z.string(), booked: z.number().default(0), rooms: z.number(), spare: z.number().optional() }),
  })
  .relationships([])
  .patterns({
    open: { puts: 'Night' },
    night: { reads: 'Night', by: ['date'] },
    book: {
      updates: 'Night',
      by: ['date'],
      changes: { booked: add(1) },
      given: { booked: { below: attribute('rooms') } },
    },
    bookSpare: {
      updates: 'Night',
      by: ['date'],
      changes: { booked: add(1) },
      given: { booked: { atLeast: attribute('rooms') }, spare: { not: attribute('booked') } },
    },
    close: {
      deletes: 'Night',
      by: ['date'],
      given: { any: [{ booked: { equals: attribute('rooms') } }, { rooms: 0 }] },
      mustExist: true,
    },
  })
  .tables({ Hotel: { key: ['PK'], type: false } })
  .keys({ Night: { Hotel: ['NIGHT#{date}'] } })
  .served({ open: 'PutItem', night: 'GetItem', book: 'UpdateItem', bookSpare: 'UpdateItem', close: 'DeleteItem' });

describe('a condition between two attributes', () => {
  test('is one condition expression, and holds as the last room is booked', async () => {
    await using opened = await openModel(hotel);
    const { db } = opened;
    await db.open({ date: 'd', rooms: 2 });
    await db.book({ date: 'd' });
    await db.book({ date: 'd' });
    await expect(db.book({ date: 'd' })).rejects.toMatchObject({ code: 'condition-failed' });
    await db.bookSpare({ date: 'd' });
    expect(await db.night({ date: 'd' })).toMatchObject({ booked: 3, rooms: 2 });
    await expect(db.close({ date: 'd' })).rejects.toMatchObject({ code: 'condition-failed' });
  });

  test('takes the default of an item that was stored before there was one', async () => {
    await using opened = await openModel(hotel);
    const { db, database } = opened;
    const stored = (date: string, rooms: string) =>
      database.client.send(
        new PutItemCommand({
          TableName: 'Hotel',
          Item: { PK: { S: `NIGHT#${date}` }, date: { S: date }, rooms: { N: rooms } },
        }),
      );
    await stored('old', '1');
    await stored('none', '0');
    await db.book({ date: 'old' });
    await expect(db.book({ date: 'none' })).rejects.toMatchObject({ code: 'condition-failed' });
    // The default of one attribute equals the other, which is stored, so the two are equal.
    await database.client.send(
      new PutItemCommand({
        TableName: 'Hotel',
        Item: { PK: { S: 'NIGHT#same' }, date: { S: 'same' }, rooms: { N: '0' }, spare: { N: '0' } },
      }),
    );
    await expect(db.bookSpare({ date: 'same' })).rejects.toMatchObject({ code: 'condition-failed' });
    await db.close({ date: 'none' });
    await expect(db.close({ date: 'never' })).rejects.toMatchObject({ code: 'not-found' });
  });
});
