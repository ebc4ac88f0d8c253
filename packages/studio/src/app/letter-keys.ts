import { useSyncExternalStore } from 'react';

// Whether single letters are shortcuts. People who dictate to a browser may not want that (WCAG 2.1.4). The browser keeps the choice.

const storageKey = 'singlet.letters';
const listeners = new Set<() => void>();

export function areLetterKeysOn(): boolean {
  return localStorage.getItem(storageKey) !== 'off';
}

export function setLetterKeys(isOn: boolean): void {
  localStorage.setItem(storageKey, isOn ? 'on' : 'off');
  for (const listener of listeners) listener();
}

export function useLetterKeys(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, areLetterKeysOn);
}
