import type { WriteCall } from '../engine/index.ts';
import { ValidationException } from '../values/service-error.ts';
import { askedCall } from './asked-call.ts';
import type { Endpoint } from './endpoint.ts';

/** Shows what a write would do. The body names an action and its input as in the API, or a statement. */
export const previewEndpoint: Endpoint = {
  method: 'POST',
  path: ['preview'],
  permission: 'Preview',
  async answer({ json, context }, { engine }) {
    const call = await askedCall(json, context);
    switch (call.action) {
      case 'PutItem':
      case 'UpdateItem':
      case 'DeleteItem':
      case 'BatchWriteItem':
      case 'TransactWriteItems':
      case 'ExecuteStatement':
        return (await engine.inspection()).previewWrite(call satisfies WriteCall, context);
      default:
        throw new ValidationException(`"operation" must be a write of items, and ${call.action} is none.`);
    }
  },
};
