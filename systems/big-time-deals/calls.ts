import { randomBytes } from 'node:crypto';
import { ksuid, tableDefinitions } from '@singlet/model';
import { ManualClock } from '../clock.ts';
import { collect } from '../collect.ts';
import { anyOf, given, type MeasuredSystem, newNames } from '../measurement/pattern-calls.ts';
import { createTable } from '../table-lifecycle.ts';
import { openBigTimeDeals } from './big-time-deals.ts';
import { CATEGORIES } from './categories.ts';
import { openConnection } from './connection.ts';
import { featuredCopy } from './editors.ts';
import { bigTimeDeals } from './model.ts';
import { BRANDS, seed } from './seed.ts';

const TABLE_NAME = 'BigTimeDeals';
const READERS = 5;
const MESSAGES_OF_ONE = 30;
/** The lists of watchers grow with the number of users, so only a page of fixed length is read. */
const WATCHERS = 5;
const FEATURED = 8;
/** The sample's present time: deals begin on the days before it. */
const clock = new ManualClock('2026-01-30T15:00:00Z');

/** A call of each access pattern of the deals site. */
export const bigTimeDealsCalls: MeasuredSystem = {
  model: bigTimeDeals,
  scales: { usual: 2, full: 4 },
  load: async ({ client, scale, onItems }) => {
    await createTable(client, { ...tableDefinitions(bigTimeDeals)[0], TableName: TABLE_NAME });
    const site = openBigTimeDeals({ client, clock });
    const { brands, deals, users, likesAndWatches } = await seed(site, { client, scale, clock, brandCount: BRANDS });
    onItems(brands + deals + users + likesAndWatches);
  },
  open: async ({ client, random }) => {
    const newId = (atMs: number): string => ksuid({ at: atMs, random: randomBytes(16) });
    const options = { client, clock, newId };
    const { catalogue, editors, members, inbox, changes } = openBigTimeDeals(options);
    const { catalogue: copies } = openBigTimeDeals({ ...options, readsCopies: true });
    const { db } = openConnection(options);
    const brands = await catalogue.brands();
    const users = (await collect(db.everyUser.each({}))).map(({ username }) => username);
    const { deals } = await catalogue.latestDeals();
    const featured = deals.slice(0, FEATURED).map(featuredCopy);
    const readers = users.slice(0, READERS);
    const message = { subject: 'A hot deal', body: '8-day cruise' };
    for (const username of readers) {
      for (let sent = 0; sent < MESSAGES_OF_ONE; sent += 1) await inbox.send({ username, ...message });
    }
    await changes.refreshCache();
    await changes.handle([
      { eventName: 'MODIFY', newImage: { entity: 'Brands', item: { names: new Set(brands) } } },
      { eventName: 'MODIFY', newImage: { entity: 'FrontPage', item: { featuredDeals: featured } } },
    ]);
    const brand = (): string => anyOf(random, brands);
    const category = () => anyOf(random, CATEGORIES);
    const user = (): string => anyOf(random, users);
    const reader = (): string => anyOf(random, readers);
    const newName = newNames('newcomer');
    const signUp = () => {
      const username = newName();
      return { username, email: `${username}@example.org` };
    };
    const newUser = async (): Promise<string> => (await members.signUp(signUp())).username;
    return {
      'BTD-01': given(brand, (name) =>
        editors.createDeal({
          title: 'Tent, 20% off',
          price: 80,
          category: category(),
          brand: name,
          link: 'https://shop.example/tent',
        }),
      ),
      'BTD-02': given(newName, (name) => editors.createBrand({ brand: name })),
      'BTD-03': given(newName, (name) => editors.createCategory(name)),
      'BTD-04': given(
        () => featured,
        (list) => editors.featureOnFrontPage(list),
      ),
      'BTD-05': given(category, (name) => editors.featureInCategory(name, featured)),
      'BTD-06': given(
        () => featured,
        (list) => editors.chooseAsEditors(list),
      ),
      'BTD-07': given(
        () => anyOf(random, deals),
        ({ dealId }) => catalogue.frontPage({ lastDealId: dealId }),
      ),
      'BTD-08': given(category, (name) => catalogue.category(name)),
      'BTD-09': given(
        () => undefined,
        () => catalogue.editorsChoice(),
      ),
      'BTD-10': given(brand, (name) => catalogue.brand(name)),
      'BTD-11': given(
        () => undefined,
        () => catalogue.brandsWithIcons(),
      ),
      'BTD-12': given(
        () => anyOf(random, deals),
        ({ dealId }) => catalogue.deal(dealId),
      ),
      'BTD-13': given(signUp, (newcomer) => members.signUp(newcomer)),
      'BTD-14': given(newUser, (username) => members.likeBrand(username, brand())),
      'BTD-15': given(newUser, (username) => members.watchBrand(username, brand())),
      'BTD-16': given(newUser, (username) => members.likeCategory(username, category())),
      'BTD-17': given(newUser, (username) => members.watchCategory(username, category())),
      'BTD-18': given(reader, (username) => inbox.messages(username)),
      'BTD-19': given(reader, (username) => inbox.messages(username, { unreadOnly: true })),
      'BTD-20': given(
        () => inbox.send({ username: user(), ...message }),
        ({ username, messageId }) => inbox.markRead(username, messageId),
      ),
      'BTD-22': given(brand, (name) => db.watchersOfBrand({ brand: name }, { limit: WATCHERS })),
      'BTD-23': given(category, (name) => db.watchersOfCategory({ category: name }, { limit: WATCHERS })),
      'BTD-24': given(
        () => undefined,
        () => changes.refreshCache(),
      ),
      'BTD-25': given(
        () => undefined,
        () => catalogue.newestDeals(),
      ),
      'BTD-26': given(user, (username) => inbox.send({ username, ...message })),
      'BTD-27': given(user, (username) => members.settings(username)),
      'BTD-27 change': given(user, (username) => members.changeSettings(username, { birthday: '1990-05-17' })),
      'BTD-28': given(
        () => undefined,
        () => copies.brands(),
      ),
    };
  },
  unmeasured: { 'BTD-21': 'tells all users there are: as long as their list' },
};
