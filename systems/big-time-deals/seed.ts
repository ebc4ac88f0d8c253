import { type ConnectOptions, ksuid, ksuidTime } from '@singlet/model';
import { load } from '@singlet/model/samples';
import { type Clock, epochSecondsOf, isoSeconds } from '../clock.ts';
import { SeededRandom } from '../demo/seeded-random.ts';
import type { BigTimeDeals } from './big-time-deals.ts';
import { CATEGORIES } from './categories.ts';
import type { Deal } from './connection.ts';
import { featuredCopy } from './editors.ts';
import { bigTimeDeals, FEATURED_MAX } from './model.ts';

export interface SeedOptions {
  readonly client: ConnectOptions['client'];
  readonly tableName?: string;
  /** 1: 200 brands, 30 days with 100 deals each, 1,000 users. There are always at least 10 brands, 2 days and 10 users. */
  readonly scale?: number;
  /** The number of brands, at any scale: a site that grows has more deals and users of the same brands. */
  readonly brandCount?: number;
  /** The sample's present time. Deals begin on the days before it. */
  readonly clock: Clock;
  /** The same seed at the same time gives the same data. */
  readonly seed?: number;
}

/** The resulting numbers. */
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

/**
 * Fills a new site with brands, categories, deals, users and what they like and watch. Items are written in batches, with the
 * counts that they have together; only what is featured goes through the site.
 */
export async function seed(
  site: BigTimeDeals,
  { client, tableName, scale = 1, brandCount = sized(BRANDS, scale, 10), clock, seed = 3 }: SeedOptions,
): Promise<SeedCounts> {
  const random = new SeededRandom(seed);
  const names = FIRST.flatMap((first) => SECOND.map((second) => `${first} ${second}`)).slice(0, brandCount);
  const createdAt = isoSeconds(epochSecondsOf(clock));
  const users = Array.from({ length: sized(1000, scale, 10) }, (_, number) => {
    const username = `hunter${number + 1}`;
    return { username, email: `${username}@example.org`, createdAt };
  });
  const interests = users.map(({ username }) => interestsOf(username, createdAt, names, random));
  const brandLikes = interests.flatMap((of) => of.brandLikes);
  const brandWatches = interests.flatMap((of) => of.brandWatches);
  const categoryLikes = interests.flatMap((of) => of.categoryLikes);
  const categoryWatches = interests.flatMap((of) => of.categoryWatches);
  const [brandLikeCounts, brandWatchCounts] = [brandLikes, brandWatches].map((all) =>
    counted(all.map(({ brand }) => brand)),
  );
  const [categoryLikeCounts, categoryWatchCounts] = [categoryLikes, categoryWatches].map((all) =>
    counted(all.map(({ category }) => category)),
  );
  const brands = names.map((brand) => ({
    brand,
    likeCount: brandLikeCounts?.get(brand) ?? 0,
    watchCount: brandWatchCounts?.get(brand) ?? 0,
  }));
  const categories = CATEGORIES.map((category) => ({
    category,
    featuredDeals: [],
    likeCount: categoryLikeCounts?.get(category) ?? 0,
    watchCount: categoryWatchCounts?.get(category) ?? 0,
  }));
  const deals = [...newDeals(names, sized(30, scale, 2), clock, random)];
  const options = { client, ...(tableName !== undefined && { tables: { BigTimeDeals: tableName } }) };
  await load(bigTimeDeals, 'Brand', brands, options);
  await load(bigTimeDeals, 'Brands', [{ names: new Set(names) }], options);
  await load(bigTimeDeals, 'Category', categories, options);
  await load(bigTimeDeals, 'User', users, options);
  await load(bigTimeDeals, 'BrandLike', brandLikes, options);
  await load(bigTimeDeals, 'BrandWatch', brandWatches, options);
  await load(bigTimeDeals, 'CategoryLike', categoryLikes, options);
  await load(bigTimeDeals, 'CategoryWatch', categoryWatches, options);
  await load(bigTimeDeals, 'Deal', deals, options);
  await feature(site);
  const likesAndWatches = brandLikes.length + brandWatches.length + categoryLikes.length + categoryWatches.length;
  return { brands: brands.length, deals: deals.length, users: users.length, likesAndWatches };
}

function sized(atFullScale: number, scale: number, least: number): number {
  return Math.max(least, Math.round(atFullScale * scale));
}

/** Brands early in the alphabet get the most likes. */
function interestsOf(username: string, createdAt: string, brands: readonly string[], random: SeededRandom) {
  const some = <Each extends string>(all: readonly Each[], count: number): Each[] => [
    ...new Set(Array.from({ length: count }, () => all[Math.floor(random.fraction() ** 2 * all.length)] as Each)),
  ];
  const ofBrand = (brand: string) => ({ brand, username, createdAt });
  const ofCategory = (category: string) => ({ category, username, createdAt });
  return {
    brandLikes: some(brands, 3).map(ofBrand),
    brandWatches: some(brands, 2).map(ofBrand),
    categoryLikes: some(CATEGORIES, 1).map(ofCategory),
    categoryWatches: some(CATEGORIES, 1).map(ofCategory),
  };
}

function counted(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function* newDeals(brands: readonly string[], days: number, clock: Clock, random: SeededRandom): Generator<Deal> {
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
        createdAt: isoSeconds(ksuidTime(dealId) / 1000),
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
