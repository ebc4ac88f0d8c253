import { ksuid } from '@singlet/model';
import type { Clock } from '../clock.ts';
import { SeededRandom } from '../demo/seeded-random.ts';
import { inParallel } from '../in-parallel.ts';
import type { BigTimeDeals } from './big-time-deals.ts';
import { CATEGORIES } from './categories.ts';
import { featuredCopy } from './editors.ts';
import { RefusedError } from './errors.ts';
import { FEATURED_MAX } from './model.ts';

export interface SeedOptions {
  /** 1: 200 brands, 30 days with 100 deals each, 1,000 users. There are always at least 10 brands, 2 days and 10 users. */
  readonly scale?: number;
  /** The number of brands, at any scale: a site that grows has more deals and users of the same brands. */
  readonly brandCount?: number;
  /** The sample's present time. Deals begin on the days before it. */
  readonly clock: Clock;
  /** The same seed at the same time gives the same data. */
  readonly seed?: number;
}

/** The resulting numbers, including existing data. */
export interface SeedCounts {
  readonly brands: number;
  readonly deals: number;
  readonly users: number;
  readonly likesAndWatches: number;
}

/** With a scale of 1, and at most. */
export const BRANDS = 200;
const DEALS_PER_DAY = 100;
const DAY_MS = 86_400_000;
/** Each brand and category is counted in one item, so more concurrent writes would only conflict. */
const WRITES_AT_ONCE = 8;

const FIRST = 'Alder Birch Cedar Dune Ember Fjord Grove Harbor Iris Juniper'.split(' ');
const SECOND =
  'Works Supply Company Studio Labs Outfitters Kitchen Audio Travel Mills Optics Cycles Gear Games Home Foods Wear Tools Spa Club'.split(
    ' ',
  );
const GOODS: Readonly<Record<(typeof CATEGORIES)[number], readonly string[]>> = {
  Tech: ['Headphones', 'Smart Watch', 'Tablet', 'Speaker', 'Router'],
  Travel: ['Weekend in Lisbon', '8-Day Cruise', 'City Hotel', 'Flight to Oslo', 'Train Pass'],
  'Food & Drink': ['Gift Card', 'Coffee Beans', 'Tasting Box', 'Knife Set', 'Tea Sampler'],
  'Home & Garden': ['Desk Lamp', 'Blanket', 'Garden Chair', 'Planter', 'Bookshelf'],
  Fashion: ['Rain Jacket', 'Sneakers', 'Leather Belt', 'Sunglasses', 'Wool Scarf'],
  'Sports & Outdoors': ['Tent', 'Yoga Mat', 'Trail Shoes', 'Bike Light', 'Rucksack'],
  'Health & Beauty': ['Massage', 'Hand Cream', 'Electric Toothbrush', 'Face Mask', 'Scales'],
  'Toys & Games': ['Board Game', 'Building Blocks', 'Puzzle', 'Kite', 'Chess Set'],
};

/** Fills the site with brands, categories, deals, users and what they like and watch. A repeated run changes nothing. */
export async function seed(
  site: BigTimeDeals,
  { scale = 1, brandCount = sized(BRANDS, scale, 10), clock, seed = 3 }: SeedOptions,
): Promise<SeedCounts> {
  const random = new SeededRandom(seed);
  const brands = FIRST.flatMap((first) => SECOND.map((second) => `${first} ${second}`)).slice(0, brandCount);
  const users = Array.from({ length: sized(1000, scale, 10) }, (_, number) => `hunter${number + 1}`);
  await inParallel(WRITES_AT_ONCE, brands, async (brand) => unlessThere(site.editors.createBrand({ brand })));
  await inParallel(WRITES_AT_ONCE, CATEGORIES, async (category) => unlessThere(site.editors.createCategory(category)));
  await inParallel(WRITES_AT_ONCE, users, async (username) =>
    unlessThere(site.members.signUp({ username, email: `${username}@example.org` })),
  );
  const interests = users.flatMap((username) => interestsOf(site, username, brands, random));
  await inParallel(WRITES_AT_ONCE, interests, async (act) => unlessThere(act()));
  const deals = [...newDeals(brands, sized(30, scale, 2), clock, random)];
  await inParallel(WRITES_AT_ONCE, deals, async (deal) => unlessThere(site.editors.createDeal(deal)));
  await feature(site);
  return { brands: brands.length, deals: deals.length, users: users.length, likesAndWatches: interests.length };
}

function sized(atFullScale: number, scale: number, least: number): number {
  return Math.max(least, Math.round(atFullScale * scale));
}

/** Brands early in the alphabet get the most likes. */
function interestsOf(
  { members }: BigTimeDeals,
  username: string,
  brands: readonly string[],
  random: SeededRandom,
): (() => Promise<void>)[] {
  const some = <Each extends string>(all: readonly Each[], count: number): Each[] => [
    ...new Set(Array.from({ length: count }, () => all[Math.floor(random.fraction() ** 2 * all.length)] as Each)),
  ];
  return [
    ...some(brands, 3).map((brand) => async () => members.likeBrand(username, brand)),
    ...some(brands, 2).map((brand) => async () => members.watchBrand(username, brand)),
    ...some(CATEGORIES, 1).map((category) => async () => members.likeCategory(username, category)),
    ...some(CATEGORIES, 1).map((category) => async () => members.watchCategory(username, category)),
  ];
}

function* newDeals(
  brands: readonly string[],
  days: number,
  clock: Clock,
  random: SeededRandom,
): Generator<Parameters<BigTimeDeals['editors']['createDeal']>[0]> {
  const today = Math.floor(clock.nowMs() / DAY_MS) * DAY_MS;
  for (let day = today - (days - 1) * DAY_MS; day <= today; day += DAY_MS) {
    const endMs = Math.min(day + DAY_MS, clock.nowMs());
    for (let number = 0; number < DEALS_PER_DAY; number += 1) {
      const atMs = day + ((number + 0.5) / DEALS_PER_DAY) * (endMs - day);
      const category = random.pick(CATEGORIES);
      const goods = GOODS[category];
      const what = goods[random.integer(0, goods.length - 1)] ?? category;
      const dealId = ksuid({ at: atMs, random: random.bytes(16) });
      yield {
        dealId,
        title: `${what}, ${random.integer(2, 14) * 5}% off`,
        price: random.integer(500, 50_000) / 100,
        category,
        brand: brands[random.integer(0, brands.length - 1)] ?? category,
        link: `https://shop.example/deals/${dealId}`,
        details: `${what} at a price that does not come twice. While stocks last.`,
      };
    }
  }
}

async function feature({ catalogue, editors }: BigTimeDeals): Promise<void> {
  const { deals } = await catalogue.latestDeals();
  await editors.featureOnFrontPage(deals.slice(0, FEATURED_MAX - 2).map(featuredCopy));
  await editors.chooseAsEditors(deals.slice(-12).map(featuredCopy));
  for (const category of CATEGORIES) {
    const ofCategory = (await catalogue.category(category)).deals.slice(0, FEATURED_MAX / 2);
    if (ofCategory.length === FEATURED_MAX / 2) await editors.featureInCategory(category, ofCategory.map(featuredCopy));
  }
}

async function unlessThere(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof RefusedError) || error.code === 'not-found') throw error;
  }
}
