import type { ReactNode } from 'react';
import { countText, millisecondsText } from '../../ui/figures.ts';

interface TransferProgressProps {
  readonly label: string;
  readonly done: number;
  /** An estimate may be exceeded. */
  readonly whole: number;
  readonly text: string;
  readonly items: number;
  readonly durationMs: number;
  readonly isDone: boolean;
  readonly onStop: () => void;
}

/** How far an import or an export is, and how fast. */
export function TransferProgress({
  label,
  done,
  whole,
  text,
  items,
  durationMs,
  isDone,
  onStop,
}: TransferProgressProps): ReactNode {
  const part = isDone && done >= whole ? 1 : Math.min(0.99, done / Math.max(1, whole));
  const speed = durationMs === 0 ? 0 : Math.round(items / (durationMs / 1000));
  return (
    <div className="transfer-progress">
      <progress aria-label={label} max={1} value={part} />
      <p role="status" className="mono">
        {text} · {countText(speed)} a second · {millisecondsText(durationMs)}
        {isDone ? (part === 1 ? ' · complete' : ' · stopped') : ''}
      </p>
      {!isDone && (
        <button type="button" className="button" onClick={onStop}>
          Stop
        </button>
      )}
    </div>
  );
}
