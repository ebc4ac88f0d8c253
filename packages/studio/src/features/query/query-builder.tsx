import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { navigate, type QueryAddress } from '../../app/address.ts';
import { useChord, useKeys } from '../../app/keys.ts';
import { commandKey } from '../../app/shell.tsx';
import { ExplanationPanel, useExplanation } from '../../ui/explanation-panel.tsx';
import { Failure } from '../../ui/failure.tsx';
import { bytesText, countText, plural, unitsText } from '../../ui/figures.ts';
import { ItemTable } from '../../ui/item-table.tsx';
import { Strip } from '../../ui/strip.tsx';
import { type BuiltQuery, type BuiltRequest, requestOf } from '../../request-text/built-query.ts';
import { TextProblem } from '../../request-text/condition-tokens.ts';
import { RequestLog } from '../../wire/request-log.ts';
import { indexesOf, type TableDescription } from '../../wire/table-description.ts';
import { addressOf, builtOfAddress } from './query-address.ts';
import { QueryFields } from './query-fields.tsx';
import { RequestForms } from './request-forms.tsx';
import { type ReadPages, useReadPages } from './read-pages.ts';

interface QueryBuilderProps {
  readonly address: QueryAddress;
  readonly table: TableDescription;
  readonly tableNames: readonly string[];
  readonly onTable: (name: string) => void;
}

type Composed = { readonly request: BuiltRequest } | { readonly problem: string };

/** The address determines everything: the fields, the four forms, and the request that is run. */
export function QueryBuilder({ address, table, tableNames, onTable }: QueryBuilderProps): ReactNode {
  const log = useMemo(() => new RequestLog(), []);
  const built = useMemo(() => builtOfAddress(address, table), [address, table]);
  const composed = useMemo(() => composedOf(table, built), [table, built]);
  const pages = useReadPages(log.add);
  const explanation = useExplanation(log.add);
  const first = useRef<HTMLElement>(null);
  const change = (next: BuiltQuery): void => {
    explanation.clear();
    navigate(addressOf(table, next, { as: address.as }), 'replace');
  };
  const run = (): void => {
    if ('problem' in composed) return;
    if (address.run === undefined) navigate({ ...address, table: table.TableName, run: '1' }, 'replace');
    pages.run(composed.request);
  };
  const explain = (): void => {
    if ('request' in composed) explanation.ask(composed.request);
  };
  // An address whose query was run is run again when it is opened, and shows the same result.
  useEffect(() => {
    if (address.run !== undefined) run();
  }, []);
  useChord('Enter', run);
  useKeys({ e: explain, f: () => first.current?.querySelector<HTMLElement>('#query-pk')?.focus() });
  return (
    <section className="query" aria-label="Query builder" ref={first}>
      <div className="query-scroll">
        <QueryFields table={table} built={built} tableNames={tableNames} onTable={onTable} onChange={change} />
        <RequestForms
          table={table}
          built={built}
          composed={composed}
          as={address.as ?? 'request'}
          onAs={(as) => navigate({ ...address, as }, 'replace')}
          onChange={change}
        />
        <div className="run-bar">
          <button type="button" className="button main" disabled={'problem' in composed} onClick={run}>
            Run <kbd>{commandKey()}Enter</kbd>
          </button>
          <button type="button" className="button" disabled={'problem' in composed} onClick={explain}>
            Explain <kbd>E</kbd>
          </button>
          {'problem' in composed ? (
            <span className="problem" role="status">
              {composed.problem}
            </span>
          ) : (
            <Forecast table={table} built={built} />
          )}
        </div>
        <ExplanationPanel explanation={explanation} />
        <Results table={table} pages={pages} />
      </div>
      <Strip log={log} subject={built.index === undefined ? table.TableName : `${table.TableName}, ${built.index}`} />
    </section>
  );
}

function composedOf(table: TableDescription, built: BuiltQuery): Composed {
  try {
    return { request: requestOf(table, built) };
  } catch (error) {
    if (error instanceof TextProblem) return { problem: error.message };
    throw error;
  }
}

const pageBytes = 1024 * 1024;
const readUnitBytes = 4096;

/** What is known before any request. A scan is named as such, with the amount that it would read. */
function Forecast({ table, built }: { readonly table: TableDescription; readonly built: BuiltQuery }): ReactNode {
  const index = indexesOf(table).find(({ IndexName }) => IndexName === built.index);
  const items = (index ? index.ItemCount : table.ItemCount) ?? 0;
  const bytes = (index ? index.IndexSizeBytes : table.TableSizeBytes) ?? 0;
  const factor = built.isConsistent ? 1 : 0.5;
  if (built.partition !== undefined) {
    const most = unitsText((pageBytes / readUnitBytes) * factor);
    return (
      <span className="quiet">
        Query: one partition key; a page reads{' '}
        {built.limit === undefined ? 'up to 1 MB' : `${built.limit} items at most`}, {most} RCU at most.
      </span>
    );
  }
  const units = Math.max(1, Math.ceil(bytes / readUnitBytes)) * factor;
  return (
    <span className="scan-warning" role="status">
      <b>! Scan</b> of {index?.IndexName ?? table.TableName}: all {plural(items, 'item')}, {bytesText(bytes)},{' '}
      {unitsText(units)} RCU, whatever the filter returns.
    </span>
  );
}

function Results({ table, pages }: { readonly table: TableDescription; readonly pages: ReadPages }): ReactNode {
  const { items, error, isEnd, isReading, hasRun, read } = pages.state;
  const [shown, setShown] = useState(rowsAtOnce);
  useEffect(() => setShown(rowsAtOnce), [hasRun, pages.state.run]);
  if (error) return <Failure error={error} onRetry={pages.again} />;
  if (!hasRun) return null;
  if (items.length === 0 && !isReading)
    return (
      <p className="message" role="status">
        Nothing was returned: {plural(read, 'item')} read. {isEnd ? '' : 'There is more to read.'}{' '}
        {!isEnd && (
          <button type="button" className="button" onClick={pages.more}>
            Read on
          </button>
        )}
      </p>
    );
  return (
    <ItemTable table={table} items={items} shown={shown} label="Items of the query">
      {items.length > shown && (
        <button type="button" className="button" onClick={() => setShown(shown + rowsAtOnce)}>
          Show {countText(Math.min(rowsAtOnce, items.length - shown))} more of {countText(items.length)}
        </button>
      )}
      {!isEnd && !isReading && (
        <>
          <button type="button" className="button" onClick={pages.more}>
            Read the next page
          </button>
          <button type="button" className="button" onClick={pages.all}>
            Read all
          </button>
        </>
      )}
      {isReading && (
        <button type="button" className="button" onClick={pages.stop}>
          Stop reading
        </button>
      )}
    </ItemTable>
  );
}

const rowsAtOnce = 100;
