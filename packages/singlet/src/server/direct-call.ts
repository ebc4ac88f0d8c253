import type { Engine, RequestContext } from '../engine/index.ts';
import { DynamoError } from '../values/service-error.ts';
import { operationOfAction } from './operations/index.ts';

/**
 * Calls an action with its input as an object in wire form, and answers with an object in wire form: the protocol without
 * its envelope.
 *
 * @throws {DynamoError} what the service would answer, `UnknownOperationException` and `SerializationException` included.
 */
export async function directCall(
  engine: Engine,
  action: string,
  input: unknown,
  context: RequestContext,
): Promise<unknown> {
  const operation = operationOfAction(action);
  if (operation === undefined) throw new DynamoError('UnknownOperationException', '');
  // Decoding repairs what it is given in place, and the caller's objects are not ours; a copy by way of JSON also drops
  // what the wire could not carry, members that are undefined above all.
  const json: unknown = JSON.parse(JSON.stringify(input) ?? 'null');
  const body = await operation.prepare(json, context).run(engine);
  return body.length === 0 ? {} : (JSON.parse(body.toString('utf8')) as unknown);
}
