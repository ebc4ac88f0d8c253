import { CONSISTENTLY, orAlready, orDone } from '../../http/or-already.ts';
import type { Requests } from '../../http/requests.ts';
import type { BigTimeDeals } from '../big-time-deals.ts';
import type { Deal, User } from '../connection.ts';
import type { NewDeal } from '../editors.ts';
import { RefusedError } from '../errors.ts';
import type { HotDeal } from '../inbox.ts';
import type { Profile } from '../members.ts';

/** Adds users, deals, brands and categories and tells everybody once for each idempotency key, whatever becomes of the answers. */
export class Once {
  readonly #site: BigTimeDeals;
  readonly #requests: Requests;

  constructor(site: BigTimeDeals, requests: Requests) {
    this.#site = site;
    this.#requests = requests;
  }

  /** BTD-13, and BTD-27 where an earlier attempt has signed up. @throws {RefusedError} `already-exists` for a name that others have. */
  async signUp(user: Profile & { readonly username: string }, key: string | undefined): Promise<User> {
    const { members } = this.#site;
    const { isRepeated } = await this.#requests.attempt(['user', user.username, user.email], key);
    return await orAlready(members.signUp(user), isTaken('User'), async () => {
      const earlier = isRepeated ? await members.settings(user.username, CONSISTENTLY) : undefined;
      return earlier?.email === user.email ? earlier : undefined;
    });
  }

  /** BTD-02. A repetition finds what an earlier attempt has added. @throws {RefusedError} `already-exists` */
  async createBrand(
    brand: { readonly brand: string; readonly brandLogoUrl?: string },
    key: string | undefined,
  ): Promise<void> {
    const { isRepeated } = await this.#requests.attempt(['brand', JSON.stringify(brand)], key);
    await orDone(this.#site.editors.createBrand(brand), (error) => isRepeated && isTaken('Brand')(error));
  }

  /** BTD-03. A repetition finds what an earlier attempt has added. @throws {RefusedError} `already-exists` */
  async createCategory(category: string, key: string | undefined): Promise<void> {
    const { isRepeated } = await this.#requests.attempt(['category', category], key);
    await orDone(this.#site.editors.createCategory(category), (error) => isRepeated && isTaken('Category')(error));
  }

  /** BTD-01, and BTD-12 where an earlier attempt has added it. @throws {RefusedError} `not-found` for a brand or category. */
  async addDeal(deal: NewDeal, key: string | undefined): Promise<Deal> {
    const { editors, catalogue } = this.#site;
    const { id: dealId } = await this.#requests.attempt(['deal'], key);
    try {
      return await editors.createDeal({ ...deal, dealId });
    } catch (error) {
      if (!(error instanceof RefusedError && error.code === 'already-exists' && error.entity === 'Deal')) throw error;
      return await catalogue.deal(dealId, CONSISTENTLY);
    }
  }

  /** BTD-21 and BTD-26. A repetition continues with those whom the earlier attempts have not reached. */
  async tellEverybody(message: HotDeal, key: string | undefined): ReturnType<BigTimeDeals['inbox']['tellEverybody']> {
    const { id } = await this.#requests.attempt(['blast'], key);
    return await this.#site.inbox.tellEverybody({ ...message, blastId: message.blastId ?? id });
  }
}

/** An action that was already done counts as success: a like that is sent twice is one like. @throws {RefusedError} others */
export async function onceIsEnough(deed: Promise<void>): Promise<void> {
  await orDone(deed, (error) => error instanceof RefusedError && error.code === 'already-done');
}

function isTaken(entity: string): (error: unknown) => boolean {
  return (error) => error instanceof RefusedError && error.code === 'already-exists' && error.entity === entity;
}
