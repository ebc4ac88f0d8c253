/** The deals site in a storm: likes are counted once, and each watcher gets one message, even if the stream repeats records. */
import { expect } from 'vitest';
import type { RawItem } from '../testing/raw-table.ts';
import { eventually } from '../testing/consume.ts';
import type { StormStory } from '../testing/storm.ts';
import { openBigTimeDeals } from './big-time-deals.ts';
import { dealConsumer } from './deal-consumer.ts';
import { bigTimeDeals } from './model.ts';
import { BRANDS, CATEGORIES, dealAt } from './testing.ts';

const USERS = ['ann', 'bob', 'cat', 'dan'];
const DEALS = 5;

export const story: StormStory = {
  model: bigTimeDeals,
  // A user who began to watch a moment ago may miss a deal of that moment. Here they began long before it.
  weather: { staleReadMs: 0 },
  invariant: 'likes are counted once, and messages are sent once',
  play: async (storm) => {
    const { client, streams, clock } = storm;
    const site = openBigTimeDeals({ client, clock, pause: async () => undefined });
    const { editors, members, changes } = site;
    for (const brand of BRANDS) await storm.insist(async () => editors.createBrand({ brand }));
    for (const category of CATEGORIES) await storm.insist(async () => editors.createCategory(category));
    for (const username of USERS) await storm.insist(async () => members.signUp({ username, email: 'a@x.org' }));
    await storm.callers(40, async () => {
      const [username, brand, category] = [storm.oneOf(USERS), storm.oneOf(BRANDS), storm.oneOf(CATEGORIES)];
      const acts = [
        async () => members.likeBrand(username, brand),
        async () => members.watchBrand(username, brand),
        async () => members.likeCategory(username, category),
        async () => members.watchCategory(username, category),
      ];
      await storm.attempt(storm.oneOf(acts));
    });
    // From here on the watchers do not change. Deals arrive, and a consumer sends messages about them.
    const deals = new Set<string>();
    await storm.callers(DEALS, async (number) => {
      const deal = dealAt(clock.nowMs() + number * 1000);
      const outcome = await storm.insist(async () => editors.createDeal(deal));
      if (outcome !== 'unknown') deals.add(String(deal.dealId));
    });
    const messages = async (): Promise<RawItem[]> =>
      (await storm.table('BigTimeDeals').scan()).filter(({ Type }) => Type === 'Message');
    const watchers = async (): Promise<number> =>
      (await storm.table('BigTimeDeals').scan()).filter(({ Type, Brand, Category }) => {
        if (Type === 'BrandWatch') return Brand === 'Apple';
        return Type === 'CategoryWatch' && Category === 'Tech';
      }).length;
    const stop = await storm.started(() =>
      dealConsumer({ client, streams, tableName: 'BigTimeDeals', changes, pollIntervalMs: 5 }),
    );
    try {
      await eventually(async () => {
        const told = await messages().catch(() => []);
        expect(told.length).toBe(deals.size * (await watchers()));
      });
      await storm.over();
    } finally {
      await stop();
    }

    const items = await storm.table('BigTimeDeals').scan();
    const of = (type: string): RawItem[] => items.filter(({ Type }) => Type === type);
    for (const kind of ['Brand', 'Category']) {
      for (const each of of(kind)) {
        const name = each[`${kind}Name`];
        const ofIt = (type: string): number => of(`${kind}${type}`).filter((one) => one[kind] === name).length;
        expect([name, each['LikeCount'], each['WatchCount']]).toEqual([name, ofIt('Like'), ofIt('Watch')]);
      }
    }
    expect(await site.catalogue.brands()).toEqual([...BRANDS].toSorted());
    const told = await messages();
    const keys = new Set(told.map(({ Username, DealId, Subject }) => [Username, DealId, Subject].join(' ')));
    expect([keys.size, told.length]).toEqual([told.length, deals.size * (await watchers())]);
    expect(deals.size).toBe(DEALS);
  },
};
