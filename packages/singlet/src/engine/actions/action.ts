import type { Awaitable } from '../../values/awaitable.ts';
import type { RequestContext } from '../environment.ts';
import type * as loadedAtStart from './loaded-at-start.ts';
import type * as loadedWhenUsed from './loaded-when-used.ts';
import type { Touch } from './touch.ts';

/** The implementations by method: `getItem`. */
type Implementations = typeof loadedAtStart & typeof loadedWhenUsed;

/** An action of the API by its name there: `GetItem`. */
export type ActionName = Capitalize<keyof Implementations>;

/** An action whose implementation and shape are loaded with the program. */
export type ActionAtStart = Capitalize<keyof typeof loadedAtStart>;

type ImplementationOf<A extends ActionName> = Implementations[Uncapitalize<A>];

/** What the engine is asked when the action is called; an object without members where its implementation takes none. */
export type RequestOf<A extends ActionName> =
  Parameters<ImplementationOf<A>> extends [unknown, infer Request, ...unknown[]] ? Request : object;

/** What the engine answers. */
export type ResultOf<A extends ActionName> = Awaited<ReturnType<ImplementationOf<A>>>;

/** The engine's methods for the actions, each of the type of its implementation. */
export type EngineActions = {
  readonly [A in ActionName as Uncapitalize<A>]: (
    request: RequestOf<A>,
    context: RequestContext,
  ) => ReturnType<ImplementationOf<A>>;
};

/** What is to be known of an action beside its implementation and its shape. */
export interface ActionRow<Request> {
  /** The API that the action belongs to, where that is not the one for tables and items. */
  readonly api?: 'streams' | 'singlet';
  /** The IAM actions that a request may need, where these are others than the action's own name. */
  readonly permissions?: readonly string[];
  /** The table that the request is about, for logs; undefined for none or several. */
  readonly tableName: (request: Request) => string | undefined;
  /**
   * What a request needs permission for, before it runs.
   *
   * @param request - decoded.
   * @throws {ValidationException} for a request that the action would refuse.
   */
  readonly touches: (request: Request, action: ActionName) => Awaitable<readonly Touch[]>;
}

/** `getItem` of `GetItem`. */
export function methodOf<A extends ActionName>(action: A): Uncapitalize<A> {
  return `${action.charAt(0).toLowerCase()}${action.slice(1)}` as Uncapitalize<A>; // so the type is defined
}
