import type { Awaitable } from '../values/awaitable.ts';
import { type Engine, isActionName, type RequestContext } from '../engine/index.ts';
import { DynamoError } from '../values/service-error.ts';
import { wireCopy } from './wire-copy.ts';
import { operationOf } from './operations/index.ts';
import type { Operation } from './operations/operation.ts';

/**
 * Calls an action with its input as an object in wire form, and answers with an object in wire form: the protocol without
 * its envelope and without its text. Items of the answer are decoded when they are read. The fast path of a request as JSON
 * text, with the same request to the engine and the same answer (`same-request.test.ts`, `direct-call.test.ts`).
 *
 * @throws {DynamoError} the service's error, including `UnknownOperationException` and `SerializationException`.
 */
export function directCall(engine: Engine, action: string, input: unknown, context: RequestContext): Awaitable<object> {
  if (!isActionName(action)) throw new DynamoError('UnknownOperationException', '');
  const operation = operationOf(action);
  // Decoding repairs its input in place, and the caller's objects are not ours.
  const copy = wireCopy(input);
  const run = (loaded: Operation): Awaitable<object> => loaded.prepare(copy, context).runForObject(engine);
  return 'prepare' in operation ? run(operation) : operation.then(run);
}
