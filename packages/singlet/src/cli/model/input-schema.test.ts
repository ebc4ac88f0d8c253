import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { connect, entity, type Model, model, ready } from '@singlet/model';
import { shapeOfSchema } from '@singlet/model/bridges';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { inputSchema } from './input-schema.ts';
import type { PatternFunction } from './pattern-function.ts';

const shop = model('shop')
  .entities({
    Order: entity({
      customer: z.string().min(1),
      orderId: z.string().min(1),
      status: z.enum(['PLACED', 'SHIPPED']).default('PLACED'),
      amount: z.number().min(0),
      notes: z.array(z.string()).max(3).optional(),
      address: z.object({ street: z.string(), floor: z.int().optional() }).optional(),
      tags: z.set(z.string()).optional(),
    }),
  })
  .relationships([])
  .patterns({
    order: { reads: 'Order', by: ['customer', 'orderId'] },
    orders: { reads: ['Order'], by: ['customer'], range: 'orderId', limit: 10 },
    place: { creates: 'Order' },
    placeAll: { puts: ['Order'] },
    ship: { updates: 'Order', by: ['customer', 'orderId'], sets: ['amount'], maySet: ['address'] },
    both: { transacts: { first: { creates: 'Order' }, second: { deletes: 'Order', by: ['customer', 'orderId'] } } },
  })
  .tables({ Shop: { key: ['PK', 'SK'] } })
  .keys({ Order: { Shop: ['CUSTOMER#{customer}', 'ORDER#{orderId}'] } })
  .served({
    order: 'GetItem',
    orders: { query: 'Shop' },
    place: 'PutItem',
    placeAll: 'BatchWriteItem',
    ship: 'UpdateItem',
    both: 'TransactWriteItems',
  }) as unknown as Model;

const schemaOf = (pattern: string): object => inputSchema(shop, pattern, shapeOfSchema);

test('attributes describe themselves; inputs of keys are required, the ends of a range and what may be set are not', () => {
  const customer = { type: 'string', minLength: 1 };
  expect(schemaOf('order')).toEqual({
    type: 'object',
    properties: { customer, orderId: { type: 'string', minLength: 1 } },
    required: ['customer', 'orderId'],
  });
  expect(schemaOf('orders')).toEqual({
    type: 'object',
    properties: {
      customer,
      orderId: { type: 'object', properties: { from: customer, to: customer } },
    },
    required: ['customer'],
  });
  expect(schemaOf('ship')).toMatchObject({ required: ['customer', 'orderId', 'amount'] });
  expect(schemaOf('placeAll')).toMatchObject({
    type: 'array',
    items: {
      properties: { amount: { type: 'number', minimum: 0 }, tags: {} },
      required: ['customer', 'orderId', 'amount'],
    },
  });
  expect(schemaOf('both')).toMatchObject({ required: ['first', 'second'] });
});

const json = fc.oneof(
  fc.constantFrom('', 'ada', 'PLACED', 'LOST', 7, -1, 1.5, true, null),
  fc.constantFrom(
    ['a'],
    ['a', 'b', 'c', 'd'],
    [1],
    {},
    { street: 'Main' },
    { street: 'Main', floor: 1.5 },
    { street: 1 },
  ),
);
const good: Readonly<Record<string, unknown>> = { customer: 'ada', orderId: '1', amount: 7 };

test('a pattern accepts what its schema does, and nothing else but values for keys', async () => {
  const client = new DynamoDBClient({ region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
  const functions = (await ready(connect(shop, { client }))) as unknown as Readonly<Record<string, PatternFunction>>;
  const accepts = (pattern: string, input: unknown): boolean => {
    try {
      functions[pattern]?.request(input);
      return true;
    } catch (error) {
      if ((error as Error).name === 'InputError') return false;
      throw error;
    }
  };
  let accepted = 0;
  let refused = 0;
  fc.assert(
    fc.property(
      fc.constantFrom('order', 'place', 'ship'),
      fc.constantFrom('customer', 'orderId', 'status', 'amount', 'notes', 'address'),
      fc.option(json),
      (pattern, name, value) => {
        const schema = schemaOf(pattern) as { readonly properties: object };
        if (!Object.hasOwn(schema.properties, name)) return;
        const { [name]: _, ...others } = pattern === 'order' ? { customer: 'ada', orderId: '1' } : good;
        const input = value === null ? others : { ...others, [name]: value };
        const isMet = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(input).success;
        // Any value can be put into a key, and then there is no such item.
        const isKey = pattern !== 'place' && (name === 'customer' || name === 'orderId');
        if (!isKey || isMet)
          expect({ pattern, input, accepts: accepts(pattern, input) }).toEqual({ pattern, input, accepts: isMet });
        if (isMet) accepted += 1;
        else refused += 1;
      },
    ),
    { numRuns: 500 },
  );
  expect(Math.min(accepted, refused)).toBeGreaterThan(20);
});
