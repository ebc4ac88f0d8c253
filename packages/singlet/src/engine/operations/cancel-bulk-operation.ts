import { ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { spawnLoad } from '../jobs/background-work.ts';
import { findBulkOperation } from '../transfer/find-bulk-operation.ts';
import { loadKey, loadReference } from '../transfer/load-keys.ts';
import { decodeLoad, encodeLoad, isOpen, type LoadStatus } from '../transfer/load-record.ts';

export interface CancelBulkOperationRequest {
  readonly bulkOperationArn: string;
}

export interface CancelBulkOperationResult {
  readonly bulkOperationArn: string;
  /** CANCELLING. */
  readonly bulkOperationStatus: LoadStatus;
}

/**
 * Requests the end of a bulk operation. Written items stay; it becomes CANCELLED after the current batch.
 *
 * @throws {ValidationException} if it is already finished, or the text is not the ARN of a bulk operation. Assumed texts.
 * @throws {ResourceNotFoundException}
 * @see Amazon DynamoDB API Reference, CancelBulkOperation
 */
export async function cancelBulkOperation(
  services: EngineServices,
  { bulkOperationArn }: CancelBulkOperationRequest,
  context: RequestContext,
): Promise<CancelBulkOperationResult> {
  const { loadId } = await findBulkOperation(services, bulkOperationArn, context);
  const reference = loadReference('bulk', context, loadId);
  const key = loadKey(reference);
  await services.store.write([key], ([value]) => {
    const load = value === undefined ? undefined : decodeLoad(key, value);
    if (load === undefined || !isOpen(load)) {
      throw new ValidationException(
        `The bulk operation is not in progress and cannot be cancelled. Status: ${load?.status ?? 'unknown'}`,
      );
    }
    return { answer: undefined, writes: [{ key, value: encodeLoad(key, { ...load, status: 'CANCELLING' }) }] };
  });
  // If no process is running it, this ends it.
  spawnLoad(services, reference);
  return { bulkOperationArn, bulkOperationStatus: 'CANCELLING' };
}
