import { ResourceNotFoundException, ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { findLoad } from './find-loads.ts';
import { parseLoadArn } from './load-arn.ts';
import type { LoadRecord } from './load-record.ts';

/**
 * The bulk operation that an ARN names, if it belongs to the requester.
 *
 * @throws {ValidationException} if it is not the ARN of a bulk operation. Assumed text.
 * @throws {ResourceNotFoundException} Assumed text.
 */
export async function findBulkOperation(
  services: EngineServices,
  arn: string,
  context: RequestContext,
): Promise<LoadRecord> {
  const parsed = parseLoadArn('bulk', arn);
  if (parsed === undefined) throw new ValidationException('Invalid BulkOperationArn');
  const isHere = parsed.accountId === context.accountId && parsed.region === context.region;
  const load = isHere ? await findLoad(services, 'bulk', context, parsed.loadId) : undefined;
  if (load === undefined || load.tableName !== parsed.tableName) {
    throw new ResourceNotFoundException(`Requested resource not found: Bulk operation: ${arn} not found`);
  }
  return load;
}
