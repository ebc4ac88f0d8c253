import { keptChoice } from './kept-choice.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const choice = keptChoice('singlet.theme', (text): Theme => themes.find((theme) => theme === text) ?? 'system');

export const currentTheme = choice.current;

export function setTheme(theme: Theme): void {
  choice.keep(theme);
  applyTheme();
}

/** `color-scheme` decides every colour: the tokens are pairs. */
export function applyTheme(): void {
  const theme = currentTheme();
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export const useTheme = choice.useCurrent;
