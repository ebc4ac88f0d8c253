import { StorageError } from '../../storage/storage-error.ts';
import { TransactionCanceledException, TransactionConflictException } from '../../values/service-error.ts';

/**
 * Whether a request failed because its store did. A conflict that a fault store injects reaches a client as the service's
 * TransactionConflict, alone or as the reason of every action of a transaction.
 */
export function isStoreFailure(error: unknown): boolean {
  if (error instanceof StorageError || error instanceof TransactionConflictException) return true;
  return (
    error instanceof TransactionCanceledException &&
    error.cancellationReasons.every(({ code }) => code === 'TransactionConflict')
  );
}
