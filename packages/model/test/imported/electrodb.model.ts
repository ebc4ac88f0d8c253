import { z } from 'zod';
import { entity, model } from '../../src/index.ts';

// Read from the electrodb entities customer, order.
export const shop = model('Shop')
  // 1. What there is, and how it is related
  .entities({
    Customer: entity(
      {
        username: z.string(),
        email: z.string(),
        level: z.enum(['gold', 'silver']).default('silver'),
        tags: z.set(z.string()).optional(),
        address: z.object({ street: z.string(), zip: z.string().optional() }).optional(),
        // electrodb takes items for its own by this
        edbVersion: z.literal('1').default('1'),
      },
      { same: { email: 'lower', username: 'lower' } },
    ),
    Order: entity(
      {
        username: z.string(),
        number: z.number(),
        status: z.enum(['PLACED', 'SHIPPED']),
        note: z.string().optional(),
        // electrodb takes items for its own by this
        edbVersion: z.literal('2').default('2'),
      },
      { same: { username: 'lower' } },
    ),
  })
  .relationships([])

  // 2. What the application needs: so far only what the keys can serve
  .patterns({
    putCustomer: { puts: 'Customer' },
    customer: { reads: 'Customer', by: ['username'] },
    deleteCustomer: { deletes: 'Customer', by: ['username'] },
    customersByGsi1: { reads: ['Customer'], by: ['email'], limit: 25 },
    putOrder: { puts: 'Order' },
    order: { reads: 'Order', by: ['username', 'number'] },
    deleteOrder: { deletes: 'Order', by: ['username', 'number'] },
    ordersOfUsername: { reads: ['Order'], by: ['username'], limit: 25 },
    ordersByGsi1: { reads: ['Order'], by: ['status'], limit: 25 },
  })

  // 3. Keys and indexes
  .tables({
    Shop: { key: ['pk', 'sk'], indexes: { gsi1: ['gsi1pk', 'gsi1sk'] }, type: '__edb_e__' },
  })
  .keys(
    {
      Customer: {
        // electrodb: primary
        // in the collection account: entities of it may be read together, with reads: { … }
        Shop: ['$shop#username_{username:lower}', '$account#customer_1'],
        // electrodb: byEmail
        gsi1: ['$shop#email_{email:lower}', '$customer_1'],
      },
      Order: {
        // electrodb: primary
        // in the collection account: entities of it may be read together, with reads: { … }
        Shop: ['$shop#username_{username:lower}', '$account#order_2#number_{number:06}'],
        // electrodb: byStatus
        gsi1: ['STATUS#{status}', '$ORDER_2#NUMBER_{number:06}#USERNAME_{username:upper}'],
      },
    },
    {
      Customer: { type: 'customer', stored: { email: 'e', edbVersion: '__edb_v__' } },
      Order: { type: 'order', stored: { edbVersion: '__edb_v__' } },
    },
  )

  // 4. How each pattern is served
  .served({
    putCustomer: 'PutItem',
    customer: 'GetItem',
    deleteCustomer: 'DeleteItem',
    customersByGsi1: { query: 'gsi1' },
    putOrder: 'PutItem',
    order: 'GetItem',
    deleteOrder: 'DeleteItem',
    ordersOfUsername: { query: 'Shop' },
    ordersByGsi1: { query: 'gsi1' },
  });
