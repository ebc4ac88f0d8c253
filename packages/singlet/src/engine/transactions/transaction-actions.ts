import {
  type CancellationReason,
  ConditionalCheckFailedException,
  ItemCollectionSizeLimitExceededException,
  ThroughputExceededError,
  TransactionCanceledException,
  ValidationException,
} from '../../values/service-error.ts';
import { readCapacityUnits } from '../../values/capacity-units.ts';
import type { CapacityModel } from '../capacity/capacity-model.ts';
import { throttledReason } from '../capacity/throughput-exceeded.ts';
import type { ItemKey } from '../catalog/item-key.ts';
import type { ItemWrite, ItemWriteOutcome } from '../followers/item-write.ts';
import { RequestRefusedException } from '../catalog/request-refused.ts';

/** The tables of a transaction, each once, in the order in which the request first names them. */
export function distinctTableNames(actions: readonly { readonly tableName: string }[]): readonly string[] {
  return [...new Set(actions.map(({ tableName }) => tableName))];
}

/** @throws {ValidationException} if two actions address one item. */
export function checkDistinct(keys: readonly ItemKey[]): void {
  const seen = new Set(keys.map(({ storeKey }) => storeKey.toString('latin1')));
  if (seen.size < keys.length) {
    throw new ValidationException('Transaction request cannot include multiple operations on one item');
  }
}

/**
 * Prepares every action against its table. An error in one of them cancels the transaction, with a reason at the position
 * of the first such action.
 *
 * @throws {TransactionCanceledException}
 * @throws {RequestRefusedException} for an error of the whole request.
 */
export function settleActions<A, T>(actions: readonly A[], prepare: (action: A) => T): readonly T[] {
  return actions.map((action, at) => {
    try {
      return prepare(action);
    } catch (error) {
      const reason = cancellationReason(error);
      throw new TransactionCanceledException(actions.map((_, other) => (other === at ? reason : { code: 'None' })));
    }
  });
}

/**
 * Admits the actions of a transaction, or cancels it with reasons for all actions that are throttled.
 *
 * @throws {TransactionCanceledException}
 */
export function admitActions<A>(actions: readonly A[], admit: (action: A) => void): void {
  const reasons: CancellationReason[] = actions.map((action) => {
    try {
      admit(action);
      return { code: 'None' };
    } catch (error) {
      return cancellationReason(error);
    }
  });
  if (reasons.some(({ code }) => code !== 'None')) throw new TransactionCanceledException(reasons);
}

/** Counts the writes of a transaction: every write twice. */
export function consumeWrites(
  capacity: CapacityModel,
  writes: readonly ItemWrite[],
  outcomes: readonly ItemWriteOutcome[],
): void {
  writes.forEach((write, at) => capacity.consumeWrite(write, outcomes[at] as ItemWriteOutcome, true)); // one for each
}

/** Counts a transaction that was executed before: as a read of the items it wrote. */
export function consumeRepeated(
  capacity: CapacityModel,
  writes: readonly ItemWrite[],
  sizesBytes: readonly number[],
): void {
  writes.forEach(({ table, key }, at) =>
    capacity.consumeRead(table, key, readCapacityUnits(sizesBytes[at] ?? 0, 'transactional')),
  );
}

/** The reason that an error of one action gives; any other error is rethrown. */
export function cancellationReason(error: unknown): CancellationReason {
  if (error instanceof ConditionalCheckFailedException) {
    return {
      code: 'ConditionalCheckFailed',
      message: error.message,
      ...(error.item !== undefined && { item: error.item }),
    };
  }
  if (error instanceof ItemCollectionSizeLimitExceededException) {
    return { code: 'ItemCollectionSizeLimitExceeded', message: error.message };
  }
  if (error instanceof ThroughputExceededError) return throttledReason(error);
  if (error instanceof RequestRefusedException) throw error;
  if (error instanceof ValidationException) return { code: 'ValidationError', message: error.message };
  throw error;
}
