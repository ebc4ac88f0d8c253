import { z } from 'zod';
import { entity, model } from '../../src/index.ts';

// Shop: 120 items sampled, 4 kinds of item, told apart by the attribute Type: for 100 % it says how the key begins.
export const shop = model('shop')
  // 1. What there is, and how it is related
  .entities({
    // 30 of 120 items sampled; 97 % sure of its keys.
    OrderItem: entity({
      orderId: z.string(),
      itemId: z.string(),
      description: z.string(),
      price: z.number(),
      quantity: z.number(),
    }),
    // 30 of 120 items sampled; 97 % sure of its keys.
    Order: entity({
      username: z.string(),
      orderId: z.string(),
      createdAt: z.string(),
      // seen: SHIPPED, CANCELLED, DELIVERED, ACCEPTED
      status: z.string(),
      amount: z.number(),
      numberItems: z.number(),
    }),
    // 30 of 120 items sampled; 97 % sure of its keys.
    // email is unique: 30 items of type CustomerEmail guard it.
    Customer: entity(
      {
        username: z.string(),
        email: z.string(),
        name: z.string(),
        addresses: z.record(z.string(), z.unknown()),
        createdAt: z.string(),
      },
      { unique: ['email'] },
    ),
  })
  .relationships([])

  // 2. What the application needs: so far only what the keys can serve
  .patterns({
    putOrderItem: { puts: 'OrderItem' },
    orderItem: { reads: 'OrderItem', by: ['orderId', 'itemId'] },
    deleteOrderItem: { deletes: 'OrderItem', by: ['orderId', 'itemId'] },
    orderItemsByGSI1: { reads: ['OrderItem'], by: ['orderId'], limit: 25 },
    putOrder: { puts: 'Order' },
    order: { reads: 'Order', by: ['username', 'orderId'] },
    deleteOrder: { deletes: 'Order', by: ['username', 'orderId'] },
    ordersOfUsername: { reads: ['Order'], by: ['username'], limit: 25 },
    ordersByGSI1: { reads: ['Order'], by: ['orderId'], limit: 25 },
    createCustomer: { creates: 'Customer' },
    customer: { reads: 'Customer', by: ['username'] },
    deleteCustomer: { deletes: 'Customer', by: ['username'] },
  })

  // 3. Keys and indexes
  .tables({
    Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } },
  })
  .keys(
    {
      OrderItem: {
        // PK: 30 of 30 sampled items fit ORDER#{orderId}#ITEM#{itemId} (97 % sure)
        // SK: 30 of 30 sampled items fit ORDER#{orderId}#ITEM#{itemId} (97 % sure)
        Shop: ['ORDER#{orderId}#ITEM#{itemId}', 'ORDER#{orderId}#ITEM#{itemId}'],
        // GSI1PK: 30 of 30 sampled items fit ORDER#{orderId} (97 % sure)
        // GSI1SK: 30 of 30 sampled items fit ITEM#{itemId} (97 % sure)
        GSI1: ['ORDER#{orderId}', 'ITEM#{itemId}'],
      },
      Order: {
        // PK: 30 of 30 sampled items fit CUSTOMER#{username} (97 % sure)
        // SK: 30 of 30 sampled items fit #ORDER#{orderId} (97 % sure)
        Shop: ['CUSTOMER#{username}', '#ORDER#{orderId}'],
        // GSI1PK: 30 of 30 sampled items fit ORDER#{orderId} (97 % sure)
        // GSI1SK: 30 of 30 sampled items fit ORDER#{orderId} (97 % sure)
        GSI1: ['ORDER#{orderId}', 'ORDER#{orderId}'],
      },
      Customer: {
        // PK: 30 of 30 sampled items fit CUSTOMER#{username} (97 % sure)
        // SK: 30 of 30 sampled items fit CUSTOMER#{username} (97 % sure)
        Shop: ['CUSTOMER#{username}', 'CUSTOMER#{username}'],
      },
    },
    {
      Customer: {
        unique: { email: { key: ['CUSTOMEREMAIL#{email}', 'CUSTOMEREMAIL#{email}'], type: 'CustomerEmail' } },
      },
    },
  )

  // 4. How each pattern is served
  .served({
    putOrderItem: 'PutItem',
    orderItem: 'GetItem',
    deleteOrderItem: 'DeleteItem',
    orderItemsByGSI1: { query: 'GSI1' },
    putOrder: 'PutItem',
    order: 'GetItem',
    deleteOrder: 'DeleteItem',
    ordersOfUsername: { query: 'Shop' },
    ordersByGSI1: { query: 'GSI1' },
    createCustomer: 'TransactWriteItems',
    customer: 'GetItem',
    deleteCustomer: ['GetItem', 'TransactWriteItems'],
  });
