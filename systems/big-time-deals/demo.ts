import assert from 'node:assert/strict';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { ksuid, tableDefinitions } from '@singlet/model';
import { ManualClock } from '../clock.ts';
import type { Demo, Stage } from '../demo/demo.ts';
import { SeededRandom } from '../demo/seeded-random.ts';
import { deleteTable } from '../table-lifecycle.ts';
import { type BigTimeDeals, openBigTimeDeals } from './big-time-deals.ts';
import type { DealList } from './catalogue.ts';
import { CATEGORIES } from './categories.ts';
import type { Deal } from './connection.ts';
import type { Change, DealChanges } from './deal-changes.ts';
import { dealConsumer } from './deal-consumer.ts';
import { featuredCopy } from './editors.ts';
import { RefusedError } from './errors.ts';
import { bigTimeDeals } from './model.ts';

const STARTS_AT = '2026-11-02T06:00:00Z';
const DAY_MS = 86_400_000;
const DEALS_A_DAY = 15;
const SEED = 11;
const BRANDS = ['Alder Works', 'Birch Audio', 'Cedar Travel', 'Dune Foods', 'Ember Studio', 'Fjord Outfitters'];

const PATTERNS: readonly (readonly [string, string])[] = [
  ['BTD-01', 'Create deal'],
  ['BTD-02', 'Create brand'],
  ['BTD-03', 'Create category'],
  ['BTD-04', 'Set featured: front page'],
  ['BTD-05', 'Set featured: category'],
  ['BTD-06', "Set featured: Editor's Choice"],
  ['BTD-07', 'Front page & latest deals'],
  ['BTD-08', 'Category & latest deals'],
  ['BTD-09', "Editor's Choice"],
  ['BTD-10', 'Brand & latest deals'],
  ['BTD-11', 'All brands'],
  ['BTD-12', 'Deal'],
  ['BTD-13', 'Create user'],
  ['BTD-14', 'Like brand'],
  ['BTD-15', 'Watch brand'],
  ['BTD-16', 'Like category'],
  ['BTD-17', 'Watch category'],
  ['BTD-18', 'Messages'],
  ['BTD-19', 'Unread messages'],
  ['BTD-20', 'Mark message read'],
  ['BTD-21', 'Message to all users'],
  ['BTD-22', 'Message brand watchers (stream)'],
  ['BTD-23', 'Message category watchers (stream)'],
  ['BTD-24', 'Refresh deals cache (stream)'],
  ['BTD-25', 'Read deals cache'],
  ['BTD-26', 'Create message'],
  ['BTD-27', 'User settings'],
  ['BTD-28', 'Copies of hot items (stream)'],
];

export interface BigTimeDealsDemoOptions {
  readonly hunters: number;
  /** 4 by default. */
  readonly days?: number;
}

/** Days of a deals site: what editors do, what hunters do, and the effects. */
export function bigTimeDealsDemo(options: BigTimeDealsDemoOptions): Demo {
  const [table = { TableName: bigTimeDeals.name }] = tableDefinitions(bigTimeDeals);
  return {
    title: 'Big Time Deals: days of a site of deals',
    table,
    patterns: PATTERNS.map(([id, title]) => ({ id, title })),
    play: async (stage) => {
      await play(stage, options);
    },
  };
}

/** The site, and a function that measures an action under its pattern. */
interface Play {
  readonly site: BigTimeDeals;
  readonly clock: ManualClock;
  readonly random: SeededRandom;
  readonly hunters: readonly string[];
  readonly during: <Result>(patternId: string, act: () => Promise<Result>) => Promise<Result>;
}

