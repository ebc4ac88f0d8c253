/**
 * What a client is told when the store could not carry out a decision because others kept changing what it rests on: as the service says it of
 * items that a transaction works on. Nothing was written.
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

/** For the failure of a transaction. The store does not say which of its actions met another, so each is told. */
export function cancelForConflict(error: unknown, actionCount: number): never {
  if (!isConflict(error)) throw error;
  throw new TransactionCanceledException(Array.from({ length: actionCount }, () => transactionConflict));
}

function isConflict(error: unknown): boolean {
  return error instanceof StorageError && error.code === 'conflict';
}
