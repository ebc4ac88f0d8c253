import { useSyncExternalStore } from 'react';

/** A choice that the browser keeps. */
export interface KeptChoice<Choice> {
  readonly current: () => Choice;
  readonly keep: (text: string) => void;
  /** A hook: the component is rendered again when the choice changes. */
  readonly useCurrent: () => Choice;
}

/** @param read - turns the kept text into the choice; null gives the default. */
export function keptChoice<Choice extends string | number | boolean>(
  storageKey: string,
  read: (text: string | null) => Choice,
): KeptChoice<Choice> {
  const listeners = new Set<() => void>();
  const current = (): Choice => read(localStorage.getItem(storageKey));
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    current,
    keep: (text) => {
      localStorage.setItem(storageKey, text);
      for (const listener of listeners) listener();
    },
    useCurrent: () => useSyncExternalStore(subscribe, current),
  };
}
