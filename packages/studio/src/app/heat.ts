import { useEffect, useRef, useState } from 'react';
import { inspect, NotToldError } from '../wire/inspect.ts';
import type { HeatReport, HeatRow } from '../wire/heat-answers.ts';
import type { RequestLog } from '../wire/request-log.ts';
import type { HeatKind } from './address.ts';

/** The requested heat. Without it, no request is sent. */
export interface HeatSubject {
  readonly table: string;
  readonly index: string | undefined;
  readonly minutes: string;
  /** When it begins, epoch milliseconds; it ends now if undefined. */
  readonly from?: string | undefined;
}

export interface HeatState {
  readonly report: HeatReport | undefined;
  readonly error: Error | undefined;
  /** Whether the endpoint is another database. */
  readonly isAbsent: boolean;
}

/** The time between two requests while the page is visible. */
const pauseMs = 2_000;
const nothing: HeatState = { report: undefined, error: undefined, isAbsent: false };

/** The heat of a table or index, requested repeatedly while it is shown. */
export function useHeat(subject: HeatSubject | undefined, log: RequestLog): HeatState {
  const [state, setState] = useState<HeatState>(nothing);
  const { table, index, minutes, from } = subject ?? {};
  const shown = useRef('');
  useEffect(() => {
    // What is shown of a table stays until another time of it has arrived.
    const of = JSON.stringify([table, index]);
    if (of !== shown.current) setState(nothing);
    shown.current = of;
    if (table === undefined) return undefined;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const query = new URLSearchParams({ minutes: minutes ?? '5', ...(from && { from }), ...(index && { index }) });
    const ask = async (): Promise<void> => {
      try {
        if (!document.hidden) {
          const options = { signal: abort.signal, onExchange: log.add };
          const report = await inspect<HeatReport>(`heat/${encodeURIComponent(table)}?${query.toString()}`, options);
          setState({ report, error: undefined, isAbsent: false });
        }
        timer = setTimeout(() => void ask(), pauseMs);
      } catch (error) {
        if (abort.signal.aborted) return;
        setState({ ...nothing, error: error as Error, isAbsent: error instanceof NotToldError }); // inspect() throws errors only
      }
    };
    void ask();
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [table, index, minutes, from, log]);
  return state;
}

const members = { read: 'reads', write: 'writes', throttled: 'throttled' } as const;

/** The figures of a row, of one kind. */
export function seriesOf(row: HeatRow, kind: HeatKind): readonly number[] {
  return row[members[kind]];
}

/** 0 for no load, 1 to 5 by the share of the maximum. The square root keeps small loads visible. */
export function heatLevel(value: number, hottest: number): number {
  return value <= 0 || hottest <= 0 ? 0 : Math.max(1, Math.ceil(Math.sqrt(value / hottest) * 5));
}
