import { keptChoice } from './kept-choice.ts';

// Whether single letters are shortcuts. People who dictate to a browser may not want that (WCAG 2.1.4).

const choice = keptChoice('singlet.letters', (text) => text !== 'off');

export const areLetterKeysOn = choice.current;

export function setLetterKeys(isOn: boolean): void {
  choice.keep(isOn ? 'on' : 'off');
}

export const useLetterKeys = choice.useCurrent;
