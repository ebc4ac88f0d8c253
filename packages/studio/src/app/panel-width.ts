import { keptChoice } from './kept-choice.ts';

// The width of the panel of an item beside the rows.

export const panelWidthMin = 320;
export const panelWidthMax = 640;
const panelWidthByDefault = 404;

const choice = keptChoice('singlet.panel', (text) => {
  const width = Number(text ?? panelWidthByDefault);
  return width >= panelWidthMin && width <= panelWidthMax ? width : panelWidthByDefault;
});

export function setPanelWidth(width: number): void {
  choice.keep(String(Math.round(Math.min(panelWidthMax, Math.max(panelWidthMin, width)))));
}

export const usePanelWidth = choice.useCurrent;
