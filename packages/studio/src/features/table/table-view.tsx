import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { TableAddress } from '../../app/address.ts';
import { catalog, useCatalog } from '../../app/catalog.ts';
import { usePageTitle } from '../../app/page-title.ts';
import {
  changeRequests,
  creationRequests,
  draftOf,
  newTable,
  type TableDraft,
  type TableSettings,
} from '../../request-text/table-requests.ts';
import { Failure } from '../../ui/failure.tsx';
import { Link } from '../../ui/link.tsx';
import { Strip } from '../../ui/strip.tsx';
import { call, type CallOptions, ServiceError } from '../../wire/client.ts';
import { RequestLog } from '../../wire/request-log.ts';
import type { TableDescription } from '../../wire/table-description.ts';
import { DeleteTable } from './delete-table.tsx';
import { ExportSection } from './export-section.tsx';
import { ImportSection } from './import-section.tsx';
import { PlannedRequests } from './planned-requests.tsx';
import { TableForm } from './table-form.tsx';
import './table-view.css';

/** The settings of a table, or a table that is being created; and its items from and to files. */
export function TableView({ address }: { readonly address: TableAddress }): ReactNode {
  const { tables, status, error } = useCatalog();
  const log = useMemo(() => new RequestLog(), []);
  const table = tables.find(({ TableName }) => TableName === address.table);
  usePageTitle(address.table === undefined ? 'New table' : `Settings of ${address.table}`);
  return (
    <section className="table-view" aria-label="Table">
      <div className="scroll" tabIndex={0} role="region" aria-label="Settings of the table">
        {address.table === undefined ? (
          <NewTable log={log} />
        ) : table === undefined ? (
          status !== 'loading' && (
            <Failure
              error={error ?? new ServiceError('ResourceNotFoundException', `There is no table ${address.table} here.`)}
              onRetry={() => void catalog.refresh()}
            />
          )
        ) : (
          <ExistingTable key={table.TableName} table={table} log={log} />
        )}
      </div>
      <Strip log={log} subject={address.table ?? 'a new table'} />
    </section>
  );
}

function NewTable({ log }: { readonly log: RequestLog }): ReactNode {
  const [draft, setDraft] = useState<TableDraft>(newTable);
  const requests = useMemo(() => creationRequests(draft), [draft]);
  return (
    <>
      <header>
        <h2>New table</h2>
      </header>
      <div className="table-columns">
        <TableForm draft={draft} before={undefined} onChange={setDraft} />
        <PlannedRequests
          tableName={draft.name}
          requests={requests}
          isNew
          onExchange={log.add}
          onSent={() => void catalog.refresh()}
        />
      </div>
    </>
  );
}

function ExistingTable({ table, log }: { readonly table: TableDescription; readonly log: RequestLog }): ReactNode {
  const [before, setBefore] = useState<TableDraft>();
  const [draft, setDraft] = useState<TableDraft>();
  const [error, setError] = useState<Error>();
  const [reads, setReads] = useState(0);
  // After a refusal, what was asked for stays in the form.
  const keepsDraft = useRef(false);
  useEffect(() => {
    const abort = new AbortController();
    const read = async (): Promise<void> => {
      try {
        const options = { onExchange: log.add, signal: abort.signal };
        const { Table } = await call<{ Table: TableDescription }>(
          'DescribeTable',
          { TableName: table.TableName },
          options,
        );
        const present = draftOf(Table, await readSettings(Table, options));
        setBefore(present);
        setDraft((drafted) => (keepsDraft.current ? (drafted ?? present) : present));
        setError(undefined);
      } catch (cause) {
        if (!abort.signal.aborted) setError(cause as Error); // call() throws errors only
      }
    };
    void read();
    return () => abort.abort();
  }, [table.TableName, reads, log]);
  const again = (isComplete = true): void => {
    keepsDraft.current = !isComplete;
    setReads(reads + 1);
    void catalog.refresh();
  };
  const requests = useMemo(
    () => (before === undefined || draft === undefined ? [] : changeRequests(table, before, draft)),
    [table, before, draft],
  );
  return (
    <>
      <header>
        <h2 className="mono">{table.TableName}</h2>
        <Link to={{ view: 'collections', table: table.TableName }} className="button">
          Items
        </Link>
      </header>
      {error && <Failure error={error} onRetry={() => again()} />}
      {draft && before && (
        <div className="table-columns">
          <TableForm draft={draft} before={before} onChange={setDraft} />
          <PlannedRequests
            tableName={table.TableName}
            requests={requests}
            isNew={false}
            onExchange={log.add}
            onSent={again}
          />
        </div>
      )}
      <div className="table-columns">
        <ImportSection table={table} onExchange={log.add} />
        <ExportSection table={table} onExchange={log.add} />
      </div>
      <DeleteTable table={table} onExchange={log.add} />
    </>
  );
}

/** What DescribeTable does not say. An endpoint without one of these operations has the setting off. */
async function readSettings(table: TableDescription, options: CallOptions): Promise<TableSettings> {
  const { TableName, TableArn: ResourceArn } = table;
  const [ttl, backups, tags] = await Promise.all([
    known<{ TimeToLiveDescription?: { TimeToLiveStatus?: string; AttributeName?: string } }>(
      call('DescribeTimeToLive', { TableName }, options),
    ),
    known<{
      ContinuousBackupsDescription?: { PointInTimeRecoveryDescription?: { PointInTimeRecoveryStatus?: string } };
    }>(call('DescribeContinuousBackups', { TableName }, options)),
    known<{ Tags?: readonly { readonly Key: string; readonly Value: string }[] }>(
      call('ListTagsOfResource', { ResourceArn }, options),
    ),
  ]);
  const { TimeToLiveStatus = '', AttributeName = '' } = ttl?.TimeToLiveDescription ?? {};
  const recovery = backups?.ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
  return {
    ttl: TimeToLiveStatus.startsWith('ENABL') ? AttributeName : '',
    isRecoverable: recovery === 'ENABLED',
    tags: (tags?.Tags ?? []).map(({ Key, Value }) => `${Key}=${Value}`).join('\n'),
  };
}

async function known<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ServiceError && /^(UnknownOperation|AccessDenied)Exception$/.test(error.name))
      return undefined;
    throw error;
  }
}
