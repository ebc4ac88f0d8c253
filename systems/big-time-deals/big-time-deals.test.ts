import { InputError, ksuidTime } from '@singlet/model';
import { describe, expect, test } from 'vitest';
import { drawn } from '../testing/drawn.ts';
import { useWorkbench } from '../testing/workbench.ts';
import type { DealList } from './catalogue.ts';
import type { RefusedError } from './errors.ts';
import {
  appleWatch,
  createBrandsAndCategories,
  createFixture,
  cruise,
  databases,
  dealAt,
  featured,
  giftCard,
  idAt,
  openSite,
  type SiteUnderTest,
  stored,
} from './testing.ts';

const titles = ({ deals }: DealList): string[] => deals.map(({ title }) => title);

async function refusal(attempt: Promise<unknown>): Promise<RefusedError> {
  return (await attempt.then(
    () => undefined,
    (error: unknown) => error,
  )) as RefusedError;
}

/** Why a transaction was cancelled, action by action. */
async function reasons(attempt: Promise<unknown>): Promise<unknown> {
  const rule = (await refusal(attempt)).cause as Error;
  const { CancellationReasons } = rule.cause as { CancellationReasons: { Code: string }[] };
  return CancellationReasons.map(({ Code }) => Code);
}

describe.each(drawn('Big Time Deals', databases))('Big Time Deals, $name', (database) => {
  const bench = useWorkbench(database);

  async function withFixture(options: Parameters<typeof openSite>[1] = {}): Promise<SiteUnderTest> {
    const opened = await openSite(bench(), options);
    await createFixture(opened);
    return opened;
  }

  async function withDeals(times: readonly (string | number)[], now: string): Promise<SiteUnderTest> {
    const opened = await openSite(bench(), { now });
    await createBrandsAndCategories(opened);
    for (const at of times) await opened.site.editors.createDeal(dealAt(at));
    return opened;
  }

  describe('deals', () => {
    test('BTD check 1: keys of deals, on the table and on three indexes', async () => {
      const opened = await withFixture();
      const deals = await stored(opened, 'Deal');
      expect(deals.find(({ Title }) => Title === 'Apple Watch')).toEqual({
        PK: `DEAL#${appleWatch.dealId}`,
        SK: `DEAL#${appleWatch.dealId}`,
        GSI1PK: 'DEALS#2020-01-30T00:00:00',
        GSI1SK: `DEAL#${appleWatch.dealId}`,
        GSI2PK: 'BRAND#APPLE#2020-01-30T00:00:00',
        GSI2SK: `DEAL#${appleWatch.dealId}`,
        GSI3PK: 'CATEGORY#TECH#2020-01-30T00:00:00',
        GSI3SK: `DEAL#${appleWatch.dealId}`,
        Type: 'Deal',
        DealId: appleWatch.dealId,
        Title: 'Apple Watch',
        Link: 'https://shop.example/deal',
        Price: 350,
        Category: 'Tech',
        Brand: 'Apple',
        CreatedAt: '2020-01-30T12:17:43Z',
      });
      expect(deals.find(({ Brand }) => Brand === 'Outback')).toMatchObject({
        GSI3PK: 'CATEGORY#FOOD & DRINK#2020-01-30T00:00:00',
      });
      expect(deals.map(({ CreatedAt }) => String(CreatedAt)).sort()).toEqual([
        '2020-01-13T02:35:04Z',
        '2020-01-30T12:17:43Z',
        '2020-01-30T13:42:26Z',
      ]);
    });

    test('BTD-01: a deal is there once, and only of a brand and a category that are there', async () => {
      const opened = await withFixture();
      const { editors } = opened.site;
      expect(await refusal(editors.createDeal({ ...appleWatch, title: 'Another' }))).toMatchObject({
        code: 'already-exists',
        entity: 'Deal',
      });
      for (const [wrong, entity] of [
        [{ brand: 'None' }, 'Brand'],
        [{ category: 'None' }, 'Category'],
      ] as const) {
        expect(await refusal(editors.createDeal({ ...dealAt('2020-01-30'), ...wrong }))).toMatchObject({
          code: 'not-found',
          entity,
        });
      }
      await expect(editors.createDeal({ ...dealAt('2020-01-30'), brand: 'A#B' })).rejects.toThrow(InputError);
      expect((await stored(opened, 'Deal')).map(({ Title }) => String(Title)).sort()).toEqual([
        giftCard.title,
        cruise.title,
        appleWatch.title,
      ]);
    });

    test('BTD-12: one deal by its id', async () => {
      const { site } = await withFixture();
      expect(await site.catalogue.deal(cruise.dealId ?? '')).toMatchObject({ title: cruise.title, price: 2479 });
      expect(await refusal(site.catalogue.deal(idAt(0 + 1.5e12)))).toMatchObject({ code: 'not-found' });
    });
  });

  describe('latest deals', () => {
    test('BTD check 2, BTD check 4: the deals of five days back from today, by five queries', async () => {
      const opened = await withFixture();
      const { client, requests } = bench().newLoggedClient();
      const page = await opened.another({ client }).catalogue.latestDeals();
      expect(titles(page)).toEqual([giftCard.title, appleWatch.title]);
      expect(requests.map(({ operation, input }) => [operation, input['IndexName'], partition(input)])).toEqual(
        [30, 29, 28, 27, 26].map((day) => ['Query', 'GSI1', `DEALS#2020-01-${day}T00:00:00`]),
      );
    });

    test('BTD check 3: on another day others, and one query for a page that one day fills', async () => {
      const opened = await withFixture({ now: '2020-01-16T08:00:00Z' });
      const { client, operations } = bench().newLoggedClient();
      const { catalogue } = opened.another({ client });
      expect(titles(await catalogue.latestDeals())).toEqual([cruise.title]);
      expect(operations).toHaveLength(5);
      for (let number = 0; number < 25; number += 1) {
        await opened.site.editors.createDeal(dealAt('2020-01-16T07:00:00Z'));
      }
      expect((await catalogue.latestDeals()).deals).toHaveLength(25);
      expect(operations).toHaveLength(6);
    });

    test('BTD check 5: after a deal come older ones, from its own day on; days end at midnight UTC', async () => {
      const { site } = await withFixture();
      const page = await site.catalogue.latestDeals({ lastDealId: giftCard.dealId });
      expect(titles(page)).toEqual([appleWatch.title]);
      const older = await site.catalogue.latestDeals({ lastDealId: appleWatch.dealId });
      expect(titles(older)).toEqual([]); // five days without a deal; the cursor continues beyond them
      expect(titles(await site.catalogue.latestDeals(older.next))).toEqual([]);
      const opened = await withDeals(['2020-01-29T23:59:59Z', '2020-01-30T00:00:00Z'], '2020-01-30T10:00:00Z');
      expect((await stored(opened, 'Deal')).map(({ GSI1PK }) => String(GSI1PK)).sort()).toEqual([
        'DEALS#2020-01-29T00:00:00',
        'DEALS#2020-01-30T00:00:00',
      ]);
      expect(titles(await opened.site.catalogue.latestDeals())).toEqual([
        '2020-01-30T00:00:00.000Z',
        '2020-01-29T23:59:59.000Z',
      ]);
    });

    test('BTD check 6: pages of 25 over three days, newest first, none twice', async () => {
      const newest = Date.parse('2020-03-03T19:00:00Z');
      const times = Array.from({ length: 60 }, (_, n) => newest - (n % 20) * 60_000 - Math.floor(n / 20) * 86_400_000);
      const { site } = await withDeals(times, '2020-03-03T20:00:00Z');
      const first = await site.catalogue.latestDeals();
      const second = await site.catalogue.latestDeals(first.next);
      const third = await site.catalogue.latestDeals(second.next);
      expect([first, second, third].map(({ deals }) => deals.length)).toEqual([25, 25, 10]);
      expect([first, second, third].flatMap(titles)).toEqual(times.map((at) => new Date(at).toISOString()));
      const byLastDeal = await site.catalogue.latestDeals({ lastDealId: first.deals.at(-1)?.dealId });
      expect(titles(byLastDeal)).toEqual(titles(second));
    });

    test.each([
      ['today', '2020-03-30', '2020-03-18', [1, 0, 1]],
      ['four days ago', '2020-03-26', '2020-03-14', [1, 0, 0, 1]],
    ])('BTD check 7: gaps are stepped over; the newer deal %s', async (_, newer, older, counts) => {
      const { site } = await withDeals([newer, older], '2020-03-30T12:00:00Z');
      let page = await site.catalogue.latestDeals();
      const found = [page.deals.length];
      while (found.length < counts.length) {
        page = await site.catalogue.latestDeals(page.next);
        found.push(page.deals.length);
      }
      expect(found).toEqual(counts);
      expect(titles(page)).toEqual([`${older}T00:00:00.000Z`]);
    });

    test('lists end at the first day of the site, and a foreign cursor is refused', async () => {
      const { site } = await withDeals(['2020-01-01T00:00:00Z'], '2020-01-08T12:00:00Z');
      const first = await site.catalogue.latestDeals();
      const second = await site.catalogue.latestDeals(first.next);
      expect([first.deals.length, second.deals.length, second.next]).toEqual([0, 1, undefined]);
      await expect(site.catalogue.brand('Apple', first.next)).rejects.toThrow(InputError);
      await expect(site.catalogue.latestDeals({ lastDealId: 'no deal' })).rejects.toThrow(InputError);
    });

    test('BTD check 23: deals and unread messages share an index and do not meet', async () => {
      const { site, clock, table } = await withFixture();
      await site.inbox.send({ username: 'alexdebrie', subject: 'Hot', body: 'Very' }, idAt(clock.nowMs()));
      expect((await table.scan('GSI1')).map(({ Type }) => String(Type)).sort()).toEqual([
        'Deal',
        'Deal',
        'Deal',
        'Message',
      ]);
      expect(titles(await site.catalogue.latestDeals())).toEqual([giftCard.title, appleWatch.title]);
      const { items } = await site.inbox.messages('alexdebrie', { unreadOnly: true });
      expect(items.map(({ subject }) => subject)).toEqual(['Hot']);
    });
  });

  describe('pages', () => {
    test('BTD check 8: a category, a brand', async () => {
      const opened = await withFixture();
      const { catalogue, editors, members } = opened.site;
      const list = featured(5);
      await editors.featureInCategory('Tech', list);
      await members.likeCategory('alexdebrie', 'Tech');
      const tech = await catalogue.category('Tech');
      expect(tech.category).toEqual({ category: 'Tech', featuredDeals: list, likeCount: 1, watchCount: 0 });
      expect(titles(tech)).toEqual([appleWatch.title]);
      const outback = await catalogue.brand('outback');
      expect([outback.brand, titles(outback)]).toEqual([
        { brand: 'Outback', likeCount: 0, watchCount: 0 },
        [giftCard.title],
      ]);
      expect(await refusal(catalogue.category('None'))).toMatchObject({ code: 'not-found', entity: 'Category' });
      expect(await refusal(catalogue.brand('None'))).toMatchObject({ code: 'not-found', entity: 'Brand' });
    });

    test('BTD-08, BTD-10: a page is one GetItem beside the queries of its list', async () => {
      const opened = await withFixture();
      const { client, operations } = bench().newLoggedClient();
      const { catalogue } = opened.another({ client });
      await catalogue.category('Tech');
      expect(operations.slice(-6).sort()).toEqual(['GetItem', 'Query', 'Query', 'Query', 'Query', 'Query']);
      await catalogue.brand('Apple');
      expect(operations.slice(-6).sort()).toEqual(['GetItem', 'Query', 'Query', 'Query', 'Query', 'Query']);
    });

    test('BTD check 9: names of all brands, sorted; a brand is created once', async () => {
      const opened = await openSite(bench());
      const { catalogue, editors, members } = opened.site;
      expect(await catalogue.brands()).toEqual([]);
      for (const brand of ['Gucci', 'Amazon', 'Apple']) await editors.createBrand({ brand });
      expect(await catalogue.brands()).toEqual(['Amazon', 'Apple', 'Gucci']);
      await members.likeBrand('alexdebrie', 'Apple');
      expect(await reasons(editors.createBrand({ brand: 'Apple' }))).toEqual(['ConditionalCheckFailed', 'None']);
      expect(await refusal(editors.createBrand({ brand: 'APPLE' }))).toMatchObject({ code: 'already-exists' });
      expect(await catalogue.brands()).toEqual(['Amazon', 'Apple', 'Gucci']);
      expect((await catalogue.brand('Apple')).brand.likeCount).toBe(1);
    });

    test('BTD-11: icons come by one more request', async () => {
      const opened = await openSite(bench());
      await opened.site.editors.createBrand({ brand: 'Gucci' });
      await opened.site.editors.createBrand({ brand: 'Apple', brandLogoUrl: 'https://logo.example/apple.png' });
      const { client, operations } = bench().newLoggedClient();
      expect(await opened.another({ client }).catalogue.brandsWithIcons()).toEqual([
        { brand: 'Apple', brandLogoUrl: 'https://logo.example/apple.png' },
        { brand: 'Gucci', brandLogoUrl: undefined },
      ]);
      expect(operations).toEqual(['GetItem', 'BatchGetItem']);
    });

    test("BTD check 22: front page and editors' choice before anything was chosen", async () => {
      const opened = await openSite(bench());
      const { catalogue, editors } = opened.site;
      expect(await catalogue.editorsChoice()).toEqual([]);
      expect(await catalogue.frontPage()).toMatchObject({ featured: [], deals: [] });
      const list = featured(6);
      await editors.featureOnFrontPage(list);
      await editors.chooseAsEditors(list.slice(0, 1));
      expect((await catalogue.frontPage()).featured).toEqual(list);
      expect(await catalogue.editorsChoice()).toEqual(list.slice(0, 1));
      for (const count of [4, 11])
        await expect(editors.featureOnFrontPage(featured(count))).rejects.toThrow(InputError);
      expect((await catalogue.frontPage()).featured).toEqual(list);
    });

    test('BTD check 14: featured deals of a category are replaced as a whole, and its counts stay', async () => {
      const opened = await withFixture();
      const { catalogue, editors, members } = opened.site;
      for (const username of ['alexdebrie', 'sally', 'jeff']) await members.likeCategory(username, 'Tech');
      await editors.featureInCategory('Tech', featured(5));
      const list = featured(6);
      await editors.featureInCategory('Tech', list);
      expect((await catalogue.category('Tech')).category).toMatchObject({ featuredDeals: list, likeCount: 3 });
      await expect(editors.featureInCategory('Tech', featured(4))).rejects.toThrow(InputError);
      expect(await refusal(editors.featureInCategory('None', featured(5)))).toMatchObject({ code: 'not-found' });
      expect(await stored(opened, 'Category')).toHaveLength(3);
    });

    test('BTD-03: a category is created once', async () => {
      const opened = await withFixture();
      await opened.site.members.likeCategory('sally', 'Tech');
      const before = await stored(opened, 'Category');
      expect(before).toContainEqual({
        PK: 'CATEGORY#FOOD & DRINK',
        SK: 'CATEGORY#FOOD & DRINK',
        Type: 'Category',
        CategoryName: 'Food & Drink',
        FeaturedDeals: [],
        LikeCount: 0,
        WatchCount: 0,
      });
      expect(await refusal(opened.site.editors.createCategory('Tech'))).toMatchObject({ code: 'already-exists' });
      expect(await stored(opened, 'Category')).toEqual(before);
    });
  });

  describe('likes and watches', () => {
    test('BTD check 10: a user likes a brand once', async () => {
      const opened = await withFixture();
      const { catalogue, members } = opened.site;
      const likes = async (): Promise<number> => (await catalogue.brand('Apple')).brand.likeCount;
      await members.likeBrand('alexdebrie', 'Apple');
      expect(await stored(opened, 'BrandLike')).toEqual([
        {
          PK: 'BRANDLIKE#APPLE#alexdebrie',
          SK: 'BRANDLIKE#APPLE#alexdebrie',
          Type: 'BrandLike',
          Brand: 'Apple',
          Username: 'alexdebrie',
          CreatedAt: '2020-01-30T15:00:00Z',
        },
      ]);
      expect(await likes()).toBe(1);
      expect(await reasons(members.likeBrand('alexdebrie', 'Apple'))).toEqual(['ConditionalCheckFailed', 'None']);
      expect(await refusal(members.likeBrand('alexdebrie', 'Apple'))).toMatchObject({ code: 'already-done' });
      expect(await likes()).toBe(1);
      await members.likeBrand('sally', 'Apple');
      expect(await likes()).toBe(2);
    });

    test('BTD check 11: what is not there cannot be liked or watched', async () => {
      const opened = await withFixture();
      const { members } = opened.site;
      expect(await reasons(members.likeBrand('alexdebrie', 'None'))).toEqual(['None', 'ConditionalCheckFailed']);
      for (const attempt of [
        () => members.likeBrand('alexdebrie', 'None'),
        () => members.watchBrand('alexdebrie', 'None'),
        () => members.likeCategory('alexdebrie', 'None'),
        () => members.watchCategory('alexdebrie', 'None'),
      ]) {
        expect(await refusal(attempt())).toMatchObject({ code: 'not-found' });
      }
      const types = (await opened.table.scan()).map(({ Type }) => String(Type));
      expect(types.filter((type) => /Like|Watch/.test(type))).toEqual([]);
    });

    test('BTD check 13: watching and liking are counted apart', async () => {
      const opened = await withFixture();
      const { catalogue, members } = opened.site;
      await members.watchBrand('alexdebrie', 'Apple');
      await members.watchBrand('sally', 'apple');
      await members.likeBrand('alexdebrie', 'Apple');
      expect((await catalogue.brand('Apple')).brand).toMatchObject({ likeCount: 1, watchCount: 2 });
      expect((await stored(opened, 'BrandWatch')).map(({ PK, SK }) => [PK, SK])).toEqual([
        ['BRANDWATCH#APPLE', 'USER#alexdebrie'],
        ['BRANDWATCH#APPLE', 'USER#sally'],
      ]);
      expect(await refusal(members.watchBrand('sally', 'Apple'))).toMatchObject({ code: 'already-done' });
    });

    test('BTD-16, BTD-17: categories are liked and watched alike', async () => {
      const opened = await withFixture();
      const { catalogue, members } = opened.site;
      await members.likeCategory('alexdebrie', 'Food & Drink');
      await members.watchCategory('alexdebrie', 'Food & Drink');
      await members.watchCategory('sally', 'Food & Drink');
      expect(await refusal(members.likeCategory('alexdebrie', 'food & drink'))).toMatchObject({ code: 'already-done' });
      expect(await refusal(members.watchCategory('sally', 'Food & Drink'))).toMatchObject({ code: 'already-done' });
      expect((await catalogue.category('Food & Drink')).category).toMatchObject({ likeCount: 1, watchCount: 2 });
      expect((await stored(opened, 'CategoryLike')).map(({ PK, SK }) => [PK, SK])).toEqual([
        ['CATEGORYLIKE#FOOD & DRINK#alexdebrie', 'CATEGORYLIKE#FOOD & DRINK#alexdebrie'],
      ]);
      expect((await stored(opened, 'CategoryWatch'))[0]).toMatchObject({
        PK: 'CATEGORYWATCH#FOOD & DRINK',
        SK: 'USER#alexdebrie',
      });
    });
  });

  describe('users and their messages', () => {
    test('BTD check 15: a user name is taken once, and the index of users holds users only', async () => {
      const opened = await withFixture();
      const { inbox, members } = opened.site;
      for (const username of ['alexdebrie', 'sally']) await members.signUp({ username, email: `${username}@x.org` });
      await inbox.send({ username: 'sally', subject: 'Hot', body: 'Very' });
      const before = await stored(opened, 'User');
      expect(before).toContainEqual({
        PK: 'USER#alexdebrie',
        SK: 'USER#alexdebrie',
        UserIndex: 'USER#alexdebrie',
        Type: 'User',
        Username: 'alexdebrie',
        Email: 'alexdebrie@x.org',
        CreatedAt: '2020-01-30T15:00:00Z',
      });
      expect(await refusal(members.signUp({ username: 'sally', email: 'other@x.org' }))).toMatchObject({
        code: 'already-exists',
      });
      expect(await stored(opened, 'User')).toEqual(before);
      expect((await opened.table.scan('UserIndex')).map(({ PK }) => String(PK)).sort()).toEqual([
        'USER#alexdebrie',
        'USER#sally',
      ]);
    });

    test('BTD-27: settings are read and changed, and a user stays in the index of users', async () => {
      const opened = await openSite(bench());
      const { members } = opened.site;
      await members.signUp({ username: 'sally', email: 'sally@x.org', birthday: '1990-02-03' });
      const changed = await members.changeSettings('sally', { email: 'new@x.org', birthday: undefined });
      expect(changed).toEqual({ username: 'sally', email: 'new@x.org', createdAt: '2020-01-30T15:00:00Z' });
      expect(await members.settings('sally')).toEqual(changed);
      await members.changeSettings('sally', { profilePictureUrl: 'https://x.org/sally.png' });
      expect(await members.settings('sally')).toEqual({ ...changed, profilePictureUrl: 'https://x.org/sally.png' });
      expect(await opened.table.scan('UserIndex')).toHaveLength(1);
      expect(await refusal(members.settings('absent'))).toMatchObject({ code: 'not-found' });
      expect(await refusal(members.changeSettings('absent', { email: 'x@x.org' }))).toMatchObject({
        code: 'not-found',
      });
      expect(await stored(opened, 'User')).toHaveLength(1);
    });

    const feb25 = '2020-02-25T15:57:45Z';
    const mar1 = '2020-03-01T05:24:50Z';
    const mar11 = '2020-03-11T18:27:14Z';

    async function withMessages(): Promise<SiteUnderTest & { readonly idOf: (at: string) => string }> {
      const opened = await openSite(bench(), { now: '2020-03-12T00:00:00Z' });
      const { inbox } = opened.site;
      const ids = new Map<string, string>();
      for (const at of [mar1, feb25, mar11]) {
        ids.set(at, idAt(Date.parse(at)));
        await inbox.send({ username: 'alexdebrie', subject: at, body: 'A deal' }, ids.get(at));
      }
      await inbox.markRead('alexdebrie', ids.get(feb25) ?? '');
      await inbox.send({ username: 'jeffbezoz', subject: 'x', body: 'y' }, idAt(Date.parse('2020-02-29T11:21:03Z')));
      return { ...opened, idOf: (at) => ids.get(at) ?? '' };
    }

    test('BTD check 18: the inbox, all and unread only, newest first', async () => {
      const { site, idOf } = await withMessages();
      const subjects = async (username: string, unreadOnly: boolean): Promise<string[]> =>
        (await site.inbox.messages(username, { unreadOnly })).items.map(({ subject }) => subject);
      expect(await subjects('alexdebrie', false)).toEqual([mar11, mar1, feb25]);
      expect(await subjects('alexdebrie', true)).toEqual([mar11, mar1]);
      expect(await subjects('jeffbezoz', true)).toEqual(['x']);
      const [newest] = (await site.inbox.messages('alexdebrie')).items;
      expect(newest).toEqual({
        username: 'alexdebrie',
        messageId: idOf(mar11),
        subject: mar11,
        body: 'A deal',
        unread: true,
        createdAt: mar11,
      });
    });

    test('BTD check 19: reading a message takes it out of the unread ones, and can be repeated', async () => {
      const opened = await withMessages();
      const { inbox } = opened.site;
      for (let time = 0; time < 2; time += 1) {
        await inbox.markRead('alexdebrie', opened.idOf(mar1));
        expect((await inbox.messages('alexdebrie', { unreadOnly: true })).items).toHaveLength(1);
        expect((await inbox.messages('alexdebrie')).items).toHaveLength(3);
      }
      const read = (await stored(opened, 'Message')).find(({ Subject }) => Subject === mar1);
      expect(read).toEqual({
        PK: 'MESSAGES#alexdebrie',
        SK: `MESSAGE#${opened.idOf(mar1)}`,
        Type: 'Message',
        Username: 'alexdebrie',
        MessageId: opened.idOf(mar1),
        Subject: mar1,
        Body: 'A deal',
        Unread: false,
        CreatedAt: mar1,
      });
      expect(await refusal(inbox.markRead('alexdebrie', idAt(Date.parse(mar1))))).toMatchObject({ code: 'not-found' });
      expect(await stored(opened, 'Message')).toHaveLength(4);
    });

    test('BTD check 16: a hot deal for everybody', async () => {
      const opened = await openSite(bench());
      const { inbox, members } = opened.site;
      const names = ['alexdebrie', 'jeffbezoz', 'warrenbuffett'];
      for (const username of names) await members.signUp({ username, email: `${username}@x.org` });
      const { blastId, sent } = await inbox.tellEverybody({ subject: 'Hot', body: 'Very' });
      expect([sent, ksuidTime(blastId)]).toEqual([3, opened.clock.nowMs()]);
      for (const username of names) {
        const { items } = await inbox.messages(username, { unreadOnly: true });
        expect(items.map(({ subject, body }) => [subject, body])).toEqual([['Hot', 'Very']]);
      }
      await inbox.markRead('alexdebrie', (await inbox.messages('alexdebrie')).items[0]?.messageId ?? '');
      await members.signUp({ username: 'late', email: 'late@x.org' });
      expect(await inbox.tellEverybody({ subject: 'Hot', body: 'Very', blastId })).toEqual({ blastId, sent: 1 });
      expect((await inbox.messages('alexdebrie', { unreadOnly: true })).items).toEqual([]);
    });

    test('BTD-18: long inboxes come in pages', async () => {
      const opened = await openSite(bench());
      for (let number = 0; number < 30; number += 1) {
        await opened.site.inbox.send({ username: 'sally', subject: String(number), body: '' });
      }
      const first = await opened.site.inbox.messages('sally', { unreadOnly: true });
      const second = await opened.site.inbox.messages('sally', { unreadOnly: true, cursor: first.cursor });
      expect([...first.items, ...second.items].map(({ subject }) => Number(subject))).toEqual(
        Array.from({ length: 30 }, (_, index) => 29 - index),
      );
      expect(first.items).toHaveLength(25);
    });
  });
});

function partition(input: Readonly<Record<string, unknown>>): unknown {
  return (input['ExpressionAttributeValues'] as Record<string, { S?: string }>)[':p0']?.S;
}
