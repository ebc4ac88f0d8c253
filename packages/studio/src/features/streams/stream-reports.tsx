import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { ageText, countText, plural } from '../../ui/figures.ts';
import type { Exchange } from '../../wire/client.ts';
import { inspect } from '../../wire/inspect.ts';

interface StreamReport {
  readonly streamArn: string;
  readonly view: string;
  readonly shards: readonly {
    readonly shardId: string;
    readonly closedAtEpochMs: number | null;
    readonly records: number;
  }[];
  /** Absent from an older server. */
  readonly readers?: readonly StreamReader[];
}

/** A reader that keeps its checkpoints in this database. */
interface StreamReader {
  readonly name: string;
  readonly unread: number;
  readonly behindMs: number | null;
}

interface ExpiryReport {
  /** Null if time to live is disabled. */
  readonly attributeName: string | null;
  readonly isComplete: boolean;
  readonly due: number;
  readonly isCountedToTheEnd: boolean;
}

interface ReplicaLag {
  readonly tableName: string;
  readonly from: string;
  readonly to: string;
  readonly pendingItemCount: number;
  readonly lagMs: number;
}

interface Reports {
  readonly stream?: StreamReport;
  /** Absent if time to live is disabled. */
  readonly expiry?: ExpiryReport | undefined;
  readonly replicas?: readonly ReplicaLag[];
  readonly error?: Error;
}

export interface StreamReportsState {
  readonly state: Reports;
  readonly refresh: () => void;
}

const refreshMs = 5_000;

/** The server's reports on a stream, on time to live and on replicas. */
export function useStreamReports(tableName: string, onExchange: (exchange: Exchange) => void): StreamReportsState {
  const [state, setState] = useState<Reports>({});
  const refresh = useCallback(() => {
    load(tableName, onExchange).then(setState, (error: unknown) => setState({ error: error as Error })); // inspect() throws errors only
  }, [tableName, onExchange]);
  // Readers progress without any record.
  useEffect(() => {
    refresh();
    const timer = setInterval(() => document.hidden || refresh(), refreshMs);
    return () => clearInterval(timer);
  }, [refresh]);
  return { state, refresh };
}

async function load(tableName: string, onExchange: (exchange: Exchange) => void): Promise<Reports> {
  const name = encodeURIComponent(tableName);
  const [stream, expiry, { replicas }] = await Promise.all([
    inspect<StreamReport>(`streams/${name}`, { onExchange }),
    expiryOf(name, onExchange),
    inspect<{ replicas: readonly ReplicaLag[] }>('replicas', { onExchange }),
  ]);
  return { stream, expiry, replicas: replicas.filter((lag) => lag.tableName === tableName) };
}

async function expiryOf(name: string, onExchange: (exchange: Exchange) => void): Promise<ExpiryReport | undefined> {
  try {
    return await inspect<ExpiryReport>(`ttl/${name}`, { onExchange });
  } catch (error) {
    if (error instanceof Error && /^(ResourceNotFound|Validation)Exception$/.test(error.name)) return undefined;
    throw error;
  }
}

/** One line of figures below the records. */
export function StreamReports({ reports }: { readonly reports: StreamReportsState }): ReactNode {
  const { stream, expiry, replicas } = reports.state;
  if (stream === undefined) return null;
  const open = stream.shards.filter(({ closedAtEpochMs }) => closedAtEpochMs === null).length;
  const records = stream.shards.reduce((sum, shard) => sum + shard.records, 0);
  return (
    <p className="stream-reports mono quiet" role="group" aria-label="Reports">
      <span>
        {stream.view}: {plural(records, 'record')} in {plural(stream.shards.length, 'shard')}, {open} open
      </span>
      {(stream.readers ?? []).map(({ name, unread, behindMs }) => (
        <span key={name} className="reader">
          {name}: {behindMs === null ? 'up to date' : `${plural(unread, 'record')} unread, ${ageText(behindMs)} behind`}
        </span>
      ))}
      <span>
        {expiry === undefined || expiry.attributeName === null
          ? 'TTL is off'
          : `TTL ${expiry.attributeName}: ${countText(expiry.due)}${expiry.isCountedToTheEnd ? '' : ' or more'} due`}
      </span>
      {(replicas ?? []).map(({ from, to, pendingItemCount, lagMs }) => (
        <span key={`${from} ${to}`}>
          {from} to {to}: {plural(pendingItemCount, 'item')} pending, {ageText(lagMs)} behind
        </span>
      ))}
    </p>
  );
}
