import { type ItemOf, ksuidTime, type NewItemOf } from '@singlet/model';
import { isoSeconds } from '../clock.ts';
import type { Connection, Deal, FeaturedDeal } from './connection.ts';
import { obeyed } from './errors.ts';
import type { bigTimeDeals } from './model.ts';

type Entities = (typeof bigTimeDeals)['entities'];

/** A deal as editors enter it. The importer of deals assigns its id, which contains its time. */
export type NewDeal = Omit<NewItemOf<Entities['Deal']>, 'dealId' | 'createdAt'> & { readonly dealId?: string };

/** What editors do in the content management system. */
export class Editors {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** BTD-01. @throws {RefusedError} `already-exists`; `not-found` for a missing brand or category. */
  async createDeal({ dealId, ...deal }: NewDeal): Promise<Deal> {
    const { db, clock, newId } = this.#connection;
    return await obeyed(db.createDeal(dealWithId(deal, dealId ?? newId(clock.nowMs()))));
  }

  /** BTD-02: the brand, and its name in the list of all. @throws {RefusedError} `already-exists`: both unchanged. */
  async createBrand(brand: { readonly brand: string; readonly brandLogoUrl?: string }): Promise<void> {
    await obeyed(this.#connection.db.createBrand({ brand, list: { name: brand.brand } }));
  }

  /** BTD-03. @throws {RefusedError} `already-exists` */
  async createCategory(category: string): Promise<void> {
    await obeyed(this.#connection.db.createCategory({ category }));
  }

  /** BTD-04: the whole list, 5 to 10 deals. */
  async featureOnFrontPage(featuredDeals: readonly FeaturedDeal[]): Promise<void> {
    await this.#connection.db.setFrontPage({ featuredDeals: [...featuredDeals] });
  }

  /** BTD-05: the whole list, 5 to 10 deals; counts stay. @throws {RefusedError} `not-found` */
  async featureInCategory(category: string, featuredDeals: readonly FeaturedDeal[]): Promise<void> {
    await obeyed(this.#connection.db.setCategoryFeatured({ category, featured: [...featuredDeals] }));
  }

  /** BTD-06: the whole list. */
  async chooseAsEditors(featuredDeals: readonly FeaturedDeal[]): Promise<void> {
    await this.#connection.db.setEditorsChoice({ featuredDeals: [...featuredDeals] });
  }
}

/** A deal's time is the one inside its id, so that the id alone determines where a list continues. */
function dealWithId(deal: Omit<NewDeal, 'dealId'>, dealId: string): NewItemOf<Entities['Deal']> {
  return { ...deal, dealId, createdAt: isoSeconds(ksuidTime(dealId) / 1000) };
}

/** The part of a deal that editors copy to where it is featured. */
export function featuredCopy(deal: ItemOf<Entities['Deal']>): FeaturedDeal {
  const { dealId, title, imageUrl, price, link } = deal;
  return { id: dealId, name: title, price, link, ...(imageUrl !== undefined && { image: imageUrl }) };
}
