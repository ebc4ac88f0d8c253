/** The source of a model that passes every check: two entities, and the patterns that most tables begin with. */
export function starterModel(name: string): string {
  return `import { entity, model } from '@singlet/model';
import { z } from 'zod';

// Ids without the separator of keys: no value can be taken for another.
const id = z.string().regex(/^[a-z0-9-]+$/);
// In one case, so that an address is unique however it is typed.
const email = z.string().regex(/^[a-z0-9._+-]+@[a-z0-9.-]+$/);

export const ${name} = model('${name}')
  // 1. What there is, and how it is related
  .entities({
    Customer: entity(
      { customerId: id, email, name: z.string() },
      { unique: ['email'], examples: { customerId: ['ada', 'grace', 'linus'] } },
    ),
    Order: entity({
      customerId: id,
      orderId: id,
      placedAt: z.iso.datetime({ precision: 0 }),
      status: z.enum(['OPEN', 'SHIPPED']).default('OPEN'),
      amount: z.number(),
    }),
  })
  .relationships([['Customer', '1:N', 'Order', { required: true }]])

  // 2. What the application needs, in terms of attributes: who calls it, and how often per second
  .patterns({
    signUp: { actor: 'customer', creates: 'Customer', rate: 1 },
    customer: { actor: 'customer', reads: 'Customer', by: ['customerId'], rate: 20 },
    placeOrder: { actor: 'customer', creates: 'Order', rate: 5 },
    customerWithOrders: {
      actor: 'customer',
      reads: { customer: 'Customer', orders: ['Order'] },
      by: ['customerId'],
      order: 'placedAt desc',
      limit: 10,
      rate: 50,
    },
    openOrders: {
      actor: 'warehouse',
      reads: ['Order'],
      by: ['customerId'],
      where: { status: 'OPEN' },
      order: 'placedAt asc',
      limit: 20,
      rate: 2,
    },
    ship: {
      actor: 'warehouse',
      updates: 'Order',
      by: ['customerId', 'placedAt', 'orderId'],
      changes: { status: 'SHIPPED' },
      given: { status: 'OPEN' },
      rate: 5,
    },
  })

  // 3. Keys and indexes: '#' sorts before 'C', so that a customer comes before the newest orders, read descending
  .tables({ Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Customer: { Shop: ['CUSTOMER#{customerId}', 'CUSTOMER#{customerId}'] },
    Order: {
      Shop: ['CUSTOMER#{customerId}', '#ORDER#{placedAt}#{orderId}'],
      // Only open orders are in this index.
      GSI1: { when: { status: 'OPEN' }, key: ['OPEN#{customerId}', 'ORDER#{placedAt}#{orderId}'] },
    },
  })

  // 4. How each pattern is served: singlet check proves it
  .served({
    signUp: 'TransactWriteItems', // the customer and the guard of the e-mail address
    customer: 'GetItem',
    placeOrder: 'TransactWriteItems', // the order and a look at the customer
    customerWithOrders: { query: 'Shop' },
    openOrders: { query: 'GSI1' },
    ship: 'UpdateItem',
  });
`;
}
