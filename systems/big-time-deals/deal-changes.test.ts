import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Consumer } from 'singlet/consumer';
import type { OpenDatabase } from '../testing/databases.ts';
import { drawn } from '../testing/drawn.ts';
import { Workbench } from '../testing/workbench.ts';
import { dealConsumer } from './deal-consumer.ts';
import { COPIES } from './model.ts';
import {
  appleWatch,
  createBrandsAndCategories,
  createFixture,
  databases,
  dealAt,
  featured,
  giftCard,
  Handled,
  idAt,
  oneDatabase,
  openSite,
  type SiteUnderTest,
  stored,
} from './testing.ts';

/** The effects of changes, with the real runner on the table's stream. */
describe.each(drawn('Big Time Deals, what its stream brings about', databases))(
  'Big Time Deals, what its stream brings about, $name',
  (database) => {
    let open: OpenDatabase;
    let bench: Workbench;
    let streams: DynamoDBStreamsClient;
    let running: Consumer[] = [];

    beforeAll(async () => {
      open = await database.open();
      bench = new Workbench(open);
      streams = new DynamoDBStreamsClient(open.clientConfig);
    });

    afterEach(async () => {
      for (const consumer of running) await consumer.stop();
      running = [];
    });

    afterAll(async () => {
      streams.destroy();
      await bench.close();
    });

    async function consume({ site, table }: SiteUnderTest, name: string = 'first'): Promise<Handled> {
      const handled = new Handled(site.changes);
      const consumer = dealConsumer({
        client: bench.newClient(),
        streams,
        tableName: table.name,
        checkpointTable: `${table.name}-${name}`,
        changes: handled,
        pollIntervalMs: 10,
      });
      running.push(consumer);
      await consumer.start();
      return handled;
    }

    test('BTD check 17: those who watch the brand or the category of a new deal get a message for each, once', async () => {
      const opened = await openSite(bench);
      await createBrandsAndCategories(opened);
      const { editors, inbox, members } = opened.site;
      await members.watchBrand('alexdebrie', 'Apple');
      await members.watchBrand('sally', 'Apple');
      await members.watchCategory('sally', 'Tech');
      const handled = await consume(opened);
      const { dealId } = await editors.createDeal(appleWatch);
      await handled.untilDeal(dealId);
      const subjects = async (username: string): Promise<string[]> =>
        (await inbox.messages(username, { unreadOnly: true })).items.map(({ subject }) => subject).sort();
      expect(await subjects('alexdebrie')).toEqual(['New from Apple']);
      expect(await subjects('sally')).toEqual(['New from Apple', 'New in Tech']);
      expect((await inbox.messages('alexdebrie')).items[0]).toMatchObject({
        body: 'Apple Watch',
        dealId,
        createdAt: '2020-01-30T12:17:43Z',
      });

      // The same records once more, for a worker that does not know of the first delivery. One of the messages has been read meanwhile.
      await inbox.markRead('alexdebrie', (await inbox.messages('alexdebrie')).items[0]?.messageId ?? '');
      const replayed = await consume(opened, 'second');
      await replayed.untilDeal(dealId);
      expect(await subjects('alexdebrie')).toEqual([]);
      expect(await stored(opened, 'Message')).toHaveLength(3);

      // A changed deal and a new brand are not new deals.
      const [item] = await stored(opened, 'Deal');
      await opened.table.put({ ...item, Price: 299 });
      await editors.createBrand({ brand: 'Gucci' });
      await editors.createDeal(dealAt('2020-01-30T02:00:00Z', { brand: 'Gucci', category: 'Travel' }));
      for (const each of [handled, replayed]) {
        await each.until(({ eventName, newImage }) => eventName === 'MODIFY' && newImage?.entity === 'Deal');
        await each.until(({ newImage }) => newImage?.entity === 'Brand' && newImage.item.brand === 'Gucci');
        await each.until(({ newImage }) => newImage?.entity === 'Deal' && newImage.item.brand === 'Gucci');
      }
      expect(await stored(opened, 'Message')).toHaveLength(3);
    });

    test('BTD check 20: new deals fill ten identical copies of the cache, and any of them is read', async () => {
      const opened = await openSite(bench);
      await createBrandsAndCategories(opened);
      const handled = await consume(opened);
      for (const deal of [appleWatch, giftCard]) await opened.site.editors.createDeal(deal);
      await handled.untilDeal(giftCard.dealId ?? '');
      const copies = await stored(opened, 'DealsCache');
      expect(copies.map(({ PK, SK }) => `${String(PK)} ${String(SK)}`).sort()).toEqual(
        Array.from({ length: COPIES }, (_, index) => `DEALSCACHE#${index + 1} DEALSCACHE#${index + 1}`).sort(),
      );
      for (const { Deals } of copies) {
        expect((Deals as { title: string }[]).map(({ title }) => title)).toEqual([giftCard.title, appleWatch.title]);
      }
      for (const [random, key] of [
        [0, 'DEALSCACHE#1'],
        [0.999_999, 'DEALSCACHE#10'],
      ] as const) {
        const { client, requests } = bench.newLoggedClient();
        const page = await opened.another({ client, random: () => random }).catalogue.newestDeals();
        expect(page.deals.map(({ title }) => title)).toEqual([giftCard.title, appleWatch.title]);
        expect(requests.map(({ operation, input }) => [operation, input['Key']])).toEqual([
          ['GetItem', { PK: { S: key }, SK: { S: key } }],
        ]);
        expect(page.next).toEqual({ lastDealId: appleWatch.dealId });
      }
    });

    test('BTD-28: copies of the list of brands, the front page and the choice follow what editors do', async () => {
      const opened = await openSite(bench);
      const { editors } = opened.site;
      const { client, requests } = bench.newLoggedClient();
      const { catalogue } = opened.another({ client, readsCopies: true, random: () => 0.5 });
      expect(await catalogue.brands()).toEqual([]); // no copies yet, so the item itself is read
      const handled = await consume(opened);
      await createBrandsAndCategories(opened);
      const list = featured(5);
      await editors.featureOnFrontPage(featured(6));
      await editors.featureOnFrontPage(list);
      await editors.chooseAsEditors(list.slice(1));
      const { dealId } = await editors.createDeal(
        dealAt('2020-01-30T01:00:00Z', { brand: 'Princess', category: 'Travel' }),
      );
      // Four keys, so perhaps four shards: each has its own last change.
      await handled.untilDeal(dealId);
      await handled.until(({ newImage }) => newImage?.entity === 'Brands' && newImage.item.names?.size === 3);
      await handled.until(
        ({ newImage }) => newImage?.entity === 'FrontPage' && newImage.item.featuredDeals.length === list.length,
      );
      await handled.until(({ newImage }) => newImage?.entity === 'EditorsChoice');
      const before = requests.length;
      expect(await catalogue.brands()).toEqual(['Apple', 'Outback', 'Princess']);
      expect((await catalogue.frontPage()).featured).toEqual(list);
      expect(await catalogue.editorsChoice()).toEqual(list.slice(1));
      const keys = requests.slice(before).map(({ input }) => (input['Key'] as { PK: { S: string } }).PK.S);
      expect(keys.sort()).toEqual(['BRANDS#6', 'DEALSCACHE#6', 'EDITORSCHOICE#6', 'FRONTPAGE#6']);
      for (const type of ['BrandsCopy', 'FrontPageCopy', 'EditorsChoiceCopy']) {
        expect(await stored(opened, type)).toHaveLength(COPIES);
      }
    });
  },
);

