import type { ReadCall } from '../engine/index.ts';
import { decodeCall } from '../server/index.ts';
import { ValidationException } from '../values/service-error.ts';
import type { Endpoint } from './endpoint.ts';
import { objectOf, textOf } from './members.ts';

/** Shows what a read would read. The body is `{ "operation": "Query", "input": { … } }`, with the input as in the API. */
export const explainEndpoint: Endpoint = {
  method: 'POST',
  path: ['explain'],
  permission: 'Explain',
  async answer({ json, context }, { engine }) {
    const body = objectOf(json);
    const { call } = await decodeCall(textOf(body, 'operation'), objectOf(body['input'], '"input"'), context);
    switch (call.action) {
      case 'GetItem':
      case 'Query':
      case 'Scan':
      case 'ExecuteStatement':
        return (await engine.inspection()).explainRead(call satisfies ReadCall, context);
      default:
        throw new ValidationException(
          `"operation" must be a read of items or a statement, and ${call.action} is none.`,
        );
    }
  },
};
