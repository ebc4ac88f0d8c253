import type { ItemOf } from '@singlet/model';
import { load, type LoadOptions } from '@singlet/model/samples';
import { isoSeconds } from '../clock.ts';
import { SeededRandom } from '../demo/seeded-random.ts';
import { encodeKsuid } from '../ksuid.ts';
import { shop } from './model.ts';

/** With a scale of 1: customers, most of them with a few orders, some with many. */
const CUSTOMERS = 2000;
const ORDERS_TYPICAL_MAX = 6;
const ORDERS_MANY = 300;
const LINES_MAX = 8;
const YEAR_SECONDS = 365 * 24 * 60 * 60;
const BEGINS_AT = Date.parse('2025-01-01T00:00:00Z') / 1000;

const TITLES = ['Go, Dog, Go!', 'Les Miserables', 'Middlemarch', 'The Odyssey', 'Persuasion', 'Moby Dick'] as const;
const CONDITIONS = ['New', 'Used', 'Very good'] as const;
const STREETS = ['Elm', 'Cedar', 'Maple', 'Mill', 'Lincoln', 'Prospect'] as const;
const CITIES = [
  { City: 'Omaha', State: 'NE' },
  { City: 'New York', State: 'NY' },
  { City: 'Portland', State: 'OR' },
] as const;

type Entities = typeof shop.entities;
type Customer = ItemOf<Entities['Customer']>;
type Order = ItemOf<Entities['Order']>;
type OrderItem = ItemOf<Entities['OrderItem']>;

/**
 * Fills a table with a year of a shop: customers with their addresses and reservations of e-mail addresses, orders and
 * their lines. The same every time.
 *
 * @param options.scale - 1 is 2,000 customers with some 10,000 orders and 45,000 lines.
 */
export async function seedShop({
  client,
  tableName,
  scale,
  onItems,
}: Pick<LoadOptions, 'client' | 'onItems'> & { readonly tableName: string; readonly scale: number }): Promise<{
  readonly customers: number;
  readonly orders: number;
  readonly lines: number;
}> {
  const options = { client, tables: { EcommerceTable: tableName }, ...(onItems !== undefined && { onItems }) };
  const sample = sampleShop(scale);
  const customers = sample.map(({ customer }) => customer);
  const placed = sample.flatMap(({ orders }) => orders);
  await load(
    shop,
    'CustomerEmail',
    customers.map(({ email, username }) => ({ email, username })),
    options,
  );
  const orders = placed.map(({ order }) => order);
  const lines = placed.flatMap((each) => each.lines);
  return {
    customers: await load(shop, 'Customer', customers, options),
    orders: await load(shop, 'Order', orders, options),
    lines: await load(shop, 'OrderItem', lines, options),
  };
}

/** Customers with their orders, each with its lines. */
export function sampleShop(
  scale: number,
): readonly { readonly customer: Customer; readonly orders: readonly SampleOrder[] }[] {
  return Array.from({ length: Math.ceil(CUSTOMERS * scale) }, (_, number) => {
    const customer = sampleCustomer(number);
    return { customer, orders: sampleOrders(customer, number) };
  });
}

interface SampleOrder {
  readonly order: Order;
  readonly lines: readonly OrderItem[];
}

function sampleCustomer(number: number): Customer {
  const random = new SeededRandom(number);
  const username = `reader${String(number).padStart(5, '0')}`;
  const home = { Street: `${random.integer(1, 999)} ${random.pick(STREETS)} Street`, ...random.pick(CITIES) };
  const work = { Street: `${random.integer(1, 999)} Broadway`, ...random.pick(CITIES) };
  return {
    username,
    email: `${username}@example.com`,
    name: `Reader ${number}`,
    addresses: random.chance(0.3) ? { Home: home, Work: work } : { Home: home },
    createdAt: isoSeconds(BEGINS_AT),
  };
}

function sampleOrders(customer: Customer, number: number): readonly SampleOrder[] {
  const random = new SeededRandom(1_000_000 + number);
  const count = number % 200 === 0 ? ORDERS_MANY : random.integer(0, ORDERS_TYPICAL_MAX);
  return Array.from({ length: count }, () => {
    const epochSeconds = BEGINS_AT + random.integer(1, YEAR_SECONDS);
    const orderId = encodeKsuid({ epochSeconds, payload: random.bytes(16) });
    const lines = Array.from({ length: random.integer(1, LINES_MAX) }, (_, line) => sampleLine(orderId, line, random));
    const cents = lines.reduce((sum, { price, quantity = 1 }) => sum + Math.round(100 * price) * quantity, 0);
    return {
      order: {
        orderId,
        username: customer.username,
        createdAt: isoSeconds(epochSeconds),
        status: random.pick(['ACCEPTED', 'SHIPPED', 'DELIVERED', 'DELIVERED', 'CANCELLED'] as const),
        amount: (cents + 495) / 100,
        numberItems: lines.reduce((sum, { quantity = 1 }) => sum + quantity, 0),
        subtotal: cents / 100,
        shipping: 4.95,
        payment: { Brand: 'Visa', LastFour: String(random.integer(1000, 9999)) },
        ...(customer.addresses['Home'] && { shippedTo: customer.addresses['Home'] }),
      },
      lines,
    };
  });
}

function sampleLine(orderId: string, line: number, random: SeededRandom): OrderItem {
  return {
    orderId,
    itemId: `item-${line}`,
    description: random.pick(TITLES),
    price: random.integer(300, 4000) / 100,
    condition: random.pick(CONDITIONS),
    quantity: random.integer(1, 3),
  };
}
