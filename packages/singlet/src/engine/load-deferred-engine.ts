import type * as deferredEngine from './deferred-engine.ts';

export type DeferredEngine = typeof deferredEngine;

let loaded: DeferredEngine | undefined;

/** A server that starts answers before all that it could do has been read: what few requests need comes when it is asked for. */
export async function loadDeferredEngine(): Promise<DeferredEngine> {
  return (loaded ??= await import('./deferred-engine.ts'));
}
