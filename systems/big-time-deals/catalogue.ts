import { ksuidTime, type Page, type ReadOptions } from '@singlet/model';
import type { Brand, Category, Connection, Deal, FeaturedDeal, ListPosition } from './connection.ts';
import { found } from './errors.ts';
import { PAGE_DEALS } from './model.ts';

/** A page of an endless list, newest first. A page may be empty although older deals follow. */
export interface DealList {
  readonly deals: readonly Deal[];
  /** The cursor of older deals; undefined at the end. */
  readonly next: ListPosition | undefined;
}

export interface BrandName {
  readonly brand: string;
  readonly brandLogoUrl?: string | undefined;
}

/** The reads of hunters. */
export class Catalogue {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** BTD-07: the editors' featured deals, and the latest deals; the first of these from the cache, if it exists. */
  async frontPage(from: ListPosition = {}): Promise<DealList & { readonly featured: readonly FeaturedDeal[] }> {
    const isFirst = from.lastDealId === undefined && from.cursor === undefined;
    const [featured, list] = await Promise.all([
      this.#featuredOnFrontPage(),
      isFirst ? this.newestDeals() : this.latestDeals(from),
    ]);
    return { featured, ...list };
  }

  /** BTD-07, the list: deals of all kinds, day by day back from today or from a deal. */
  async latestDeals(from: ListPosition = {}): Promise<DealList> {
    return await listOf(from, this.#connection.db.latestDeals(...asked({}, from)));
  }

  /** BTD-08. @throws {RefusedError} `not-found` */
  async category(name: string, from: ListPosition = {}): Promise<DealList & { readonly category: Category }> {
    const { db } = this.#connection;
    const [category, list] = await Promise.all([
      db.category({ category: name }),
      listOf(from, db.latestDealsOfCategory(...asked({ category: name }, from))),
    ]);
    return { category: found(category, 'Category'), ...list };
  }

  /** BTD-09: nothing until editors have chosen. */
  async editorsChoice(): Promise<readonly FeaturedDeal[]> {
    const { db, readsCopies } = this.#connection;
    const copy = readsCopies ? await db.copiedEditorsChoice({}) : undefined;
    return (copy ?? (await db.editorsChoice({})))?.featuredDeals ?? [];
  }

  /** BTD-10. @throws {RefusedError} `not-found` */
  async brand(name: string, from: ListPosition = {}): Promise<DealList & { readonly brand: Brand }> {
    const { db } = this.#connection;
    const [brand, list] = await Promise.all([
      db.brand({ brand: name }),
      listOf(from, db.latestDealsOfBrand(...asked({ brand: name }, from))),
    ]);
    return { brand: found(brand, 'Brand'), ...list };
  }

  /** BTD-11: names of all brands in alphabetical order. The stored set has no order. */
  async brands(): Promise<readonly string[]> {
    const { db, readsCopies } = this.#connection;
    const copy = readsCopies ? await db.copiedBrands({}) : undefined;
    const { names } = copy ?? (await db.brands({})) ?? {};
    return [...(names ?? [])].sort((left, right) => left.localeCompare(right, 'en'));
  }

  /** BTD-11 with icons: one more request for each hundred brands. */
  async brandsWithIcons(): Promise<readonly BrandName[]> {
    const names = await this.brands();
    if (names.length === 0) return [];
    const brands = await this.#connection.db.brandIcons(names.map((brand) => ({ brand })));
    return names.map((brand, index) => ({ brand, brandLogoUrl: brands[index]?.brandLogoUrl }));
  }

  /** BTD-12. @throws {RefusedError} `not-found` */
  async deal(dealId: string, options: ReadOptions = {}): Promise<Deal> {
    return found(await this.#connection.db.deal({ dealId }, options), 'Deal');
  }

  /** BTD-25: the first deals of the list from one of the copies of the cache, or from the list itself if no copy exists. */
  async newestDeals(): Promise<DealList> {
    const cached = await this.#connection.db.cachedDeals({});
    const deals = cached?.deals.slice(0, PAGE_DEALS) ?? [];
    const last = deals.at(-1);
    return last === undefined ? await this.latestDeals() : { deals, next: { lastDealId: last.dealId } };
  }

  async #featuredOnFrontPage(): Promise<readonly FeaturedDeal[]> {
    const { db, readsCopies } = this.#connection;
    const copy = readsCopies ? await db.copiedFrontPage({}) : undefined;
    return (copy ?? (await db.frontPage({})))?.featuredDeals ?? [];
  }
}

/** @throws {InputError} if the deal from which a list continues does not have the form of an id. A list could start at any text. */
function asked<Input extends object>(
  input: Input,
  { lastDealId, cursor }: ListPosition,
): [Input & { dealId?: { before: string } }, { cursor: ListPosition['cursor'] }] {
  if (lastDealId !== undefined) ksuidTime(lastDealId);
  return [{ ...input, ...(lastDealId !== undefined && { dealId: { before: lastDealId } }) }, { cursor }];
}

async function listOf(from: ListPosition, page: Promise<Page<Deal>>): Promise<DealList> {
  const { items, cursor } = await page;
  return { deals: items, next: cursor === undefined ? undefined : { lastDealId: from.lastDealId, cursor } };
}
