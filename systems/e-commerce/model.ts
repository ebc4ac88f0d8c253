import { entity, model, ref, remove } from '@singlet/model';
import { z } from 'zod';

/** Saved addresses per customer: few enough that they fit on the customer's item. */
export const ADDRESSES_MAX = 20;

/** A reserved e-mail address: its spellings are one address. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

// Inside items, documents keep their stored names.
const address = z.object({
  Street: z.string(),
  City: z.string(),
  State: z.string(),
  PostalCode: z.string().optional(),
  Country: z.string().optional(),
  Recipient: z.string().optional(),
});

const money = z.number();
const label = z.string().min(1);
const ORDER_STATUSES = ['ACCEPTED', 'SHIPPED', 'DELIVERED', 'CANCELLED'] as const;

/** An order of many lines becomes visible last. Until then it does not exist. */
const orderIsOpen = {
  checks: 'Order',
  by: ['username', 'orderId'],
  given: { orderId: { exists: false } },
  mustExist: false,
} as const;
const storedLines = { creates: ['OrderItem'] } as const;

/** Customers and orders of a book shop. */
export const shop = model('e-commerce')
  // 1. What there is, and how it is related
  .entities({
    Customer: entity(
      {
        username: z.string().min(1),
        email: z.string().min(1),
        name: z.string(),
        /** By the customer's name for it, such as "Home". */
        addresses: z.record(z.string(), address).default({}),
        createdAt: z.iso.datetime(),
      },
      { expects: { items: 1_000_000, bytes: 600 } },
    ),
    /** Reserves an e-mail address for one customer. */
    CustomerEmail: entity(
      { email: z.string().transform(normalEmail).pipe(z.string()), username: z.string().min(1) },
      { same: { email: ['trim', 'lower'] }, expects: { items: 1_000_000, bytes: 150 } },
    ),
    Order: entity(
      {
        /** A KSUID, so that orders sort by time; never given twice. */
        orderId: z.string().length(27),
        username: z.string(),
        createdAt: z.iso.datetime(),
        status: z.enum(ORDER_STATUSES),
        amount: money,
        numberItems: z.int(),
        subtotal: money.optional(),
        salesTax: money.optional(),
        shipping: money.optional(),
        payment: z.object({ Brand: z.string(), LastFour: z.string() }).optional(),
        /** A copy, so that a later edit of the saved address does not rewrite history. */
        shippedTo: address.optional(),
      },
      { generated: ['orderId'], expects: { items: 10_000_000, bytes: 500 } },
    ),
    OrderItem: entity(
      {
        orderId: z.string().length(27),
        itemId: z.string().min(1),
        description: z.string(),
        price: money,
        condition: z.string().optional(),
        origin: z.string().optional(),
        quantity: z.int().optional(),
      },
      { expects: { items: 30_000_000, bytes: 250 } },
    ),
  })
  .relationships([
    ['Customer', '1:1', 'CustomerEmail'],
    ['Customer', '1:N', 'Order', { required: true }],
    ['Order', '1:N', 'OrderItem'],
  ])

  // 2. What the application needs
  .patterns({
    signUp: {
      id: 'EC-01',
      actor: 'customer',
      transacts: { customer: { creates: 'Customer' }, reservation: { creates: 'CustomerEmail' } },
      rate: 2,
      strategy: 'S-65',
    },
    saveAddress: {
      id: 'EC-02',
      actor: 'customer',
      updates: 'Customer',
      by: ['username'],
      takes: { label, address },
      changes: { 'addresses.{label}': ref('address') },
      given: { any: [{ 'addresses.{label}': { exists: true } }, { addresses: { size: { below: ADDRESSES_MAX } } }] },
      rate: 1,
      strategy: 'S-27',
    },
    deleteAddress: {
      id: 'EC-03',
      actor: 'customer',
      updates: 'Customer',
      by: ['username'],
      takes: { label },
      changes: { 'addresses.{label}': remove() },
      rate: 0.2,
    },
    deleteExistingAddress: {
      id: 'EC-03',
      actor: 'customer',
      note: 'where the customer is to hear that there was none',
      updates: 'Customer',
      by: ['username'],
      takes: { label },
      changes: { 'addresses.{label}': remove() },
      given: { 'addresses.{label}': { exists: true } },
      rate: 0.2,
    },
    placeOrder: {
      id: 'EC-04',
      actor: 'customer',
      transacts: { order: { creates: 'Order' }, lines: { creates: ['OrderItem'] } },
      rate: 30,
      volume: { typical: 3 },
    },
    storeFirstLines: {
      id: 'EC-04',
      actor: 'customer',
      note: 'of an order larger than a transaction, before the order itself',
      transacts: { order: orderIsOpen, customer: { checks: 'Customer', by: ['username'] }, lines: storedLines },
      rate: 0.1,
    },
    storeLines: {
      id: 'EC-04',
      actor: 'customer',
      note: 'the lines after the first',
      transacts: { order: orderIsOpen, lines: storedLines },
      rate: 0.1,
    },
    finishOrder: {
      id: 'EC-04',
      actor: 'customer',
      note: 'once all its lines are stored',
      creates: 'Order',
      rate: 0.1,
    },
    changeStatus: {
      id: 'EC-05',
      actor: 'warehouse',
      updates: 'Order',
      by: ['username', 'orderId'],
      sets: ['status'],
      rate: 60,
    },
    changeStatusFrom: {
      id: 'EC-05',
      actor: 'warehouse',
      note: 'in an orderly transition',
      updates: 'Order',
      by: ['username', 'orderId'],
      sets: ['status'],
      takes: { expected: z.enum(ORDER_STATUSES) },
      given: { status: ref('expected') },
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
      strategy: 'S-29',
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
      strategy: 'S-67',
    },
    orderWithItems: {
      id: 'EC-08',
      actor: 'customer',
      reads: { order: 'Order', lines: ['OrderItem'] },
      by: ['orderId'],
      order: 'itemId desc',
      rate: 200,
      volume: { typical: 4, most: 1000 },
      strategy: 'S-30',
    },
    customer: { id: 'EC-09', actor: 'customer', reads: 'Customer', by: ['username'], rate: 100 },
    emailOwner: { id: 'EC-10', actor: 'support', reads: 'CustomerEmail', by: ['email'], rate: 1 },
    changeEmail: {
      id: 'EC-11',
      actor: 'customer',
      transacts: {
        taken: { creates: 'CustomerEmail' },
        released: {
          deletes: 'CustomerEmail',
          by: ['email'],
          takes: { owner: label },
          given: { username: ref('owner') },
        },
        customer: {
          updates: 'Customer',
          by: ['username'],
          sets: ['email'],
          takes: { oldEmail: z.string() },
          given: { email: ref('oldEmail') },
        },
      },
      rate: 0.1,
    },
    respellEmail: {
      id: 'EC-11',
      actor: 'customer',
      note: 'where both spellings have one reservation',
      updates: 'Customer',
      by: ['username'],
      sets: ['email'],
      takes: { oldEmail: z.string() },
      given: { email: ref('oldEmail') },
      rate: 0.1,
    },
    rename: { id: 'EC-12', actor: 'customer', updates: 'Customer', by: ['username'], sets: ['name'], rate: 0.1 },
  })

  // 3. Keys and indexes
  .tables({ EcommerceTable: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys(
    {
      Customer: { EcommerceTable: ['CUSTOMER#{username:rest}', 'CUSTOMER#{username:rest}'] },
      CustomerEmail: {
        EcommerceTable: ['CUSTOMEREMAIL#{email:trim:lower:rest}', 'CUSTOMEREMAIL#{email:trim:lower:rest}'],
      },
      // '#' sorts before every letter: read backwards, the customer comes first and then the newest orders.
      Order: {
        EcommerceTable: ['CUSTOMER#{username:rest}', '#ORDER#{orderId}'],
        GSI1: ['ORDER#{orderId}', 'ORDER#{orderId}'],
      },
      // Not in the customer's collection: there they would be between the orders.
      OrderItem: {
        EcommerceTable: ['ORDER#{orderId}#ITEM#{itemId:rest}', 'ORDER#{orderId}#ITEM#{itemId:rest}'],
        GSI1: ['ORDER#{orderId}', 'ITEM#{itemId:rest}'],
      },
    },
    {
      Customer: {
        stored: {
          username: 'Username',
          email: 'Email',
          name: 'Name',
          addresses: 'Addresses',
          createdAt: 'CreatedAt',
        },
      },
      CustomerEmail: { stored: { email: 'Email', username: 'Username' } },
      Order: {
        stored: {
          orderId: 'OrderId',
          username: 'Username',
          createdAt: 'CreatedAt',
          status: 'Status',
          amount: 'Amount',
          numberItems: 'NumberItems',
          subtotal: 'Subtotal',
          salesTax: 'SalesTax',
          shipping: 'Shipping',
          payment: 'Payment',
          shippedTo: 'ShippedTo',
        },
      },
      OrderItem: {
        stored: {
          orderId: 'OrderId',
          itemId: 'ItemId',
          description: 'Description',
          price: 'Price',
          condition: 'Condition',
          origin: 'Origin',
          quantity: 'Quantity',
        },
      },
    },
  )

  // 4. How each pattern is served
  .served({
    signUp: 'TransactWriteItems',
    saveAddress: 'UpdateItem',
    deleteAddress: 'UpdateItem',
    deleteExistingAddress: 'UpdateItem',
    placeOrder: 'TransactWriteItems',
    storeFirstLines: 'TransactWriteItems',
    storeLines: 'TransactWriteItems',
    finishOrder: 'TransactWriteItems',
    changeStatus: 'UpdateItem',
    changeStatusFrom: 'UpdateItem',
    customerWithOrders: { query: 'EcommerceTable' },
    olderOrders: { query: 'EcommerceTable' },
    orderWithItems: { query: 'GSI1' },
    customer: 'GetItem',
    emailOwner: 'GetItem',
    changeEmail: 'TransactWriteItems',
    respellEmail: 'UpdateItem',
    rename: 'UpdateItem',
  });
