import { useEffect, useState } from 'react';
import { inspect, NotToldError } from '../../wire/inspect.ts';
import { inFlight } from '../../wire/in-flight.ts';
import type { RequestLog } from '../../wire/request-log.ts';

/** The part of `GET /_singlet/capacity/TABLE` that is shown. */
interface CapacityReport {
  readonly table: ResourceCapacity;
  readonly globalSecondaryIndexes: Readonly<Record<string, ResourceCapacity>>;
}

export interface ResourceCapacity {
  readonly reads: { readonly consumedUnitsPerSecond: number };
  readonly writes: { readonly consumedUnitsPerSecond: number };
  /** In the order of hash space; `heat` is the used fraction of a partition's throughput. */
  readonly partitions: readonly { readonly heat: number }[];
}

/** What a table and its global indexes consume, by name; the table's own figures have the empty name. */
export type TableRates = Readonly<Record<string, ResourceCapacity>>;

const pauseMs = 5_000;
/** A server may have a thousand tables; the first ones of the list are asked for. */
const tablesMax = 40;

/**
 * The consumption of tables, averaged over the last minute and asked for again while the page is visible. Undefined where it is not known: at
 * an endpoint that is another database, or for callers without the permission.
 */
export function useRates(tableNames: readonly string[], log: RequestLog): ReadonlyMap<string, TableRates> | undefined {
  const [rates, setRates] = useState<ReadonlyMap<string, TableRates>>();
  const names = JSON.stringify(tableNames.slice(0, tablesMax));
  useEffect(() => {
    const asked = JSON.parse(names) as readonly string[]; // as it was serialised above
    if (asked.length === 0) return undefined;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      const found = new Map<string, TableRates>();
      let isRefused = false;
      const read = async (name: string): Promise<void> => {
        try {
          const options = { signal: abort.signal, onExchange: log.addRepeated };
          const report = await inspect<CapacityReport>(`capacity/${encodeURIComponent(name)}`, options);
          found.set(name, { ...report.globalSecondaryIndexes, '': report.table });
        } catch (error) {
          // A table that was deleted meanwhile, and a server that does not answer now, say nothing about the next time.
          isRefused ||= error instanceof NotToldError || (error as Error).name === 'AccessDeniedException'; // inspect() throws errors only
        }
      };
      if (!document.hidden) await inFlight(asked, read, abort.signal);
      if (abort.signal.aborted || isRefused) return;
      if (found.size > 0) setRates(found);
      timer = setTimeout(() => void ask(), pauseMs);
    };
    void ask();
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [names, log]);
  return rates;
}
