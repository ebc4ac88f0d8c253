import type { ScheduledEvent } from '../demo/schedule.ts';
import type { SeededRandom } from '../demo/seeded-random.ts';
import { ShopError } from './errors.ts';
import type { Shop } from './shop.ts';
import type { Address, NewOrder, OrderLine, OrderStatus } from './shop-objects.ts';

export const DAY_STARTS_AT = '2026-11-27T00:00:00Z';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_ENDS_AT_MS = Date.parse(DAY_STARTS_AT) + 24 * HOUR_MS;

/** How busy each hour is: quiet at night, a lunch break, the long evening. */
const HOUR_WEIGHTS = [1, 1, 0, 0, 0, 1, 2, 4, 6, 8, 9, 10, 14, 12, 9, 8, 9, 11, 14, 18, 20, 16, 10, 4];

/** One order in this many comes from a school: too many lines for one transaction. */
const SCHOOL_ORDER_EVERY = 1000;
const SCHOOL_ORDER_LINES = 250;

const FIRST_NAMES = [
  'Ada',
  'Boris',
  'Chinua',
  'Doris',
  'Emily',
  'Franz',
  'Gabriela',
  'Haruki',
  'Isabel',
  'Jorge',
] as const;
const LAST_NAMES = ['Achebe', 'Borges', 'Calvino', 'Dickinson', 'Eco', 'Frame', 'Gordimer', 'Heaney'] as const;
const CITIES = [
  { city: 'Omaha', state: 'NE' },
  { city: 'New York', state: 'NY' },
  { city: 'Portland', state: 'OR' },
  { city: 'Austin', state: 'TX' },
] as const;
const BOOKS = [
  { title: 'Go, Dog, Go!', cents: 972 },
  { title: 'Les Misérables', cents: 1464 },
  { title: 'The Castle', cents: 1150 },
  { title: 'One Hundred Years of Solitude', cents: 1695 },
  { title: 'Things Fall Apart', cents: 1320 },
  { title: 'The Name of the Rose', cents: 1875 },
  { title: 'Ficciones', cents: 1540 },
  { title: 'Invisible Cities', cents: 1399 },
] as const;

interface DayTally {
  placed: number;
  pieces: number;
  cents: number;
  shipped: number;
  delivered: number;
  cancelled: number;
  refused: number;
}

interface DayCustomer {
  readonly username: string;
  readonly name: string;
  readonly address: Address;
  email: string;
}

interface DaySetting {
  readonly shop: Shop;
  readonly random: SeededRandom;
  readonly orders: number;
  readonly customers: number;
}

interface Day {
  readonly events: readonly ScheduledEvent[];
  readonly usernames: readonly string[];
  /** Filled in while the events run. */
  readonly tally: Readonly<DayTally>;
}

/** Plans the events of a day in the shop. Sends nothing before the events run. */
export function planDay(setting: DaySetting): Day {
  const planner = new DayPlanner(setting);
  return { events: planner.plan(), usernames: planner.usernames, tally: planner.tally };
}

class DayPlanner {
  readonly tally: DayTally = { placed: 0, pieces: 0, cents: 0, shipped: 0, delivered: 0, cancelled: 0, refused: 0 };
  readonly #shop: Shop;
  readonly #random: SeededRandom;
  readonly #orderCount: number;
  readonly #customers: readonly DayCustomer[];
  readonly #events: ScheduledEvent[] = [];

  constructor({ shop, random, orders, customers }: DaySetting) {
    this.#shop = shop;
    this.#random = random;
    this.#orderCount = orders;
    this.#customers = Array.from({ length: customers }, (_, number) => this.#newCustomer(number + 1));
  }

  get usernames(): readonly string[] {
    return this.#customers.map(({ username }) => username);
  }

