import type * as deferredEngine from './deferred-engine.ts';

export type DeferredEngine = typeof deferredEngine;

let loaded: DeferredEngine | undefined;

/** Lets a server answer before everything is loaded: the code that few requests need is loaded on first use. */
export async function loadDeferredEngine(): Promise<DeferredEngine> {
  return (loaded ??= await import('./deferred-engine.ts'));
}
