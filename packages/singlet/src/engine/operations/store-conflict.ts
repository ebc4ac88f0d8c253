/**
 * The error for a client if the store could not commit a decision because concurrent writes kept changing its inputs, in the
 * service's words for items that a transaction is using. Nothing was written.
 */
import { StorageError } from '../../storage/storage-error.ts';
import {
  TransactionCanceledException,
  TransactionConflictException,
  transactionConflict,
} from '../../values/service-error.ts';

/** For the failure of a write of one item. */
export function rethrowConflict(error: unknown): never {
  throw isConflict(error) ? new TransactionConflictException({ cause: error }) : error;
}

/** For the failure of a transaction. The store does not say which action conflicted, so all are reported. */
export function cancelForConflict(error: unknown, actionCount: number): never {
  if (!isConflict(error)) throw error;
  throw new TransactionCanceledException(Array.from({ length: actionCount }, () => transactionConflict));
}

function isConflict(error: unknown): boolean {
  return error instanceof StorageError && error.code === 'conflict';
}
