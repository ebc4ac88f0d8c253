import { type ReactNode, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { navigate, type RequestsAddress } from '../../app/address.ts';
import { useKeys } from '../../app/keys.ts';
import { usePageTitle } from '../../app/page-title.ts';
import { Failure } from '../../ui/failure.tsx';
import { countText, millisecondsText, unitsText } from '../../ui/figures.ts';
import { LiveSign } from '../../ui/live-sign.tsx';
import { percentile, perSecond, recent, useNow } from '../../ui/rate.ts';
import { Strip } from '../../ui/strip.tsx';
import { BatchedFeed } from '../../wire/batched-feed.ts';
import { followEvents, type StreamStatus } from '../../wire/event-stream.ts';
import { inspect } from '../../wire/inspect.ts';
import { RequestLog } from '../../wire/request-log.ts';
import type { LoggedRequest } from './logged-request.ts';
import { RequestPanel } from './request-panel.tsx';
import './requests-view.css';

const requestsMax = 2_000;
const rowsAtOnce = 200;
/** Number of log entries that are read when the view is opened. */
const firstRequests = 500;

/** Requests to the server as they arrive: what each requested, read and cost, and who sent it. */
export function RequestsView({ address }: { readonly address: RequestsAddress }): ReactNode {
  const log = useMemo(() => new RequestLog(), []);
  const { requests, status, error, retry, clear } = useRequests(log);
  const [isPaused, setPaused] = useState(false);
  const [rows, setRows] = useState(rowsAtOnce);
  const held = useRef(requests);
  if (!isPaused) held.current = requests;
  const all = held.current;
  usePageTitle('Requests');
  const shown = useMemo(() => all.filter((request) => isWanted(request, address)), [all, address]);
  const open = (seq: number | undefined): void =>
    navigate({ ...address, seq: seq === undefined ? undefined : String(seq) }, 'replace');
  const step = (by: number): void => {
    const at = shown.findIndex(({ seq }) => String(seq) === address.seq);
    open(shown[Math.max(0, Math.min(shown.length - 1, at + by))]?.seq);
  };
  useKeys({
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    j: () => step(1),
    k: () => step(-1),
    p: () => setPaused(!isPaused),
    f: () => document.getElementById('requests-table')?.focus(),
    Escape: () => open(undefined),
  });
  if (error && requests.length === 0) return <Failure error={error} onRetry={retry} />;
  return (
    <section className={address.seq === undefined ? 'feed' : 'feed with-panel'} aria-label="Requests">
      <header className="feed-bar">
        <LiveSign status={status} isPaused={isPaused} />
        <button type="button" className="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Continue' : 'Pause'} <kbd>P</kbd>
        </button>
        <Filters address={address} requests={all} />
        <span className="grow" />
        {!isPaused && <Pace requests={shown} />}
        <span className="quiet mono">
          {countText(shown.length)} of {countText(all.length)}
        </span>
        <button type="button" className="button plain" onClick={clear}>
          Clear
        </button>
      </header>
      <div className="feed-rows" tabIndex={0} role="region" aria-label="List of requests">
        {shown.length === 0 ? (
          <p className="message">
            {all.length === 0
              ? 'No requests yet. The log is on while this view is open, and new requests appear here.'
              : 'No request matches the filters.'}
          </p>
        ) : (
          <table>
            <thead>
              <tr>
                <th>Time</th>
                <th>Request</th>
                <th className="wide">Key</th>
                <th className="number counts">Read / returned</th>
                <th className="number">Units</th>
                <th className="number">Duration</th>
                <th className="wide">Who</th>
              </tr>
            </thead>
            <tbody>
              {shown.slice(0, rows).map((request) => (
                <RequestRow
                  key={request.seq}
                  request={request}
                  slowMs={slowMsOf(address)}
                  isOpen={String(request.seq) === address.seq}
                  onOpen={() => open(request.seq)}
                />
              ))}
            </tbody>
          </table>
        )}
        {shown.length > rows && (
          <button type="button" className="button" onClick={() => setRows(rows + rowsAtOnce)}>
            Show {rowsAtOnce} more
          </button>
        )}
      </div>
      <Strip log={log} subject="the request log" />
      {address.seq !== undefined && (
        <RequestPanel
          key={address.seq}
          seq={address.seq}
          others={all}
          onExchange={log.add}
          onClose={() => open(undefined)}
        />
      )}
    </section>
  );
}

/** How many of the requests that are shown come, and how long half of them and 99 of 100 take, over the last ten seconds. */
function Pace({ requests }: { readonly requests: readonly LoggedRequest[] }): ReactNode {
  const nowMs = useNow();
  const last = recent(requests, ({ atEpochMs }) => atEpochMs, nowMs);
  const durations = last.map(({ durationMs }) => durationMs);
  return (
    <span className="quiet mono pace" data-testid="pace" title="Of the last ten seconds">
      {unitsText(perSecond(last.length))}/s
      {last.length > 0 &&
        ` · p50 ${millisecondsText(percentile(durations, 0.5))} · p99 ${millisecondsText(percentile(durations, 0.99))}`}
    </span>
  );
}

function useRequests(log: RequestLog): {
  readonly requests: readonly LoggedRequest[];
  readonly status: StreamStatus;
  readonly error: Error | undefined;
  readonly retry: () => void;
  readonly clear: () => void;
} {
  const feed = useMemo(
    () =>
      new BatchedFeed<LoggedRequest>({
        idOf: ({ seq }) => String(seq),
        isNewer: (a, b) => a.seq > b.seq,
        entriesMax: requestsMax,
      }),
    [],
  );
  const [status, setStatus] = useState<StreamStatus>('connecting');
  const [error, setError] = useState<Error>();
  const [tries, setTries] = useState(0);
  const requests = useSyncExternalStore(feed.subscribe, feed.snapshot);
  useEffect(() => {
    setError(undefined);
    let stop = (): void => undefined;
    let isOver = false;
    // The first request tells whether this endpoint has a log, and enables it.
    inspect<{ requests: readonly LoggedRequest[] }>(`requests?limit=${firstRequests}`, { onExchange: log.add }).then(
      ({ requests: first }) => {
        if (isOver) return;
        feed.add(first);
        stop = followEvents({
          topics: ['request'],
          onEvent: (topic, data) => topic === 'request' && feed.add([data as LoggedRequest]), // as docs/inspect.md describes
          onStatus: setStatus,
        });
      },
      (failure: unknown) => setError(failure as Error), // inspect() throws errors only
    );
    return () => {
      isOver = true;
      stop();
    };
  }, [feed, log, tries]);
  return { requests, status, error, retry: () => setTries(tries + 1), clear: feed.clear };
}

function isWanted(request: LoggedRequest, address: RequestsAddress): boolean {
  const { table, action, pattern, who, scan, error } = address;
  return (
    (table === undefined || request.table === table) &&
    (action === undefined || request.action === action) &&
    (pattern === undefined || request.patterns?.some(({ name }) => name === pattern) === true) &&
    (who === undefined ||
      `${request.who.identity ?? ''} ${request.who.userAgent ?? ''}`.toLowerCase().includes(who.toLowerCase())) &&
    (scan === undefined || request.scan) &&
    (error === undefined || request.error !== null) &&
    (address.slow === undefined || request.durationMs >= Number(address.slow))
  );
}

const slowMsByDefault = 50;

function slowMsOf({ slow }: RequestsAddress): number {
  return slow === undefined ? slowMsByDefault : Number(slow);
}

function Filters({
  address,
  requests,
}: {
  readonly address: RequestsAddress;
  readonly requests: readonly LoggedRequest[];
}): ReactNode {
  const set = (change: Partial<RequestsAddress>): void => navigate({ ...address, ...change }, 'replace');
  const choices = (of: (request: LoggedRequest) => string | null, chosen: string | undefined): readonly string[] =>
    [...new Set([...requests.map(of), chosen ?? null])].filter((each) => each !== null).sort();
  const named = requests.flatMap(({ patterns = [] }) => patterns.map(({ name }) => name));
  const patterns = [...new Set([...named, ...(address.pattern === undefined ? [] : [address.pattern])])].sort();
  const toggle = (name: 'scan' | 'error', title: string): ReactNode => (
    <button
      type="button"
      className="button"
      aria-pressed={address[name] !== undefined}
      onClick={() => set({ [name]: address[name] === undefined ? '1' : undefined })}
    >
      {title}
    </button>
  );
  return (
    <>
      <select
        id="requests-table"
        className="field"
        aria-label="Table"
        value={address.table ?? ''}
        onChange={(event) => set({ table: event.target.value || undefined })}
      >
        <option value="">all tables</option>
        {choices(({ table }) => table, address.table).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select
        className="field"
        aria-label="Action"
        value={address.action ?? ''}
        onChange={(event) => set({ action: event.target.value || undefined })}
      >
        <option value="">all actions</option>
        {choices(({ action }) => action, address.action).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {patterns.length > 0 && (
        <select
          className="field"
          aria-label="Pattern"
          value={address.pattern ?? ''}
          onChange={(event) => set({ pattern: event.target.value || undefined })}
        >
          <option value="">all patterns</option>
          {patterns.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
      {toggle('scan', 'Scans')}
      {toggle('error', 'Errors')}
      <button
        type="button"
        className="button"
        aria-pressed={address.slow !== undefined}
        onClick={() => set({ slow: address.slow === undefined ? String(slowMsByDefault) : undefined })}
      >
        Slower than {slowMsOf(address)} ms
      </button>
      <input
        className="field"
        aria-label="Who"
        placeholder="who"
        value={address.who ?? ''}
        spellCheck={false}
        onChange={(event) => set({ who: event.target.value || undefined })}
      />
    </>
  );
}

interface RequestRowProps {
  readonly request: LoggedRequest;
  readonly slowMs: number;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

function RequestRow({ request, slowMs, isOpen, onOpen }: RequestRowProps): ReactNode {
  const {
    atEpochMs,
    action,
    table,
    index,
    keys,
    patterns = [],
    read,
    returned,
    capacity,
    durationMs,
    error,
    scan,
    who,
  } = request;
  return (
    <tr className={isOpen ? 'open' : undefined} onClick={onOpen}>
      <td className="mono">
        <button type="button" className="row-button" aria-expanded={isOpen} onClick={onOpen}>
          {timeText(atEpochMs)}
        </button>
      </td>
      <td>
        <b>{action ?? '?'}</b> <span className="quiet">{index === null ? table : `${table ?? ''} ${index}`}</span>
        {patterns.length > 0 && <span className="request-pattern"> {patternsText(patterns)}</span>}
        {scan && <span className="sign warn"> ! scan</span>}
        {error !== null && <span className="sign bad"> × {error}</span>}
      </td>
      <td className="wide mono quiet">{keys.join(', ')}</td>
      <td className="number mono counts">{read === null ? '' : `${countText(read)} / ${countText(returned ?? 0)}`}</td>
      <td className="number mono">{capacity === null ? '' : capacityText(capacity)}</td>
      <td className={durationMs >= slowMs ? 'number mono sign warn' : 'number mono'}>
        {durationMs >= slowMs && '! '}
        {millisecondsText(durationMs)}
      </td>
      <td className="wide quiet">{[who.identity, who.userAgent?.split(' ')[0]].filter(Boolean).join(' ')}</td>
    </tr>
  );
}

/** `orderWithItems`, or `customer or 2 others` where several patterns ask alike. */
function patternsText(patterns: NonNullable<LoggedRequest['patterns']>): string {
  const others = patterns.length - 1;
  return `${patterns[0]?.name ?? ''}${others === 0 ? '' : others === 1 ? ' or another' : ` or ${others} others`}`;
}

function capacityText({ reads, writes }: { readonly reads: number; readonly writes: number }): string {
  const parts = [...(reads > 0 ? [`${unitsText(reads)} R`] : []), ...(writes > 0 ? [`${unitsText(writes)} W`] : [])];
  return parts.join(' ');
}

/** `08:41:07.120`, in the user's time zone. */
function timeText(epochMs: number): string {
  const date = new Date(epochMs);
  const two = (number: number): string => String(number).padStart(2, '0');
  const seconds = `${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`;
  return `${two(date.getHours())}:${two(date.getMinutes())}:${seconds}`;
}
