import type { Engine, RequestContext } from '../engine/index.ts';
import { DynamoError } from '../values/service-error.ts';
import { carriedCopy } from './carried-copy.ts';
import { isActionName, operationOf } from './operations/index.ts';

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
  if (!isActionName(action)) throw new DynamoError('UnknownOperationException', '');
  const operation = operationOf(action);
  // Decoding repairs what it is given in place, and the caller's objects are not ours.
  const copy = carriedCopy(input);
  return ('prepare' in operation ? operation : await operation).prepare(copy, context).runForObject(engine);
}
