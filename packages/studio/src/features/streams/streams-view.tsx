import { type ReactNode, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { navigate, type StreamsAddress } from '../../app/address.ts';
import { catalog, useCatalog } from '../../app/catalog.ts';
import { useKeys } from '../../app/keys.ts';
import { entitiesFor, useModels } from '../../app/models.ts';
import { usePageTitle } from '../../app/page-title.ts';
import { Entities, type Entity } from '../../grid/entities.ts';
import { itemId } from '../../grid/rows.ts';
import { Badge, entityClass } from '../../ui/badge.tsx';
import { Failure } from '../../ui/failure.tsx';
import { countText, unitsText } from '../../ui/figures.ts';
import { KeyText } from '../../ui/key-text.tsx';
import { Link } from '../../ui/link.tsx';
import { LiveSign } from '../../ui/live-sign.tsx';
import { perSecond, recent, useNow } from '../../ui/rate.ts';
import { Strip } from '../../ui/strip.tsx';
import { cellText, keyText, typedText } from '../../values/value-text.ts';
import { BatchedFeed } from '../../wire/batched-feed.ts';
import { followEvents, type StreamStatus } from '../../wire/event-stream.ts';
import { NotToldError } from '../../wire/inspect.ts';
import { RequestLog } from '../../wire/request-log.ts';
import { keyNamesOf, type TableDescription } from '../../wire/table-description.ts';
import { pastRecordsMax, readPastRecords, shardIdsOf } from '../../wire/past-records.ts';
import { StreamReports, useStreamReports } from './stream-reports.tsx';
import { changesOf, eventNames, imageOf, isExpiry, isNewer, type StreamRecord } from '../../wire/stream-records.ts';
import './streams-view.css';

const recordsMax = 2_000;
const rowsAtOnce = 200;

/** The changes of applications as they happen: each record of a table's stream with the attributes it changed. */
export function StreamsView({ address }: { readonly address: StreamsAddress }): ReactNode {
  const { tables, status, error } = useCatalog();
  const withStream = tables.filter(({ StreamSpecification }) => StreamSpecification?.StreamEnabled === true);
  const name = address.table ?? withStream[0]?.TableName;
  const table = tables.find(({ TableName }) => TableName === name);
  usePageTitle(name === undefined ? 'Streams' : `Stream of ${name}`);
  if (error && !table) return <Failure error={error} onRetry={() => void catalog.refresh()} />;
  if (status === 'loading') return null;
  if (table === undefined || !withStream.includes(table)) {
    return (
      <p className="message">
        {name === undefined ? 'No table here has a stream.' : `The table ${name} has no stream, or is not here.`} A
        stream is switched on with UpdateTable: StreamEnabled, and NEW_AND_OLD_IMAGES as its view.
      </p>
    );
  }
  return <Stream key={table.TableName} address={address} table={table} tables={withStream} />;
}

interface StreamProps {
  readonly address: StreamsAddress;
  readonly table: TableDescription;
  readonly tables: readonly TableDescription[];
}

function Stream({ address, table, tables }: StreamProps): ReactNode {
  const log = useMemo(() => new RequestLog(), []);
  const models = useModels();
  const entities = useMemo(() => new Entities(table, entitiesFor(models, table.TableName)), [table, models]);
  const reports = useStreamReports(table.TableName, log.add);
  const { records, status, lost, feed } = useRecords(table.TableName, log, reports.refresh);
  const [isPaused, setPaused] = useState(false);
  const [rows, setRows] = useState(rowsAtOnce);
  const [past, setPast] = useState<{ readonly notice?: string; readonly error?: Error; readonly isReading?: true }>({});
  const held = useRef(records);
  if (!isPaused) held.current = records;
  const all = held.current;
  const shown = all.filter((record) => isWanted(record, address, entities));
  const { stream, error } = reports.state;
  // Another database sends no events. Its stream is read with the API of streams, when the user requests it.
  const isRead = error instanceof NotToldError;
  const arn = stream?.streamArn ?? (isRead ? table.LatestStreamArn : undefined);
  const set = (change: Partial<StreamsAddress>): void =>
    navigate({ ...address, table: table.TableName, ...change }, 'replace');
  const readPast = async (): Promise<void> => {
    if (arn === undefined) return;
    const options = { onExchange: log.add };
    setPast({ isReading: true });
    try {
      const shardIds = stream?.shards.map(({ shardId }) => shardId) ?? (await shardIdsOf(arn, options));
      const count = await readPastRecords(arn, shardIds, options, feed.add);
      setPast({
        notice: count >= pastRecordsMax ? `The first ${countText(count)} records were read.` : '',
      });
    } catch (error) {
      setPast({ error: error as Error }); // call() throws errors only
    }
  };
  // An address may request past records as well.
  useEffect(() => {
    if (address.from === 'start' && arn !== undefined) void readPast();
  }, [address.from, arn]);
  useKeys({ p: () => setPaused(!isPaused), f: () => document.getElementById('stream-key')?.focus() });
  if (error && !isRead) return <Failure error={error} onRetry={reports.refresh} />;
  return (
    <section className="feed" aria-label="Stream">
      <header className="feed-bar">
        {isRead ? (
          <span className="quiet">This endpoint sends no events. Read again to see newer records.</span>
        ) : (
          <>
            <LiveSign status={status} isPaused={isPaused} />
            {!isPaused && <Pace records={shown} />}
          </>
        )}
        <button type="button" className="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Continue' : 'Pause'} <kbd>P</kbd>
        </button>
        <select
          className="field"
          aria-label="Table"
          value={table.TableName}
          onChange={(event) => navigate({ view: 'streams', table: event.target.value })}
        >
          {tables.map(({ TableName }) => (
            <option key={TableName}>{TableName}</option>
          ))}
        </select>
        {eventNames.map((name) => (
          <button
            key={name}
            type="button"
            className="button"
            aria-pressed={address.kind === name}
            onClick={() => set({ kind: address.kind === name ? undefined : name })}
          >
            {name}
          </button>
        ))}
        <select
          className="field"
          aria-label="Entity"
          value={address.entity ?? ''}
          onChange={(event) => set({ entity: event.target.value || undefined })}
        >
          <option value="">all entities</option>
          {entityNames(entities.all, address.entity).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <input
          id="stream-key"
          className="field mono"
          aria-label="Key"
          placeholder="part of a key"
          value={address.key ?? ''}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => set({ key: event.target.value || undefined })}
        />
        <span className="grow" />
        <button
          type="button"
          className="button"
          disabled={address.from === 'start' && !isRead}
          onClick={() => (address.from === 'start' ? void readPast() : set({ from: 'start' }))}
        >
          {address.from === 'start' && isRead ? 'Read again' : 'Read from the start'}
        </button>
      </header>
      <div className="feed-rows" tabIndex={0} role="region" aria-label="Records">
        {past.error && <Failure error={past.error} onRetry={() => void readPast()} />}
        {past.notice !== undefined && past.notice !== '' && <p className="message">{past.notice}</p>}
        {lost !== undefined && (
          <p className="message sign warn" role="status">
            ! {lost}
          </p>
        )}
        {shown.length === 0 ? (
          <p className="message">
            {all.length === 0
              ? past.isReading
                ? 'Reading the stream…'
                : 'No records yet. New writes appear here; “Read from the start” shows earlier ones.'
              : 'No record matches the filters.'}
          </p>
        ) : (
          <ol className="records">
            {shown.slice(0, rows).map((record) => (
              <RecordRow key={record.eventID} record={record} table={table} entity={entities.of(imageOf(record))} />
            ))}
          </ol>
        )}
        {shown.length > rows && (
          <button type="button" className="button" onClick={() => setRows(rows + rowsAtOnce)}>
            Show {rowsAtOnce} more
          </button>
        )}
      </div>
      <StreamReports reports={reports} />
      <Strip log={log} subject={`${table.TableName}, stream`} />
    </section>
  );
}

/** How many of the records that are shown were written, over the last ten seconds. */
function Pace({ records }: { readonly records: readonly StreamRecord[] }): ReactNode {
  const nowMs = useNow();
  const last = recent(records, ({ dynamodb }) => (dynamodb.ApproximateCreationDateTime ?? 0) * 1000, nowMs);
  return (
    <span className="quiet mono pace" data-testid="pace" title="Of the last ten seconds">
      {unitsText(perSecond(last.length))}/s
    </span>
  );
}

function useRecords(
  tableName: string,
  log: RequestLog,
  onRecords: () => void,
): {
  readonly records: readonly StreamRecord[];
  readonly status: StreamStatus;
  readonly lost: string | undefined;
  readonly feed: BatchedFeed<StreamRecord>;
} {
  const feed = useMemo(
    () => new BatchedFeed<StreamRecord>({ idOf: ({ eventID }) => eventID, isNewer, entriesMax: recordsMax }),
    [],
  );
  const [status, setStatus] = useState<StreamStatus>('connecting');
  const [lost, setLost] = useState<string>();
  const records = useSyncExternalStore(feed.subscribe, feed.snapshot);
  const latest = useRef(onRecords);
  latest.current = onRecords;
  useEffect(
    () =>
      followEvents({
        topics: ['record'],
        tables: [tableName],
        onStatus: setStatus,
        onEvent: (topic, data) => {
          if (topic === 'record') {
            feed.add([(data as { record: StreamRecord }).record]); // as docs/inspect.md describes
            log.received(1);
          }
          if (topic === 'gap') setLost('Some records were removed from the stream before they could be read.');
        },
      }),
    [feed, tableName, log],
  );
  // Figures of the stream are updated when records pause.
  useEffect(() => {
    const timer = setTimeout(() => latest.current(), reportsAfterMs);
    return () => clearTimeout(timer);
  }, [records]);
  return { records, status, lost, feed };
}

const reportsAfterMs = 1_000;

function isWanted(record: StreamRecord, { kind, entity, key }: StreamsAddress, entities: Entities): boolean {
  if (kind !== undefined && record.eventName !== kind) return false;
  if (entity !== undefined && entities.of(imageOf(record))?.name !== entity) return false;
  const wanted = key?.toLowerCase();
  return (
    wanted === undefined ||
    Object.values(record.dynamodb.Keys).some((value) => keyText(value).toLowerCase().includes(wanted))
  );
}

function entityNames(met: readonly Entity[], chosen: string | undefined): readonly string[] {
  const names = met.map(({ name }) => name);
  return chosen === undefined || names.includes(chosen) ? names : [...names, chosen];
}

const signs = { INSERT: '+', MODIFY: '~', REMOVE: '−' } as const;
const changesMax = 8;

function RecordRow({
  record,
  table,
  entity,
}: {
  readonly record: StreamRecord;
  readonly table: TableDescription;
  readonly entity: Entity | undefined;
}): ReactNode {
  const { eventName, dynamodb } = record;
  const keys = keyNamesOf(table);
  const changes = changesOf(record);
  const partition = dynamodb.Keys[keys.partition];
  return (
    <li className={`record ${entityClass(entity)}`}>
      <span className="mono quiet">{secondText(dynamodb.ApproximateCreationDateTime)}</span>
      <b className="mono event">
        {signs[eventName]} {eventName}
      </b>
      {entity && <Badge entity={entity} />}
      <span className="mono key">
        <Link
          to={{
            view: 'collections',
            table: table.TableName,
            pk: partition && typedText(partition),
            item: itemId(dynamodb.Keys, keys),
          }}
        >
          {Object.values(dynamodb.Keys).map((value, at) => (
            // The two attributes of a key never change their order.
            <span key={at}>
              {at > 0 && <span className="literal"> · </span>}
              <KeyText text={keyText(value)} />
            </span>
          ))}
        </Link>
        {isExpiry(record) && <span className="quiet"> expired</span>}
      </span>
      <span className="changes mono">
        {changes === undefined ? (
          <span className="quiet">the stream has no images to compare</span>
        ) : (
          changes.slice(0, changesMax).map(({ name, old, now }) => (
            <span key={name} className="change">
              <span className="literal">{name}</span> {old && <del>{cellText(old)}</del>}{' '}
              {now && <ins>{cellText(now)}</ins>}
            </span>
          ))
        )}
        {changes !== undefined && changes.length > changesMax && (
          <span className="quiet">and {changes.length - changesMax} more</span>
        )}
      </span>
    </li>
  );
}

/** Streams report seconds. */
function secondText(epochSeconds: number | undefined): string {
  if (epochSeconds === undefined) return '';
  const date = new Date(epochSeconds * 1000);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
