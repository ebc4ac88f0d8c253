import {
  type ActionAtStart,
  type ActionName,
  actionNames,
  actionTable,
  isActionName,
  methodOf,
} from '../../engine/index.ts';
import type { Operation } from './operation.ts';
import * as shapesAtStart from './shapes-at-start.ts';
import type * as shapesWhenUsed from './shapes-when-used.ts';

/** By method; the types make sure that there is a shape for each action, loaded when its implementation is. */
type ShapesAtStart = { readonly [A in ActionAtStart as Uncapitalize<A>]: Operation };
type ShapesWhenUsed = { readonly [A in Exclude<ActionName, ActionAtStart> as Uncapitalize<A>]: Operation };

const atStart: ShapesAtStart = shapesAtStart;
let whenUsed: ShapesWhenUsed | undefined;

/** Loads the shapes that few requests need. Without it, the first of these requests does. */
export async function loadDeferredShapes(): Promise<ShapesWhenUsed> {
  const loaded: typeof shapesWhenUsed = await import('./shapes-when-used.ts');
  return (whenUsed ??= loaded);
}

/** @returns the operation at once when it is there already. */
export function operationOf(action: ActionName): Operation | Promise<Operation> {
  const method = methodOf(action);
  if (isAtStart(method)) return atStart[method];
  return whenUsed === undefined ? loadDeferredShapes().then((shapes) => shapes[method]) : whenUsed[method];
}

function isAtStart(method: Uncapitalize<ActionName>): method is keyof ShapesAtStart {
  return Object.hasOwn(atStart, method);
}

/** The versions of the APIs; the last is our own, for what the service has no action for. */
const apiVersions = {
  tables: 'DynamoDB_20120810',
  streams: 'DynamoDBStreams_20120810',
  singlet: 'Singlet_20261120',
} as const;

/** The value of the `X-Amz-Target` header that asks for an action. Of none that is known: what a client would take it for. */
export function targetOf(action: string): string {
  const { api = 'tables' } = isActionName(action) ? actionTable[action] : {};
  return `${apiVersions[api]}.${action}`;
}

/** The actions by the value of the `X-Amz-Target` header. */
export const actionsByTarget: ReadonlyMap<string, ActionName> = new Map(
  actionNames.map((action) => [targetOf(action), action]),
);
