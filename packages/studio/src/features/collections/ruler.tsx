import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';

interface RulerProps {
  /** Parts of hash space, 0 to 1: the loaded part, and the visible part. */
  readonly from: number;
  readonly to: number;
  readonly here: number;
  /** The heat of each part of hash space, 0 to 5, from its start to its end; and where partitions begin, 0 to 1. */
  readonly heat?: readonly number[] | undefined;
  readonly partitions?: readonly number[] | undefined;
  readonly onJump: (fraction: number) => void;
}

const stepKeys: Readonly<Record<string, number>> = {
  ArrowDown: 0.01,
  ArrowRight: 0.01,
  ArrowUp: -0.01,
  ArrowLeft: -0.01,
  PageDown: 0.1,
  PageUp: -0.1,
};

/** Hash space from its start at the top to its end at the bottom. Hatched parts are not loaded. A click jumps there. Decision 0066 says why. */
export function Ruler({ from, to, here, heat = [], partitions = [], onJump }: RulerProps): ReactNode {
  const element = useRef<HTMLDivElement>(null);
  const [dragged, setDragged] = useState<number>();
  const shown = dragged ?? here;
  const placeOf = (event: PointerEvent): number => {
    const { top = 0, height = 1 } = element.current?.getBoundingClientRect() ?? {};
    return Math.min(1, Math.max(0, (event.clientY - top) / height));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = stepKeys[event.key];
    const target = event.key === 'Home' ? 0 : event.key === 'End' ? 1 : step === undefined ? undefined : here + step;
    if (target === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onJump(Math.min(1, Math.max(0, target)));
  };
  return (
    <div
      ref={element}
      className="ruler"
      role="slider"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Place in hash space"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(shown * 100)}
      aria-valuetext={`about ${Math.round(shown * 100)} %`}
      title={`Hash space: about ${Math.round(shown * 100)} %. What is hatched is not loaded.`}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragged(placeOf(event));
      }}
      onPointerMove={(event) => dragged !== undefined && setDragged(placeOf(event))}
      onPointerUp={(event) => {
        if (dragged === undefined) return;
        setDragged(undefined);
        onJump(placeOf(event));
      }}
      onPointerCancel={() => setDragged(undefined)}
    >
      {heat.length > 0 && (
        <svg
          className="heat-bar"
          viewBox={`0 0 1 ${heat.length}`}
          preserveAspectRatio="none"
          role="img"
          aria-label="Heat of hash space"
        >
          {heat.map((level, at) =>
            // The parts of hash space, in order.
            level === 0 ? null : <rect key={at} className={`level-${level}`} y={at} width="1" height="1" />,
          )}
        </svg>
      )}
      {partitions.map((at) => (
        <span key={at} className="partition" style={{ top: `${at * 100}%` }} />
      ))}
      <span className="held" style={{ top: `${from * 100}%`, height: `${Math.max(0, to - from) * 100}%` }} />
      <span className="here" style={{ top: `clamp(11px, ${shown * 100}%, calc(100% - 11px))` }} />
    </div>
  );
}
