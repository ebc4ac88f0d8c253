import type { ReadCall } from '../engine/index.ts';
import { ValidationException } from '../values/service-error.ts';
import { askedCall } from './asked-call.ts';
import type { Endpoint } from './endpoint.ts';

/** Shows what a read would read. The body names an action and its input as in the API, or a statement. */
export const explainEndpoint: Endpoint = {
  method: 'POST',
  path: ['explain'],
  permission: 'Explain',
  async answer({ json, context }, { engine }) {
    const call = await askedCall(json, context);
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