describe.each(drawn('Big Time Deals, the cache', databases))('Big Time Deals, the cache, $name', (database) => {
  let bench: Workbench;

  beforeAll(async () => {
    bench = new Workbench(await database.open());
  });

  afterAll(async () => bench.close());

  const cached = async (opened: SiteUnderTest): Promise<string[]> => {
    const [{ Deals } = {}] = await stored(opened, 'DealsCache');
    return (Deals as { title: string }[]).map(({ title }) => title);
  };

  test('BTD check 21: deals of three days ago are not in the cache', async () => {
    const opened = await openSite(bench);
    await createBrandsAndCategories(opened);
    const { changes, editors } = opened.site;
    for (const day of ['27', '28', '29', '30']) await editors.createDeal(dealAt(`2020-01-${day}T10:00:00Z`));
    await changes.refreshCache();
    expect(await cached(opened)).toEqual(['2020-01-30T10:00:00.000Z', '2020-01-29T10:00:00.000Z']);
    opened.clock.setToMs(Date.parse('2020-01-31T00:00:00Z'));
    await changes.refreshCache();
    expect(await cached(opened)).toEqual(['2020-01-30T10:00:00.000Z']);
  });

  test('BTD-25: without a cache the list itself is read, and it continues where the cache ends', async () => {
    const opened = await openSite(bench);
    await createFixture(opened);
    const { catalogue, changes } = opened.site;
    expect((await catalogue.newestDeals()).deals).toHaveLength(2);
    await changes.refreshCache();
    const first = await catalogue.frontPage();
    expect(first.deals.map(({ title }) => title)).toEqual([giftCard.title, appleWatch.title]);
    let { next } = first;
    const older: string[] = [];
    while (next !== undefined && older.length === 0) {
      const page: Awaited<ReturnType<typeof catalogue.frontPage>> = await catalogue.frontPage(next);
      older.push(...page.deals.map(({ title }) => title));
      ({ next } = page);
    }
    expect(older).toEqual(['8-day Asian Cruise']);
  });

  test('BTD-24: a deal that has changed or gone is so in the cache, before the index knows', async () => {
    const opened = await openSite(bench);
    await createFixture(opened);
    const { catalogue, changes } = opened.site;
    await changes.refreshCache();
    const item = await catalogue.deal(appleWatch.dealId ?? '');
    const gone = await catalogue.deal(giftCard.dealId ?? '');
    await changes.handle([
      { eventName: 'MODIFY', newImage: { entity: 'Deal', item: { ...item, title: 'Apple Watch, 2nd' } } },
      { eventName: 'REMOVE', oldImage: { entity: 'Deal', item: gone } },
    ]);
    expect(await cached(opened)).toEqual(['Apple Watch, 2nd']);
  });

  test('BTD-24: the newest deals that fit into one item are cached', async () => {
    const opened = await openSite(bench);
    await createBrandsAndCategories(opened);
    const details = 'é'.repeat(20_000);
    for (let minute = 10; minute < 25; minute += 1) {
      await opened.site.editors.createDeal(dealAt(`2020-01-30T10:${minute}:00Z`, { details }));
    }
    await opened.site.changes.refreshCache();
    const times = Array.from({ length: 9 }, (_, index) => `2020-01-30T10:${24 - index}:00.000Z`);
    expect(await cached(opened)).toEqual(times);
  });
});