async function play(stage: Stage, { hunters: hunterCount, days = 4 }: BigTimeDealsDemoOptions): Promise<void> {
  const { client, clientConfig, ledger, tableName, terminal, signal } = stage;
  const clock = new ManualClock(STARTS_AT);
  const random = new SeededRandom(SEED);
  const site = openBigTimeDeals({
    client,
    tableName,
    clock,
    random: () => random.fraction(),
    newId: (at) => ksuid({ at, random: random.bytes(16) }),
  });
  const hunters = Array.from({ length: hunterCount }, (_, number) => `hunter${number + 1}`);
  const day: Play = { site, clock, random, hunters, during: async (id, act) => await ledger.during(id, act) };
  // The worker's own requests, for the stream and for its checkpoints, belong to no pattern.
  const [plain, streams] = [new DynamoDBClient(clientConfig), new DynamoDBStreamsClient(clientConfig)];
  const handled = new Followed(site.changes, day);
  const checkpointTable = `${tableName}-checkpoints`;
  const consumer = dealConsumer({
    client: plain,
    streams,
    tableName,
    checkpointTable,
    changes: handled,
    pollIntervalMs: 25,
    batchingWindowMs: 100,
  });
  try {
    await consumer.start();
    await open(day);
    terminal.line(
      `${BRANDS.length} brands, 8 categories; ${hunterCount} hunters sign up, and like and watch what they like.`,
    );
    const progress = terminal.progress(days);
    for (let number = 0; number < days; number += 1) {
      signal.throwIfAborted();
      const last = await addDeals(day, number);
      await handled.until(last.dealId);
      await chooseFeatured(day);
      await browse(day);
      progress.step(new Date(clock.nowMs()).toISOString().slice(0, 10));
    }
    progress.finish();
    const { sent } = await day.during('BTD-21', async () =>
      site.inbox.tellEverybody({ subject: 'Hot deal', body: 'A cruise for the price of a tent' }),
    );
    assert.equal(sent, hunterCount, 'Every hunter gets the message, once');
    const { messages, unread } = await readInboxes(day);
    const deals = await everyDeal(day);
    const toWatchers = await watchersOf(day, deals);
    terminal.line();
    terminal.line(`${messages} messages are in the inboxes of all, ${unread} of them unread.`);
    terminal.line(`${toWatchers} of them came from new deals of what a hunter watches, ${sent} told everybody of one.`);
    assert.equal(messages, toWatchers + sent + 1, 'No message is lost, none comes twice');
    assert.equal(deals.length, days * DEALS_A_DAY, 'Every deal is on one page of the endless list');
    terminal.line(`Scrolling to the end of the front page finds all ${deals.length} deals, none twice.`);
  } finally {
    await consumer.stop();
    await deleteTable(plain, checkpointTable);
    plain.destroy();
    streams.destroy();
  }
}

/** Follows the stream, each part of the work under its own pattern. */
class Followed {
  readonly #changes: DealChanges;
  readonly #play: Play;
  readonly #seen = new Set<string>();
  #waiting: { readonly dealId: string; readonly resolve: () => void } | undefined;

  constructor(changes: DealChanges, play: Play) {
    this.#changes = changes;
    this.#play = play;
  }

