import { entity, model } from '@singlet/model';
import { type Prices, prices as published } from '@singlet/model/cost';
import { z } from 'zod';

const id = z.string().regex(/^[a-z0-9]+$/);

/** S-70 Readings of a meter: one write each, whose size decides how many units it takes. */
export const readings = model('readings')
  .entities({ Reading: entity({ meter: id, readingId: id, at: z.iso.datetime(), samples: z.string() }) })
  .relationships([])
  .patterns({
    record: { creates: 'Reading' },
    ofMeter: { reads: ['Reading'], by: ['meter'], limit: 20 },
  })
  .tables({ Readings: { key: ['PK', 'SK'] } })
  .keys({ Reading: { Readings: ['METER#{meter}', 'READING#{readingId}'] } })
  .served({ record: 'PutItem', ofMeter: { query: 'Readings' } });

/**
 * S-70 Capacity on demand while the traffic is unknown or bursty, provisioned if it is known and even. Provisioned capacity covers the
 * busiest hour and is paid for in every hour; on demand, each unit is paid once.
 * @param hours - write units per second, measured in each hour of a day.
 */
export function capacityMode(hours: readonly number[], prices: Prices = published): 'on demand' | 'provisioned' {
  const onDemand = (hours.reduce((sum, units) => sum + units * 3600, 0) / 1e6) * prices.millionWriteUnits;
  const provisioned = Math.ceil(Math.max(...hours)) * hours.length * prices.writeUnitHour;
  return onDemand <= provisioned ? 'on demand' : 'provisioned';
}

/** S-77 A list of items with a large attribute is read from an index that leaves it out; the details come by GetItem. */
export const gallery = model('gallery')
  .entities({ Picture: entity({ album: id, pictureId: id, title: z.string(), image: z.instanceof(Uint8Array) }) })
  .relationships([])
  .patterns({
    upload: { creates: 'Picture', rate: 5 },
    list: {
      reads: ['Picture'],
      by: ['album'],
      attributes: ['pictureId', 'title'],
      limit: 50,
      rate: 50,
      strategy: 'S-77',
    },
    whole: { reads: ['Picture'], by: ['album'], limit: 50 },
    picture: { reads: 'Picture', by: ['album', 'pictureId'], rate: 20 },
  })
  .tables({
    Gallery: {
      key: ['PK', 'SK'],
      indexes: { GSI1: { partition: ['GSI1PK'], sort: ['GSI1SK'], project: ['pictureId', 'title', 'Type'] } },
    },
  })
  .keys({
    Picture: { Gallery: ['ALBUM#{album}', 'PICTURE#{pictureId}'], GSI1: ['ALBUM#{album}', 'PICTURE#{pictureId}'] },
  })
  .served({ upload: 'PutItem', list: { query: 'GSI1' }, whole: { query: 'Gallery' }, picture: 'GetItem' });

/** S-78 A key that would be too hot is spread over ten: the suffix is computed, and reads merge all of them. */
export const events = model('events')
  .entities({ Event: entity({ eventId: id, day: z.iso.date(), at: z.iso.datetime() }) })
  .relationships([])
  .patterns({
    record: { creates: 'Event', rate: 5000 },
    ofDay: { reads: ['Event'], by: ['day'], order: 'at asc', limit: 100, rate: 1, strategy: 'S-78' },
    ofDayUnsharded: { reads: ['Event'], by: ['day'], order: 'at asc', limit: 100 },
  })
  .tables({ Events: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'], Unsharded: ['day', 'orderedAt'] } } })
  .keys({
    Event: {
      Events: ['EVENT#{eventId}', 'EVENT#{eventId}'],
      GSI1: ['DAY#{day}#{eventId:shard10}', '{at:utc}#{eventId}'],
      Unsharded: ['{day}', '{at:utc}#{eventId}'], // only for comparison
    },
  })
  .served({ record: 'PutItem', ofDay: { query: 'GSI1', fanOut: 10 }, ofDayUnsharded: { query: 'Unsharded' } });

/** S-79 The consumed capacity, as DynamoDB reports it in its answers. */
export interface Consumption {
  readonly tenant: string;
  readonly units: number;
}

/** S-79 Units of each tenant: the table's bill, divided by the tenant that caused it. */
export function chargeBack(consumed: readonly Consumption[]): ReadonlyMap<string, number> {
  const totals = new Map<string, number>();
  for (const { tenant, units } of consumed) totals.set(tenant, (totals.get(tenant) ?? 0) + units);
  return totals;
}

/** S-80 Whether an item collection is so large that its growth must stop. With local indexes its size is limited. */
export function isCollectionLarge(sizeBytes: number, limitBytes: number, share: number = 0.75): boolean {
  return sizeBytes >= share * limitBytes;
}
