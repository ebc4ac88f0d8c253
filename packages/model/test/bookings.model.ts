import * as v from 'valibot';
import { z } from 'zod';
import { codec, entity, model, ref } from '../src/index.ts';

/** As a codec of zod, and as two functions. */
export const isoTime = z.codec(z.iso.datetime({ precision: 3 }), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});
export const time = codec(z.iso.datetime({ precision: 3 }), isoTime);
const seconds = {
  decode: (stored: number) => new Date(stored * 1000),
  encode: (date: Date) => date.getTime() / 1000,
};

const booking = {
  room: z.string().regex(/^[a-z]+$/),
  from: time,
  until: codec(v.optional(v.pipe(v.number(), v.integer())), seconds),
  seen: codec(z.iso.datetime({ precision: 3 }).optional(), isoTime),
  guest: z
    .string()
    .regex(/^[a-z]+$/)
    .optional(),
  made: codec(z.iso.datetime({ precision: 3 }).default('2020-01-01T00:00:00.000Z'), isoTime),
};

export const bookings = model('bookings')
  .entities({ Booking: entity(booking, { expires: 'until', unique: ['seen'] }) })
  .relationships([])
  .patterns({
    book: { creates: 'Booking' },
    bookAll: { creates: ['Booking'] },
    save: { upserts: 'Booking' },
    see: {
      updates: 'Booking',
      by: ['room', 'from'],
      sets: ['seen'],
      given: { made: { below: ref('now') } },
      takes: { now: time },
    },
    cancel: { deletes: 'Booking', by: ['room', 'from'] },
    change: { transacts: { old: { deletes: 'Booking', by: ['room', 'from'] }, next: { creates: 'Booking' } } },
    booking: { reads: 'Booking', by: ['room', 'from'] },
    some: { reads: 'Booking', by: ['room', 'from'], each: true },
    ofRoom: { reads: ['Booking'], by: ['room'], range: 'from', order: 'from asc', filters: ['made'] },
    countOf: { reads: ['Booking'], by: ['room'], range: 'from', count: true },
  })
  .tables({ Bookings: { key: ['PK', 'SK'] } })
  .keys({ Booking: { Bookings: ['ROOM#{room}', 'FROM#{from}'] } })
  .served({
    book: 'TransactWriteItems',
    bookAll: 'TransactWriteItems',
    save: ['GetItem', 'TransactWriteItems'],
    see: ['GetItem', 'TransactWriteItems'],
    cancel: ['GetItem', 'TransactWriteItems'],
    change: ['GetItem', 'TransactWriteItems'],
    booking: 'GetItem',
    some: 'BatchGetItem',
    ofRoom: { query: 'Bookings' },
    countOf: { query: 'Bookings' },
  });
