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

/** By method; the types ensure that every action has a shape, loaded together with its implementation. */
type ShapesAtStart = { readonly [A in ActionAtStart as Uncapitalize<A>]: Operation };
type ShapesWhenUsed = { readonly [A in Exclude<ActionName, ActionAtStart> as Uncapitalize<A>]: Operation };

const atStart: ShapesAtStart = shapesAtStart;
let whenUsed: ShapesWhenUsed | undefined;

/** Loads the shapes that few requests need. Without this call, the first of these requests loads them. */
export async function loadDeferredShapes(): Promise<ShapesWhenUsed> {
  const loaded: typeof shapesWhenUsed = await import('./shapes-when-used.ts');
  return (whenUsed ??= loaded);
}

/** @returns the operation synchronously if it is loaded already. */
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

/** The value of the `X-Amz-Target` header for an action. For an unknown action: the value that a client would send. */
export function targetOf(action: string): string {
  const { api = 'tables' } = isActionName(action) ? actionTable[action] : {};
  return `${apiVersions[api]}.${action}`;
}

/** The actions by the value of the `X-Amz-Target` header. */
export const actionsByTarget: ReadonlyMap<string, ActionName> = new Map(
  actionNames.map((action) => [targetOf(action), action]),
);