  readonly handle = async (changes: readonly Change[]): Promise<void> => {
    const { during } = this.#play;
    const created = changes.flatMap(({ eventName, newImage }) =>
      eventName === 'INSERT' && newImage?.entity === 'Deal' ? [newImage.item] : [],
    );
    for (const deal of created) {
      await during('BTD-22', async () => this.#changes.tellWatchersOfBrand(deal));
      await during('BTD-23', async () => this.#changes.tellWatchersOfCategory(deal));
    }
    if (created.length > 0) await during('BTD-24', async () => this.#changes.refreshCache(changes));
    for (const { newImage } of changes) {
      if (newImage?.entity === 'Brands' || newImage?.entity === 'FrontPage' || newImage?.entity === 'EditorsChoice') {
        await during('BTD-28', async () => this.#changes.copy(newImage));
      }
    }
    for (const { dealId } of created) this.#seen.add(dealId);
    if (this.#waiting && this.#seen.has(this.#waiting.dealId)) this.#waiting.resolve();
  };

  /** Resolves when all effects of a deal are complete. */
  async until(dealId: string): Promise<void> {
    if (!this.#seen.has(dealId)) await new Promise<void>((resolve) => (this.#waiting = { dealId, resolve }));
  }
}

async function open({ site, during, hunters, random }: Play): Promise<void> {
  for (const brand of BRANDS) await during('BTD-02', async () => site.editors.createBrand({ brand }));
  for (const category of CATEGORIES) await during('BTD-03', async () => site.editors.createCategory(category));
  for (const username of hunters) {
    const does = (share: number): boolean => username === hunters[0] || random.chance(share);
    const profile = { username, email: `${username}@example.org` };
    await during('BTD-13', async () => site.members.signUp(profile));
    const [liked, watched] = [BRANDS[random.integer(0, BRANDS.length - 1)] ?? '', BRANDS[random.integer(0, 2)] ?? ''];
    await during('BTD-14', async () => site.members.likeBrand(username, liked));
    await during('BTD-15', async () => site.members.watchBrand(username, watched));
    await during('BTD-16', async () => site.members.likeCategory(username, random.pick(CATEGORIES)));
    if (does(0.3)) {
      await during('BTD-17', async () => site.members.watchCategory(username, random.pick(CATEGORIES)));
    }
    if (does(0.1)) {
      // A second tap on the heart does not count.
      const again = during('BTD-14', async () => site.members.likeBrand(username, liked));
      await assert.rejects(again, RefusedError);
    }
  }
  const [first = ''] = hunters;
  await during('BTD-26', async () =>
    site.inbox.send({ username: first, subject: 'Welcome', body: 'Good to have you.' }),
  );
  await during('BTD-27', async () => site.members.changeSettings(first, { birthday: '1990-02-03' }));
  await during('BTD-27', async () => site.members.settings(first));
}

async function addDeals({ site, during, clock, random }: Play, day: number): Promise<Deal> {
  const startMs = Date.parse(STARTS_AT) + day * DAY_MS;
  let last: Deal | undefined;
  for (let number = 0; number < DEALS_A_DAY; number += 1) {
    clock.setToMs(startMs + number * 30 * 60_000);
    const category = random.pick(CATEGORIES);
    last = await during('BTD-01', async () =>
      site.editors.createDeal({
        title: `${category}, ${random.integer(1, 14) * 5}% off`,
        price: random.integer(500, 50_000) / 100,
        brand: BRANDS[random.integer(0, BRANDS.length - 1)] ?? '',
        category,
        link: `https://shop.example/${day}/${number}`,
      }),
    );
  }
  assert(last, 'A day has deals');
  return last;
}

async function chooseFeatured({ site, during, random }: Play): Promise<void> {
  const { deals } = await site.catalogue.latestDeals();
  const featured = deals.slice(0, 8).map(featuredCopy);
  await during('BTD-04', async () => site.editors.featureOnFrontPage(featured));
  await during('BTD-05', async () => site.editors.featureInCategory(random.pick(CATEGORIES), featured.slice(0, 6)));
  await during('BTD-06', async () => site.editors.chooseAsEditors(featured.slice(4)));
}

async function browse({ site, during, hunters, random }: Play): Promise<void> {
  for (const username of hunters) {
    // The first one does all the work.
    const does = (share: number): boolean => username === hunters[0] || random.chance(share);
    const page = await during('BTD-07', async () => site.catalogue.frontPage());
    const { next } = page;
    if (next && does(0.5)) await during('BTD-07', async () => site.catalogue.latestDeals(next));
    await during('BTD-25', async () => site.catalogue.newestDeals());
    const deal = page.deals[random.integer(0, page.deals.length - 1)];
    assert(deal, 'There are deals to look at');
    await during('BTD-12', async () => site.catalogue.deal(deal.dealId));
    if (does(0.4)) await during('BTD-08', async () => site.catalogue.category(deal.category));
    if (does(0.4)) await during('BTD-10', async () => site.catalogue.brand(deal.brand));
    if (does(0.2)) await during('BTD-09', async () => site.catalogue.editorsChoice());
    if (does(0.2)) await during('BTD-11', async () => site.catalogue.brandsWithIcons());
    const { items } = await during('BTD-19', async () => site.inbox.messages(username, { unreadOnly: true }));
    const [newest] = items;
    if (newest && does(0.5)) {
      await during('BTD-20', async () => site.inbox.markRead(username, newest.messageId));
    }
  }
}

async function readInboxes({
  site,
  during,
  hunters,
}: Play): Promise<{ readonly messages: number; readonly unread: number }> {
  const counts = { messages: 0, unread: 0 };
  for (const username of hunters) {
    let cursor: string | undefined;
    do {
      const from: string | undefined = cursor;
      const page = await during('BTD-18', async () => site.inbox.messages(username, { cursor: from }));
      counts.messages += page.items.length;
      counts.unread += page.items.filter(({ unread }) => unread).length;
      ({ cursor } = page);
    } while (cursor !== undefined);
  }
  return counts;
}

/** All existing deals. An empty page of the list is older than all. */
async function everyDeal({ site, during }: Play): Promise<readonly Deal[]> {
  const deals: Deal[] = [];
  let part: DealList = { deals, next: {} };
  do {
    const { next = {} }: DealList = part;
    part = await during('BTD-07', async () => site.catalogue.latestDeals(next));
    deals.push(...part.deals);
  } while (part.deals.length > 0);
  assert.equal(new Set(deals.map(({ dealId }) => dealId)).size, deals.length, 'No deal is on two pages');
  return deals;
}

/** How many messages deals must cause: one per watcher of their brands and categories. */
async function watchersOf({ site, during }: Play, deals: readonly Deal[]): Promise<number> {
  let count = 0;
  for (const brand of BRANDS) {
    const { watchCount } = (await during('BTD-10', async () => site.catalogue.brand(brand))).brand;
    count += watchCount * deals.filter((deal) => deal.brand === brand).length;
  }
  for (const category of CATEGORIES) {
    const { watchCount } = (await during('BTD-08', async () => site.catalogue.category(category))).category;
    count += watchCount * deals.filter((deal) => deal.category === category).length;
  }
  return count;
}
