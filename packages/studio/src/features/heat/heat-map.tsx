import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useRef } from 'react';
import type { HeatKind } from '../../app/address.ts';
import { heatLevel, seriesOf } from '../../app/heat.ts';
import { unitsText } from '../../ui/figures.ts';
import type { HeatReport } from '../../wire/heat-answers.ts';

interface HeatMapProps {
  readonly report: HeatReport;
  readonly kind: HeatKind;
  readonly row: number | undefined;
  readonly onRow: (row: number) => void;
}

const levels = [1, 2, 3, 4, 5];

/** Hash space from top to bottom, time from left to right. A click or a key selects a range of hashes. */
export function HeatMap({ report, kind, row, onRow }: HeatMapProps): ReactNode {
  const element = useRef<SVGSVGElement>(null);
  const { rows } = report;
  const columns = rows[0]?.reads.length ?? 0;
  const cells = rows.map((each) => seriesOf(each, kind));
  const hottest = Math.max(0, ...cells.map((series) => Math.max(...series)));
  const hottestRow = cells.findIndex((series) => Math.max(...series) === hottest);
  const shown = row ?? (hottest > 0 ? hottestRow : 0);
  // The hottest row is one key away when the view opens.
  useEffect(() => {
    const active = document.activeElement;
    if (active === null || active === document.body || active.closest('nav') !== null)
      element.current?.focus({ preventScroll: true });
  }, []);
  const onClick = (event: MouseEvent): void => {
    const { top = 0, height = 1 } = element.current?.getBoundingClientRect() ?? {};
    onRow(Math.min(rows.length - 1, Math.max(0, Math.floor(((event.clientY - top) / height) * rows.length))));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      onRow(shown);
      return;
    }
    const step = steps[event.key];
    const target = event.key === 'Home' ? 0 : event.key === 'End' ? rows.length - 1 : shown + (step ?? 0);
    if (step === undefined && event.key !== 'Home' && event.key !== 'End') return;
    event.preventDefault();
    onRow(Math.min(rows.length - 1, Math.max(0, target)));
  };
  const total = cells[shown]?.at(-1) ?? 0;
  return (
    <div className="heat-map">
      <svg
        ref={element}
        role="slider"
        tabIndex={0}
        viewBox={`0 0 ${columns} ${rows.length}`}
        preserveAspectRatio="none"
        aria-orientation="vertical"
        aria-label="Range of hashes"
        aria-valuemin={0}
        aria-valuemax={rows.length - 1}
        aria-valuenow={shown}
        aria-valuetext={`from ${rows[shown]?.hashFrom.slice(0, 4) ?? ''}, ${unitsText(total)} ${kind === 'throttled' ? 'refused' : 'units a second'} now`}
        onClick={onClick}
        onKeyDown={onKeyDown}
      >
        {levels.map((level) => (
          <path key={level} className={`level-${level}`} d={pathOf(cells, hottest, level)} />
        ))}
        {report.partitions.slice(1).map(({ hashFrom }) => {
          const at = (Number.parseInt(hashFrom.slice(0, 8), 16) / 2 ** 32) * rows.length;
          return (
            <path key={hashFrom} className="partition" d={`M0 ${at}H${columns}`} vectorEffect="non-scaling-stroke" />
          );
        })}
        {row !== undefined && (
          <rect className="chosen" x={0} y={row} width={columns} height={1} vectorEffect="non-scaling-stroke" />
        )}
      </svg>
      <div className="hash-axis mono" aria-hidden="true">
        {['0000', '4000', '8000', 'c000'].map((text) => (
          <span key={text}>{text}</span>
        ))}
      </div>
      <div className="time-axis mono quiet">
        <span>{momentText(report.from, report)}</span>
        <span>
          {hottest === 0
            ? `nothing was ${pastTense[kind]} in this time`
            : `hottest cell ${unitsText(hottest)} ${kind === 'throttled' ? 'refused' : 'units a second'}`}
        </span>
        <span>{momentText(report.from + report.stepMs * columns, report)}</span>
      </div>
    </div>
  );
}

const pastTense = { read: 'read', write: 'written', throttled: 'throttled' } as const;

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };

/** All cells of one level, as one path. */
function pathOf(cells: readonly (readonly number[])[], hottest: number, level: number): string {
  let path = '';
  for (const [y, series] of cells.entries()) {
    for (const [x, value] of series.entries()) if (heatLevel(value, hottest) === level) path += `M${x} ${y}h1v1h-1z`;
  }
  return path;
}

const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** With the day, if it is another one than that of the report. */
function momentText(epochMs: number, { at }: HeatReport): string {
  const [that, present] = [day.format(epochMs), day.format(at)];
  return that === present ? timeText(epochMs) : `${that}, ${timeText(epochMs)}`;
}

export function timeText(epochMs: number): string {
  return time.format(epochMs);
}
