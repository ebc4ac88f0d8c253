import {
  type CancellationReason,
  ConditionalCheckFailedException,
  ItemCollectionSizeLimitExceededException,
  TransactionCanceledException,
  ValidationException,
} from '../../values/service-error.ts';
import type { ItemKey } from '../items/item-key.ts';
import { RequestRefusedException } from '../items/request-refused.ts';

/** The tables of a transaction, each once, in the order in which the request names them first. */
export function distinctTableNames(actions: readonly { readonly tableName: string }[]): readonly string[] {
  return [...new Set(actions.map(({ tableName }) => tableName))];
}

/** @throws {ValidationException} when two actions are about one item. */
export function checkDistinct(keys: readonly ItemKey[]): void {
  const seen = new Set(keys.map(({ storeKey }) => storeKey.toString('latin1')));
  if (seen.size < keys.length) {
    throw new ValidationException('Transaction request cannot include multiple operations on one item');
  }
}

/**
 * Prepares every action against its table. What is wrong with one of them cancels the transaction, with a reason in the place
 * of the first such action.
 *
 * @throws {TransactionCanceledException}
 * @throws {RequestRefusedException} for what is wrong with the whole request.
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

/** The reason that an error of one action gives; an error that is none of the action's own is thrown on. */
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
  if (error instanceof RequestRefusedException) throw error;
  if (error instanceof ValidationException) return { code: 'ValidationError', message: error.message };
  throw error;
}
