import type { Requests } from '../../http/requests.ts';
import type { BigTimeDeals } from '../big-time-deals.ts';
import type { Deal } from '../connection.ts';
import type { NewDeal } from '../editors.ts';
import { RefusedError } from '../errors.ts';

/** Adds a deal. */
export type AddDeal = (deal: NewDeal, key: string | undefined) => Promise<Deal>;

/** Adds a deal once for each idempotency key. BTD-01, and BTD-12 where an earlier attempt has added it. */
export function addOnce({ editors, catalogue }: BigTimeDeals, requests: Requests): AddDeal {
  return async (deal, key) => {
    const { id: dealId } = await requests.attempt(['deal'], key);
    try {
      return await editors.createDeal({ ...deal, dealId });
    } catch (error) {
      if (!(error instanceof RefusedError && error.code === 'already-exists' && error.entity === 'Deal')) throw error;
      return await catalogue.deal(dealId);
    }
  };
}
