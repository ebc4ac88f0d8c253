import assert from 'node:assert/strict';
import { ManualClock } from '../clock.ts';
import type { Demo, Stage } from '../demo/demo.ts';
import { playEvents } from '../demo/schedule.ts';
import { SeededRandom } from '../demo/seeded-random.ts';
import { createKsuidGenerator } from '../ksuid.ts';
import { tableOf } from '../testing/model-tables.ts';
import { DAY_STARTS_AT, planDay } from './demo-day.ts';
import { shop as model } from './model.ts';
import { Shop } from './shop.ts';

const SEED = 42;
const CUSTOMERS_MAX = 500;

/** A day of a book shop, order by order; the same day in every run. */
export function ecommerceDemo(options: { readonly orders: number }): Demo {
  return {
    title: 'E-commerce: a day in a book shop',
    table: tableOf(model),
    patterns: [
      { id: 'EC-01', title: 'Create customer' },
      { id: 'EC-02', title: 'Create / update address' },
      { id: 'EC-03', title: 'Delete address' },
      { id: 'EC-04', title: 'Save order' },
      { id: 'EC-05', title: 'Update order' },
      { id: 'EC-06', title: 'Customer & most recent orders' },
      { id: 'EC-07', title: 'Older orders' },
      { id: 'EC-08', title: 'Order & order items' },
      { id: 'EC-09', title: 'Customer / addresses' },
      { id: 'EC-10', title: 'E-mail owner' },
      { id: 'EC-11', title: 'Change e-mail' },
      { id: 'EC-12', title: 'Update profile' },
    ],
    play: async (stage) => {
      await play(stage, options.orders);
    },
  };
}

async function play(stage: Stage, orders: number): Promise<void> {
  const { terminal } = stage;
  const clock = new ManualClock(DAY_STARTS_AT);
  const random = new SeededRandom(SEED);
  const newOrderId = createKsuidGenerator({ clock, randomBytes: (count) => random.bytes(count) });
  const shop = new Shop({ client: stage.client, tableName: stage.tableName, clock, newOrderId });
  const customerCount = Math.min(Math.ceil(orders / 10), CUSTOMERS_MAX);
  const day = planDay({ shop, random: new SeededRandom(SEED + 1), orders, customers: customerCount });

  terminal.line(`${customerCount} customers place ${orders} orders; pages are looked at, parcels go out.`);
  await playEvents(day.events, { ...stage, clock });

  const { tally } = day;
  terminal.line();
  terminal.line(
    `${tally.placed} orders of ${tally.pieces} pieces came to $${(tally.cents / 100).toFixed(2)}: ` +
      `${tally.shipped} shipped, ${tally.delivered} of them delivered by midnight, ${tally.cancelled} cancelled.`,
  );
  terminal.line(`${tally.refused} requests were refused, as they had to be: a name or an address was taken.`);

  const found = await ordersOnAllPages(stage, shop, day.usernames);
  assert.equal(found, tally.placed, 'Every order placed is on one of the account pages');
  terminal.line(`Paging through every account at midnight finds ${found} orders: all of them, none twice.`);
}

async function ordersOnAllPages(stage: Stage, shop: Shop, usernames: readonly string[]): Promise<number> {
  const found = new Set<string>();
  for (const username of usernames) {
    let page = await stage.ledger.during('EC-06', async () => await shop.viewAccount(username));
    for (;;) {
      for (const { orderId } of page.orders) {
        assert(!found.has(orderId), `The order ${orderId} is on two pages`);
        found.add(orderId);
      }
      const { before } = page;
      if (before === undefined) {
        break;
      }
      page = { ...page, ...(await stage.ledger.during('EC-07', async () => await shop.olderOrders(username, before))) };
    }
  }
  return found.size;
}