describe.each(drawn('Big Time Deals, many at once', databases))('Big Time Deals, many at once, $name', (database) => {
  let bench: Workbench;

  beforeAll(async () => {
    bench = new Workbench(await database.open());
  });

  afterAll(async () => bench.close());

  test('BTD check 12: fifty users like a brand at the same time', async () => {
    const opened = await openSite(bench);
    await createBrandsAndCategories(opened);
    const sites = Array.from({ length: 5 }, () => opened.another());
    await Promise.all(
      Array.from({ length: 50 }, async (_, number) => sites[number % 5]?.members.likeBrand(`user${number}`, 'Apple')),
    );
    expect((await opened.site.catalogue.brand('Apple')).brand.likeCount).toBe(50);
    expect(await stored(opened, 'BrandLike')).toHaveLength(50);
  });

  test('BTD-14: of one user on several devices, one likes', async () => {
    const opened = await openSite(bench);
    await createBrandsAndCategories(opened);
    const likes = await Promise.allSettled(
      Array.from({ length: 8 }, async () => opened.another().members.likeBrand('sally', 'Apple')),
    );
    expect(likes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await opened.site.catalogue.brand('Apple')).brand.likeCount).toBe(1);
  });

  test('BTD-13: of several who want one name, one gets it', async () => {
    const opened = await openSite(bench);
    const attempts = await Promise.allSettled(
      Array.from({ length: 8 }, async (_, number) =>
        opened.another().members.signUp({ username: 'sally', email: `sally${number}@x.org` }),
      ),
    );
    const winner = attempts.findIndex(({ status }) => status === 'fulfilled');
    expect(attempts.filter(({ status }) => status === 'rejected')).toHaveLength(7);
    expect((await opened.site.members.settings('sally')).email).toBe(`sally${winner}@x.org`);
  });
});

describe('Big Time Deals, a message to many', () => {
  let bench: Workbench;

  beforeAll(async () => {
    bench = new Workbench(await oneDatabase!.open());
  });

  afterAll(async () => bench.close());

  test('BTD check 16: 1,200 users, found by small pages, get one message each, also after an interruption', async () => {
    const opened = await openSite(bench);
    const users = Array.from({ length: 1200 }, (_, number) => {
      const [PK, Username] = [`USER#user${number}`, `user${number}`];
      return {
        PK,
        SK: PK,
        UserIndex: PK,
        Type: 'User',
        Username,
        Email: 'user@x.org',
        CreatedAt: '2020-01-01T00:00:00Z',
      };
    });
    await opened.table.putAll(users);
    const blastId = idAt(opened.clock.nowMs());
    const message = { subject: 'Hot', body: 'Very', blastId };
    const broken = bench.newBreakingClient({ operation: 'PutItem', requestsMax: 100 });
    await expect(opened.another({ client: broken }).inbox.tellEverybody(message, 100)).rejects.toThrow();
    const { client, operations } = bench.newLoggedClient();
    await opened.another({ client }).inbox.tellEverybody(message, 100);
    expect(operations.filter((operation) => operation === 'Scan').length).toBeGreaterThanOrEqual(12);
    const messages = await stored(opened, 'Message');
    expect(new Set(messages.map(({ PK }) => PK)).size).toBe(1200);
    expect(messages).toHaveLength(1200);
    expect(messages.every(({ Unread }) => Unread === true)).toBe(true);
  });

  test('BTD-22: many watchers are found page by page', async () => {
    const opened = await openSite(bench);
    await createBrandsAndCategories(opened);
    const watchers = Array.from({ length: 620 }, (_, number) => {
      const Username = `user${number}`;
      return { PK: 'BRANDWATCH#APPLE', SK: `USER#${Username}`, Type: 'BrandWatch', Brand: 'Apple', Username };
    });
    await opened.table.putAll(watchers);
    const deal = await opened.site.editors.createDeal(appleWatch);
    await opened.site.changes.handle([{ eventName: 'INSERT', newImage: { entity: 'Deal', item: deal } }]);
    expect(await stored(opened, 'Message')).toHaveLength(620);
  });
});
