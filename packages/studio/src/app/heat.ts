import { useCallback, useEffect, useRef, useState } from 'react';
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

interface HeatState {
  /** The last one received. It stays while later requests fail. */
  readonly report: HeatReport | undefined;
  /** The failure of the last request. */
  readonly error: Error | undefined;
  /** Whether the endpoint is another database. */
  readonly isAbsent: boolean;
  /** The time until the next request after a failure, milliseconds; undefined if there will be none. */
  readonly retryInMs: number | undefined;
}

/** The time between two requests while the page is visible. After each failure it doubles, up to a maximum. */
const pauseMs = 2_000;
const pauseMsMax = 30_000;
const nothing: HeatState = { report: undefined, error: undefined, isAbsent: false, retryInMs: undefined };

/**
 * The heat of a table or index, requested repeatedly while it is shown.
 *
 * @returns the state, and a function that requests it now.
 */
export function useHeat(subject: HeatSubject | undefined, log: RequestLog): HeatState & { readonly again: () => void } {
  const [state, setState] = useState<HeatState>(nothing);
  const [attempt, setAttempt] = useState(0);
  const again = useCallback(() => setAttempt((made) => made + 1), []);
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
    let failures = 0;
    const query = new URLSearchParams({ minutes: minutes ?? '5', ...(from && { from }), ...(index && { index }) });
    const ask = async (): Promise<void> => {
      try {
        if (!document.hidden) {
          const options = { signal: abort.signal, onExchange: log.add };
          const report = await inspect<HeatReport>(`heat/${encodeURIComponent(table)}?${query.toString()}`, options);
          failures = 0;
          setState({ ...nothing, report });
        }
        timer = setTimeout(() => void ask(), pauseMs);
      } catch (error) {
        if (abort.signal.aborted) return;
        if (error instanceof NotToldError) {
          setState({ ...nothing, error, isAbsent: true });
          return;
        }
        failures += 1;
        const retryInMs = Math.min(pauseMsMax, pauseMs * 2 ** (failures - 1));
        setState(({ report }) => ({ report, error: error as Error, isAbsent: false, retryInMs })); // inspect() throws errors only
        timer = setTimeout(() => void ask(), retryInMs);
      }
    };
    void ask();
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [table, index, minutes, from, log, attempt]);
  return { ...state, again };
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
