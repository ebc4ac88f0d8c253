import { type ReactNode, useRef } from 'react';
import { panelWidthMax, panelWidthMin, setPanelWidth } from '../../app/panel-width.ts';

const stepPixels = 20;

/** The edge between the rows and the panel of an item: dragged, or moved by the arrow keys. */
export function PanelEdge({ width }: { readonly width: number }): ReactNode {
  const dragged = useRef<{ readonly x: number; readonly width: number }>(undefined);
  return (
    <div
      className="panel-edge"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Width of the item"
      aria-valuemin={panelWidthMin}
      aria-valuemax={panelWidthMax}
      aria-valuenow={width}
      onKeyDown={(event) => {
        const step = event.key === 'ArrowLeft' ? stepPixels : event.key === 'ArrowRight' ? -stepPixels : undefined;
        if (step === undefined) return;
        event.preventDefault();
        setPanelWidth(width + step);
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        dragged.current = { x: event.clientX, width };
      }}
      onPointerMove={(event) => {
        if (dragged.current !== undefined) setPanelWidth(dragged.current.width + dragged.current.x - event.clientX);
      }}
      onPointerUp={() => (dragged.current = undefined)}
      onPointerCancel={() => (dragged.current = undefined)}
    />
  );
}
