// What reading costs beyond the answer itself: a page of a pattern, compared with the SDK's own unmarshalling of its items.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { connect, entity, model } from '@singlet/model';
import { z } from 'zod';
import type { Calls } from './cpu-time.ts';

export const itemsPerPage = 100;

const text = z.string();
const flat = { customer: text, orderId: text, status: text, amount: z.number(), city: text };
const nested = {
  ...flat,
  tags: z.set(text),
  lines: z.array(z.object({ sku: text, count: z.number(), price: z.number(), gift: z.boolean() })),
  address: z.object({ street: text, zip: text, at: z.object({ latitude: z.number(), longitude: z.number() }) }),
};

const order = { customer: 'alexdebrie', orderId: '1VrgXBQ0VCshuQUnh1HrDIHQNWY', status: 'PLACED', amount: 67.43 };
const flatOrder = { ...order, city: 'Omaha' };
const nestedOrder = {
  ...flatOrder,
  tags: new Set(['gift', 'express']),
  lines: [1, 2, 3, 4, 5].map((count) => ({ sku: `SKU-${count}`, count, price: 1.5 * count, gift: count > 3 })),
  address: { street: '1 Main Street', zip: '68102', at: { latitude: 41.25, longitude: -95.93 } },
};

/** Reading one page through a pattern, and unmarshalling the items of the same page. */
export function readingCalls(): Readonly<Record<'flat' | 'nested', Calls>> {
  return { flat: callsFor(flat, flatOrder), nested: callsFor(nested, nestedOrder) };
}

function callsFor(attributes: typeof flat, values: object): Calls {
  const stored = { PK: 'CUSTOMER#alexdebrie', SK: 'ORDER#1VrgXBQ0VCshuQUnh1HrDIHQNWY', Type: 'Order', ...values };
  const Items = Array.from({ length: itemsPerPage }, () => marshall(stored));
  // The only part of a client that a pattern uses. The answer is already in memory, so only its processing is measured.
  const client = { send: async () => Promise.resolve({ Items }) } as unknown as DynamoDBClient;
  const db = connect(pageModel(attributes), { client });
  return {
    singlet: async () => db.page({ customer: 'alexdebrie' }),
    unmarshall: () => Items.map((item) => unmarshall(item)),
  };
}

function pageModel(attributes: typeof flat) {
  return model('reading')
    .entities({ Order: entity(attributes) })
    .relationships([])
    .patterns({ page: { reads: ['Order'], by: ['customer'], order: 'orderId asc' } })
    .tables({ Shop: { key: ['PK', 'SK'] } })
    .keys({ Order: { Shop: ['CUSTOMER#{customer}', 'ORDER#{orderId}'] } })
    .served({ page: { query: 'Shop' } });
}
