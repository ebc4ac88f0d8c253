import type { Engine, RequestContext } from '../engine/index.ts';
import { DynamoError } from '../values/service-error.ts';
import { operationOfAction } from './operations/index.ts';
import { SerializationException } from './serialization-exception.ts';

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
): Promise<unknown> {
  const operation = operationOfAction(action);
  if (operation === undefined) throw new DynamoError('UnknownOperationException', '');
  // Decoding repairs what it is given in place, and the caller's objects are not ours.
  return operation.prepare(copyOf(input, 0), context).runForObject(engine);
}

/** Far beyond what any request has use for, and far below what would overflow the stack. */
const depthMax = 1_000;

/** What the wire would carry of a value: members that are undefined are dropped, as JSON does. */
function copyOf(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return isCarried(value) ? value : null;
  if (depth > depthMax) throw new SerializationException();
  if (Array.isArray(value)) return value.map((element) => copyOf(element, depth + 1));
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (!isCarried(member)) continue;
    const copied = copyOf(member, depth + 1);
    if (name === '__proto__')
      Object.defineProperty(copy, name, { value: copied, enumerable: true, configurable: true, writable: true });
    else copy[name] = copied;
  }
  return copy;
}

function isCarried(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}
