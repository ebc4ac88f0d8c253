import type { Engine, RequestContext } from '../engine/index.ts';
import { DynamoError } from '../values/service-error.ts';
import { carriedCopy } from './carried-copy.ts';
import { operationOfAction } from './operations/index.ts';

/**
 * Calls an action with its input as an object in wire form, and answers with an object in wire form: the protocol without
 * its envelope and without its text. Items of the answer are decoded when they are looked at.
 *
 * @throws {DynamoError} what the service would answer, `UnknownOperationException` and `SerializationException` included.
 */
export async function directCall(
  engine: Engine,
  action: string,
  input: unknown,
  context: RequestContext,
): Promise<object> {
  const operation = operationOfAction(action);
  if (operation === undefined) throw new DynamoError('UnknownOperationException', '');
  // Decoding repairs what it is given in place, and the caller's objects are not ours.
  return operation.prepare(carriedCopy(input), context).runForObject(engine);
}
