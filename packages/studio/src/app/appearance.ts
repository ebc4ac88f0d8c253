import { useSyncExternalStore } from 'react';

/** The browser keeps the theme, and whether single letters are shortcuts. */
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'singlet.theme';
const listeners = new Set<() => void>();

export function currentTheme(): Theme {
  return themes.find((theme) => theme === localStorage.getItem(storageKey)) ?? 'system';
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  applyTheme();
  for (const listener of listeners) listener();
}

/** `color-scheme` decides every colour: the tokens are pairs. */
export function applyTheme(): void {
  const theme = currentTheme();
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentTheme);
}
