import type { EntityItem } from '@singlet/model';
import { ksuidTime } from '@singlet/model';
import { isoSeconds, epochSecondsOf } from '../clock.ts';
import { inParallel } from '../in-parallel.ts';
import type { Connection, Deal } from './connection.ts';
import { derivedId, type Inbox, MESSAGES_AT_ONCE } from './inbox.ts';
import type { bigTimeDeals } from './model.ts';

/** An item has 400 KB, including the names, type and time of the cache. */
const CACHE_BYTES_MAX = 390_000;
const DAY_MS = 86_400_000;

export type SiteItem = EntityItem<(typeof bigTimeDeals)['entities']>;

/** A change of one item, as in a stream record. */
export interface Change {
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly newImage?: SiteItem | undefined;
  readonly oldImage?: SiteItem | undefined;
}

/**
 * The effects of changes: messages to watchers (BTD-22, BTD-23), the cache of the latest deals (BTD-24) and copies
 * of the most frequently read items (BTD-28). Changes may be delivered more than once; all effects are idempotent.
 */
export class DealChanges {
  readonly #connection: Connection;
  readonly #inbox: Inbox;
  /** Refreshes run one after the other, so that none overwrites a later one with older data. */
  #refreshed: Promise<void> = Promise.resolve();

  constructor(connection: Connection, inbox: Inbox) {
    this.#connection = connection;
    this.#inbox = inbox;
  }

  async handle(changes: readonly Change[]): Promise<void> {
    for (const { eventName, newImage } of changes) {
      if (newImage?.entity === 'Deal' && eventName === 'INSERT') {
        await this.tellWatchersOfBrand(newImage.item);
        await this.tellWatchersOfCategory(newImage.item);
      }
    }
    if (changes.some(isOfDeal)) await this.refreshCache(changes);
    for (const { newImage } of changes) await this.copy(newImage);
  }

  /** BTD-22. */
  async tellWatchersOfBrand(deal: Deal): Promise<void> {
    const watchers = this.#connection.db.watchersOfBrand.each({ brand: deal.brand });
    await inParallel(MESSAGES_AT_ONCE, watchers, async ({ username }) => {
      await this.#tell(deal, 'brand', `New from ${deal.brand}`, username);
    });
  }

  /** BTD-23: watchers of the brand and of the category get a message for each. */
  async tellWatchersOfCategory(deal: Deal): Promise<void> {
    const watchers = this.#connection.db.watchersOfCategory.each({ category: deal.category });
    await inParallel(MESSAGES_AT_ONCE, watchers, async ({ username }) => {
      await this.#tell(deal, 'category', `New in ${deal.category}`, username);
    });
  }

  /**
   * BTD-24: writes the deals of today and yesterday to every copy of the cache, or only the newest if not all fit.
   *
   * @param changes - changes that the index may not show yet.
   */
  async refreshCache(changes: readonly Change[] = []): Promise<void> {
    const refresh = this.#refreshed.then(async () => this.#refresh(changes));
    this.#refreshed = refresh.catch(() => undefined);
    await refresh;
  }

  /** BTD-28: the copies of a frequently read item; none for any other item. */
  async copy(image: SiteItem | undefined): Promise<void> {
    const { db } = this.#connection;
    switch (image?.entity) {
      case 'Brands':
        return void (await db.copyBrands(image.item));
      case 'FrontPage':
        return void (await db.copyFrontPage(image.item));
      case 'EditorsChoice':
        return void (await db.copyEditorsChoice(image.item));
      default:
    }
  }

  async #refresh(changes: readonly Change[]): Promise<void> {
    const { db, clock } = this.#connection;
    // One page is 1 MB, which is more than fits.
    const { items } = await db.dealsForCache({});
    const deals = new Map(items.map((deal) => [deal.dealId, deal]));
    for (const { newImage, oldImage } of changes) {
      if (newImage?.entity === 'Deal') deals.set(newImage.item.dealId, newImage.item);
      else if (oldImage?.entity === 'Deal') deals.delete(oldImage.item.dealId);
    }
    const yesterdayMs = (Math.floor(clock.nowMs() / DAY_MS) - 1) * DAY_MS;
    const recent = [...deals.values()]
      .filter(({ dealId }) => ksuidTime(dealId) >= yesterdayMs)
      .sort((left, right) => (left.dealId < right.dealId ? 1 : -1));
    await db.fillDealsCache({ deals: newestThatFit(recent), refreshedAt: isoSeconds(epochSecondsOf(clock)) });
  }

  async #tell(deal: Deal, kind: string, subject: string, username: string): Promise<void> {
    const { dealId, title } = deal;
    await this.#inbox.sendOnce({ username, subject, body: title, dealId }, derivedId(dealId, kind, username));
  }
}

function isOfDeal({ newImage, oldImage }: Change): boolean {
  return newImage?.entity === 'Deal' || oldImage?.entity === 'Deal';
}

/** As JSON a deal has at least as many bytes as in an item. */
function newestThatFit(deals: readonly Deal[]): Deal[] {
  let bytes = 0;
  return deals.filter((deal) => (bytes += Buffer.byteLength(JSON.stringify(deal))) <= CACHE_BYTES_MAX);
}