  plan(): readonly ScheduledEvent[] {
    const firstOrderAtMs = new Map(this.#customers.map((customer) => [customer, DAY_ENDS_AT_MS]));
    for (let number = 1; number <= this.#orderCount; number += 1) {
      const customer = this.#someCustomer();
      const atMs = this.#someTimeOfDay();
      if (customer) {
        firstOrderAtMs.set(customer, Math.min(firstOrderAtMs.get(customer) ?? atMs, atMs));
        this.#planVisit(customer, atMs, { forSchool: number % SCHOOL_ORDER_EVERY === 0 });
      }
    }
    for (const [customer, atMs] of firstOrderAtMs) {
      this.#planSignUp(customer, atMs - 10 * MINUTE_MS);
    }
    for (const customer of this.#customers.filter(() => this.#random.chance(0.1))) {
      this.#planHouseMove(customer, (firstOrderAtMs.get(customer) ?? DAY_ENDS_AT_MS) + MINUTE_MS);
    }
    return this.#events;
  }

  /** A new customer, perhaps after trying a name that is taken, saves an address. */
  #planSignUp(customer: DayCustomer, atMs: number): void {
    const { username, email, name, address } = customer;
    this.#add(customer, atMs, 'EC-01', async () => await this.#shop.createCustomer({ username, email, name }));
    this.#add(customer, atMs + MINUTE_MS, 'EC-02', async () => await this.#shop.saveAddress(username, 'Home', address));
    if (this.#random.chance(0.05)) {
      this.#add(customer, atMs + 2 * MINUTE_MS, 'EC-01', async () => {
        await this.#refused(async () => await this.#shop.createCustomer({ username, email: `second.${email}`, name }));
      });
    }
    if (this.#random.chance(0.03)) {
      this.#add(customer, atMs + 3 * MINUTE_MS, 'EC-01', async () => {
        await this.#refused(async () => await this.#shop.createCustomer({ username: `${username}-2`, email, name }));
      });
    }
  }

  /** Account page, checkout, order, order page; later the parcel goes out and arrives, or the order is cancelled. */
  #planVisit(customer: DayCustomer, atMs: number, { forSchool }: { readonly forSchool: boolean }): void {
    const { username } = customer;
    const visit = { orderId: '' };
    const order = forSchool ? this.#schoolOrder(customer) : this.#usualOrder(customer);

    this.#add(customer, atMs - 3 * MINUTE_MS, 'EC-06', async () => await this.#shop.viewAccount(username));
    this.#add(customer, atMs - MINUTE_MS, 'EC-09', async () => await this.#shop.findCustomer(username));
    this.#add(customer, atMs, 'EC-04', async () => {
      const placed = await this.#shop.placeOrder(order);
      visit.orderId = placed.orderId;
      this.tally.placed += 1;
      this.tally.pieces += placed.numberItems;
      this.tally.cents += Math.round(placed.amount * 100);
    });
    this.#add(customer, atMs + MINUTE_MS, 'EC-08', async () => await this.#shop.viewOrder(visit.orderId));
    if (this.#random.chance(0.15)) {
      this.#add(customer, atMs + 2 * MINUTE_MS, 'EC-07', async () => {
        await this.#shop.olderOrders(username, visit.orderId);
      });
    }

    const move = async (expected: OrderStatus, status: OrderStatus, count: 'shipped' | 'delivered' | 'cancelled') => {
      await this.#shop.changeOrderStatus({ username, orderId: visit.orderId, expected, status });
      this.tally[count] += 1;
    };
    if (this.#random.chance(0.05)) {
      this.#add(customer, atMs + 20 * MINUTE_MS, 'EC-05', async () => {
        await move('ACCEPTED', 'CANCELLED', 'cancelled');
      });
      return;
    }
    const shippedAtMs = atMs + this.#random.integer(30, 240) * MINUTE_MS;
    this.#add(customer, shippedAtMs, 'EC-05', async () => {
      await move('ACCEPTED', 'SHIPPED', 'shipped');
    });
    this.#add(customer, shippedAtMs + this.#random.integer(3, 12) * HOUR_MS, 'EC-05', async () => {
      await move('SHIPPED', 'DELIVERED', 'delivered');
    });
  }

  /** New address, old address deleted, new e-mail address, a name spelled out; and support looks up a customer. */
  #planHouseMove(customer: DayCustomer, atMs: number): void {
    const { username, name } = customer;
    const address = this.#newAddress();
    this.#add(customer, atMs, 'EC-02', async () => await this.#shop.saveAddress(username, 'New home', address));
    this.#add(customer, atMs + MINUTE_MS, 'EC-03', async () => await this.#shop.deleteAddress(username, 'Home'));
    this.#add(customer, atMs + 2 * MINUTE_MS, 'EC-11', async () => {
      const newEmail = `${username}@new-home.example`;
      await this.#shop.changeEmail({ username, oldEmail: customer.email, newEmail });
      customer.email = newEmail;
    });
    this.#add(customer, atMs + 3 * MINUTE_MS, 'EC-12', async () => {
      await this.#shop.updateProfile(username, { name: `${name} (moved)` });
    });
    this.#add(customer, atMs + 4 * MINUTE_MS, 'EC-10', async () => await this.#shop.findEmailOwner(customer.email));
  }

  /** Events that would happen after midnight are left to the next day. */
  #add(customer: DayCustomer, atMs: number, patternId: string, act: () => Promise<unknown>): void {
    if (atMs < DAY_ENDS_AT_MS) {
      this.#events.push({ atMs, patternId, person: customer, act });
    }
  }

  async #refused(attempt: () => Promise<unknown>): Promise<void> {
    try {
      await attempt();
    } catch (error) {
      if (!(error instanceof ShopError)) {
        throw error;
      }
      this.tally.refused += 1;
    }
  }

  #newCustomer(number: number): DayCustomer {
    const [firstName, lastName] = [this.#random.pick(FIRST_NAMES), this.#random.pick(LAST_NAMES)];
    const username = `${firstName}.${lastName}${number}`.toLowerCase();
    return {
      username,
      name: `${firstName} ${lastName}`,
      email: `${username}@mail.example`,
      address: this.#newAddress(),
    };
  }

  #newAddress(): Address {
    return {
      street: `${this.#random.integer(1, 999)} ${this.#random.pick(LAST_NAMES)} Street`,
      ...this.#random.pick(CITIES),
    };
  }

  /** A few customers order often, many order once. */
  #someCustomer(): DayCustomer | undefined {
    return this.#customers[Math.floor(this.#random.fraction() ** 2 * this.#customers.length)];
  }

  #someTimeOfDay(): number {
    const hour = this.#random.weightedIndex(HOUR_WEIGHTS);
    return Date.parse(DAY_STARTS_AT) + hour * HOUR_MS + Math.floor(this.#random.fraction() * HOUR_MS);
  }

  #usualOrder(customer: DayCustomer): NewOrder {
    return this.#order(customer, this.#random.weightedIndex([40, 30, 15, 10, 5]) + 1);
  }

  #schoolOrder(customer: DayCustomer): NewOrder {
    return this.#order(customer, SCHOOL_ORDER_LINES);
  }

  #order(customer: DayCustomer, lineCount: number): NewOrder {
    const lines = Array.from({ length: lineCount }, (_, number): OrderLine => {
      const { title, cents } = this.#random.pick(BOOKS);
      const quantity = this.#random.chance(0.2) ? this.#random.integer(2, 3) : 1;
      const condition = this.#random.pick(['New', 'Used']);
      return {
        itemId: String(number + 1).padStart(4, '0'),
        description: title,
        price: cents / 100,
        quantity,
        condition,
      };
    });
    const subtotal = lines.reduce((sum, { price, quantity = 1 }) => sum + Math.round(price * 100) * quantity, 0);
    const salesTax = Math.round(subtotal * 0.07);
    const shipping = subtotal > 5000 ? 0 : 499;
    return {
      username: customer.username,
      subtotal: subtotal / 100,
      salesTax: salesTax / 100,
      shipping: shipping / 100,
      amount: (subtotal + salesTax + shipping) / 100,
      payment: {
        brand: this.#random.pick(['Visa', 'Mastercard']),
        lastFour: String(this.#random.integer(0, 9999)).padStart(4, '0'),
      },
      shippedTo: customer.address,
      lines,
    };
  }
}
