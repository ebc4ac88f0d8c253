import { useSyncExternalStore } from 'react';

// The width of the panel of an item beside the rows. The browser keeps the choice.

export const panelWidthMin = 320;
export const panelWidthMax = 640;
const panelWidthByDefault = 404;
const storageKey = 'singlet.panel';
const listeners = new Set<() => void>();

export function setPanelWidth(width: number): void {
  localStorage.setItem(storageKey, String(Math.round(Math.min(panelWidthMax, Math.max(panelWidthMin, width)))));
  for (const listener of listeners) listener();
}

function panelWidth(): number {
  const kept = Number(localStorage.getItem(storageKey) ?? panelWidthByDefault);
  return kept >= panelWidthMin && kept <= panelWidthMax ? kept : panelWidthByDefault;
}

export function usePanelWidth(): number {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, panelWidth);
}
