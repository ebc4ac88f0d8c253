import { z } from 'zod';
import { entity, model, ref } from '../src/index.ts';

const address = z.object({ street: z.string(), city: z.string(), state: z.string() });
const orderStatus = z.enum(['ACCEPTED', 'SHIPPED', 'DELIVERED', 'CANCELLED']);

/** Customers and orders: the shop of the e-commerce system. */
export const shop = model('shop')
  // 1. What there is, and how it is related
  .entities({
    Customer: entity(
      {
        username: z.string(),
        email: z.email(),
        name: z.string(),
        addresses: z.record(z.string(), address).default({}),
        createdAt: z.string(),
      },
      { unique: ['email'], same: { email: ['trim', 'lower'] } },
    ),
    Order: entity(
      {
        username: z.string(),
        orderId: z.string(),
        createdAt: z.string(),
        status: orderStatus.default('ACCEPTED'),
        amount: z.number(),
        numberItems: z.number().int(),
      },
      { generated: ['orderId'] },
    ),
    OrderItem: entity({
      orderId: z.string(),
      itemId: z.string(),
      description: z.string(),
      price: z.number(),
      quantity: z.number().int().optional(),
    }),
  })
  .relationships([
    ['Customer', '1:N', 'Order', { required: true }],
    ['Order', '1:N', 'OrderItem'],
  ])

  // 2. What the application needs
  .patterns({
    createCustomer: { id: 'EC-01', actor: 'customer', creates: 'Customer', rate: 2 },
    saveAddress: {
      id: 'EC-02',
      actor: 'customer',
      updates: 'Customer',
      by: ['username'],
      takes: { label: z.string(), address },
      changes: { 'addresses.{label}': ref('address') },
      given: { any: [{ 'addresses.{label}': { exists: true } }, { addresses: { size: { below: 20 } } }] },
      rate: 1,
    },
    placeOrder: {
      id: 'EC-04',
      actor: 'customer',
      transacts: { order: { creates: 'Order' }, lines: { creates: ['OrderItem'] } },
      rate: 30,
    },
    setOrderStatus: {
      id: 'EC-05',
      actor: 'warehouse',
      updates: 'Order',
      by: ['username', 'orderId'],
      sets: ['status'],
      returns: 'new',
      rate: 60,
    },
    customerWithOrders: {
      id: 'EC-06',
      actor: 'customer',
      reads: { customer: 'Customer', orders: ['Order'] },
      by: ['username'],
      order: 'orderId desc',
      limit: 10,
      rate: 300,
      volume: { typical: 6, most: 300 },
    },
    olderOrders: {
      id: 'EC-07',
      actor: 'customer',
      reads: ['Order'],
      by: ['username'],
      range: 'orderId',
      order: 'orderId desc',
      limit: 10,
      rate: 40,
    },
    orderWithItems: {
      id: 'EC-08',
      actor: 'customer',
      reads: { order: 'Order', items: ['OrderItem'] },
      by: ['orderId'],
      order: 'itemId desc',
      rate: 200,
    },
    customer: { id: 'EC-09', actor: 'customer', reads: 'Customer', by: ['username'], rate: 100 },
    changeEmail: {
      id: 'EC-11',
      actor: 'customer',
      updates: 'Customer',
      by: ['username'],
      sets: ['email'],
      rate: 0.1,
    },
    rename: { id: 'EC-12', actor: 'customer', updates: 'Customer', by: ['username'], sets: ['name'], rate: 0.1 },
  })

  // 3. Keys and indexes
  .tables({ Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys(
    {
      Customer: { Shop: ['CUSTOMER#{username}', 'CUSTOMER#{username}'] },
      Order: {
        Shop: ['CUSTOMER#{username}', '#ORDER#{orderId}'],
        GSI1: ['ORDER#{orderId}', 'ORDER#{orderId}'],
      },
      OrderItem: {
        Shop: ['ORDER#{orderId}#ITEM#{itemId}', 'ORDER#{orderId}#ITEM#{itemId}'],
        GSI1: ['ORDER#{orderId}', 'ITEM#{itemId}'],
      },
    },
    {
      Customer: {
        unique: {
          email: {
            key: ['CUSTOMEREMAIL#{email:trim:lower}', 'CUSTOMEREMAIL#{email:trim:lower}'],
            type: 'CustomerEmail',
          },
        },
      },
    },
  )

  // 4. How each pattern is served
  .served({
    createCustomer: 'TransactWriteItems',
    saveAddress: 'UpdateItem',
    placeOrder: 'TransactWriteItems',
    setOrderStatus: 'UpdateItem',
    customerWithOrders: { query: 'Shop' },
    olderOrders: { query: 'Shop' },
    orderWithItems: { query: 'GSI1' },
    customer: 'GetItem',
    changeEmail: ['GetItem', 'TransactWriteItems'],
    rename: 'UpdateItem',
  });
