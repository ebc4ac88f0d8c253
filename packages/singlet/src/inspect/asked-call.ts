import { decodeCall } from '../server/index.ts';
import type { RequestContext } from '../engine/index.ts';
import { objectOf, textOf } from './members.ts';

/**
 * The call that a body asks about: `{ "operation": "Query", "input": { … } }` as in the API, or `{ "statement": TEXT, "parameters": [ … ] }` for
 * ExecuteStatement.
 *
 * @throws {DynamoError} for what is no request of the API.
 */
export async function askedCall(
  json: unknown,
  context: RequestContext,
): Promise<Awaited<ReturnType<typeof decodeCall>>['call']> {
  const body = objectOf(json);
  const { statement, parameters } = body;
  if (body['operation'] === undefined && statement !== undefined) {
    const input = { Statement: textOf(body, 'statement'), ...(parameters !== undefined && { Parameters: parameters }) };
    return (await decodeCall('ExecuteStatement', input, context)).call;
  }
  return (await decodeCall(textOf(body, 'operation'), objectOf(body['input'], '"input"'), context)).call;
}
