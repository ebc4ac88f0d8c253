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

/** The request of the action; an object without members if the implementation takes none. */
export type RequestOf<A extends ActionName> =
  Parameters<ImplementationOf<A>> extends [unknown, infer Request, ...unknown[]] ? Request : object;

/** The result of the action. */
export type ResultOf<A extends ActionName> = Awaited<ReturnType<ImplementationOf<A>>>;

/** The engine's methods for the actions, each of the type of its implementation. */
export type EngineActions = {
  readonly [A in ActionName as Uncapitalize<A>]: (
    request: RequestOf<A>,
    context: RequestContext,
  ) => ReturnType<ImplementationOf<A>>;
};

/** What is declared about an action, apart from its implementation and its shape. */
export interface ActionRow<Request> {
  /** The action's API, unless it is the one for tables and items. */
  readonly api?: 'streams' | 'singlet';
  /** The IAM actions that a request may need, unless it is only the action's own name. */
  readonly permissions?: readonly string[];
  /** The table that the request concerns, for logs; undefined for none or several. */
  readonly tableName: (request: Request) => string | undefined;
  /**
   * The permissions that a request needs before it runs.
   *
   * @param request - the decoded request.
   * @throws {ValidationException} for a request that the action would refuse.
   */
  readonly touches: (request: Request, action: ActionName) => Awaitable<readonly Touch[]>;
}

/** `getItem` of `GetItem`. */
export function methodOf<A extends ActionName>(action: A): Uncapitalize<A> {
  return `${action.charAt(0).toLowerCase()}${action.slice(1)}` as Uncapitalize<A>; // as the type is defined
}
