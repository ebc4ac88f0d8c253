import type { RequestContext } from '../environment.ts';
import { loadDeferredEngine } from '../load-deferred-engine.ts';
import type { EngineServices } from '../services.ts';
import { type ActionName, type EngineActions, methodOf } from './action.ts';
import { actionNames } from './action-table.ts';
import * as loadedAtStart from './loaded-at-start.ts';

type Implementation = (services: EngineServices, request: unknown, context: RequestContext) => unknown;

type Method = (request: unknown, context: RequestContext) => unknown;

/** The actions as methods of an engine. A deferred action is loaded by its first call, together with all other deferred ones. */
export function bindActions(services: EngineServices): EngineActions {
  const methods = actionNames.map((action) => [methodOf(action), bind(services, action)] as const);
  // Each method is the implementation of that name; the table's type gives its request and result.
  return Object.fromEntries(methods) as unknown as EngineActions;
}

function bind(services: EngineServices, action: ActionName): Method {
  const { weather } = services;
  const method = bindInFairWeather(services, action);
  if (weather === undefined) return method;
  return (request, context) => weather.around(action, request as object, (weathered) => method(weathered, context));
}

function bindInFairWeather(services: EngineServices, action: ActionName): Method {
  const method = methodOf(action);
  const present = (loadedAtStart as Readonly<Record<string, unknown>>)[method] as Implementation | undefined;
  if (present !== undefined) return (request, context) => present(services, request, context);
  return async (request, context) => {
    const { actions } = await loadDeferredEngine();
    return (actions as unknown as Readonly<Record<string, Implementation>>)[method]?.(services, request, context);
  };
}
