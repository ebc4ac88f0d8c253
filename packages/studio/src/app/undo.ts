import { useSyncExternalStore } from 'react';

// Writes made through the page can be undone until the page is closed.

export interface Undo {
  readonly label: string;
  /** Undoes it. @throws the error of the service, if another client has changed the item since. */
  readonly run: () => Promise<void>;
}

const stepsMax = 50;
let steps: readonly Undo[] = [];
const listeners = new Set<() => void>();

export function pushUndo(undo: Undo): void {
  set([...steps.slice(1 - stepsMax), undo]);
}

/** Removes and returns the last step. If it cannot be undone now, it cannot be undone later. */
export function takeUndo(): Undo | undefined {
  const last = steps.at(-1);
  set(steps.slice(0, -1));
  return last;
}

export function useUndo(): Undo | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => steps.at(-1),
  );
}

function set(next: readonly Undo[]): void {
  steps = next;
  for (const listener of listeners) listener();
}
