import type { Requests } from '../../http/requests.ts';
import type { BigTimeDeals } from '../big-time-deals.ts';
import type { Deal } from '../connection.ts';
import type { NewDeal } from '../editors.ts';
import { RefusedError } from '../errors.ts';
import type { HotDeal } from '../inbox.ts';

/** Adds deals and tells everybody of them once for each idempotency key, whatever becomes of the answers. */
export class Once {
  readonly #site: BigTimeDeals;
  readonly #requests: Requests;

  constructor(site: BigTimeDeals, requests: Requests) {
    this.#site = site;
    this.#requests = requests;
  }

  /** BTD-01, and BTD-12 where an earlier attempt has added it. @throws {RefusedError} `not-found` for a brand or category. */
  async addDeal(deal: NewDeal, key: string | undefined): Promise<Deal> {
    const { editors, catalogue } = this.#site;
    const { id: dealId } = await this.#requests.attempt(['deal'], key);
    try {
      return await editors.createDeal({ ...deal, dealId });
    } catch (error) {
      if (!(error instanceof RefusedError && error.code === 'already-exists' && error.entity === 'Deal')) throw error;
      return await catalogue.deal(dealId);
    }
  }

  /** BTD-21 and BTD-26. A repetition continues with those whom the earlier attempts have not reached. */
  async tellEverybody(message: HotDeal, key: string | undefined): ReturnType<BigTimeDeals['inbox']['tellEverybody']> {
    const { id } = await this.#requests.attempt(['blast'], key);
    return await this.#site.inbox.tellEverybody({ ...message, blastId: message.blastId ?? id });
  }
}
