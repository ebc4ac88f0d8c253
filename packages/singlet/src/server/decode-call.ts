import { isActionName, type RequestContext } from '../engine/index.ts';
import { DynamoError } from '../values/service-error.ts';
import { operationOf } from './operations/index.ts';
import type { PreparedCall } from './operations/operation.ts';

/** A request that was decoded but not run. */
export type DecodedInput = Pick<PreparedCall, 'call' | 'table' | 'touches'>;

/**
 * Decodes the input of an action in wire form, without running it.
 *
 * @param input - belongs to the call from now on: it is repaired in place.
 * @throws {DynamoError} the service's answer to an input of the wrong shape.
 */
export async function decodeCall(action: string, input: unknown, context: RequestContext): Promise<DecodedInput> {
  if (!isActionName(action)) throw new DynamoError('UnknownOperationException', '');
  return (await operationOf(action)).prepare(input, context);
}
