import type { WriteCall } from '../engine/index.ts';
import { decodeCall } from '../server/index.ts';
import { ValidationException } from '../values/service-error.ts';
import type { Endpoint } from './endpoint.ts';
import { objectOf, textOf } from './members.ts';

/** Shows what a write would do. The body is `{ "operation": "UpdateItem", "input": { … } }`, with the input as in the API. */
export const previewEndpoint: Endpoint = {
  method: 'POST',
  path: ['preview'],
  permission: 'Preview',
  async answer({ json, context }, { engine }) {
    const body = objectOf(json);
    const { call } = await decodeCall(textOf(body, 'operation'), objectOf(body['input'], '"input"'), context);
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
