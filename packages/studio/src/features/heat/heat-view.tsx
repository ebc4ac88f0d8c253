import { type ReactNode, useMemo } from 'react';
import { type HeatAddress, heatKinds, heatWindows, navigate } from '../../app/address.ts';
import { catalog, useCatalog } from '../../app/catalog.ts';
import { seriesOf, useHeat } from '../../app/heat.ts';
import { usePageTitle } from '../../app/page-title.ts';
import { Failure } from '../../ui/failure.tsx';
import { countText, unitsText } from '../../ui/figures.ts';
import { KeyText } from '../../ui/key-text.tsx';
import { Link } from '../../ui/link.tsx';
import { Strip } from '../../ui/strip.tsx';
import { keyText, typedText } from '../../values/value-text.ts';
import type { HeatReport, HotKey } from '../../wire/heat-answers.ts';
import { RequestLog } from '../../wire/request-log.ts';
import { indexesOf, keyNamesOf, type TableDescription } from '../../wire/table-description.ts';
import { HeatMap, timeText } from './heat-map.tsx';
import { WhatIfPanel } from './what-if-panel.tsx';
import './heat-view.css';

/** How much each part of hash space is read and written, and by which keys. */
export function HeatView({ address }: { readonly address: HeatAddress }): ReactNode {
  const { tables, status, error } = useCatalog();
  const table =
    tables.find(({ TableName }) => TableName === address.table) ??
    (address.table === undefined ? tables[0] : undefined);
  usePageTitle(table === undefined ? 'Heat' : `Heat of ${table.TableName}`);
  if (error && !table) return <Failure error={error} onRetry={() => void catalog.refresh()} />;
  if (status === 'loading') return null;
  if (!table) {
    return (
      <p className="heat-message">
        {address.table === undefined ? 'This server has no tables yet.' : `There is no table ${address.table} here.`}
      </p>
    );
  }
  return <TableHeat address={address} table={table} tables={tables} />;
}

interface TableHeatProps {
  readonly address: HeatAddress;
  readonly table: TableDescription;
  readonly tables: readonly TableDescription[];
}

const kindTitles = { read: 'Reads', write: 'Writes', throttled: 'Throttled' } as const;
const windowTitles = { '5': '5 min', '15': '15 min', '60': '1 h', '1440': '24 h' } as const;

function TableHeat({ address, table, tables }: TableHeatProps): ReactNode {
  const log = useMemo(() => new RequestLog(), []);
  const { minutes = '5', kind = 'write', from } = address;
  const index = indexesOf(table).find(({ IndexName }) => IndexName === address.index);
  const place = { ...address, table: table.TableName } as const;
  const { report, error, isAbsent, retryInMs, again } = useHeat(
    { table: table.TableName, index: index?.IndexName, minutes, from },
    log,
  );
  const row = address.row === undefined ? undefined : Number(address.row);
  return (
    <section className="heat" aria-label="Heat">
      <header>
        <select
          className="field"
          aria-label="Table"
          value={table.TableName}
          onChange={(event) => navigate({ view: 'heat', table: event.target.value })}
        >
          {tables.map(({ TableName }) => (
            <option key={TableName}>{TableName}</option>
          ))}
        </select>
        <select
          className="field"
          aria-label="Table or index"
          value={index?.IndexName ?? ''}
          onChange={(event) => navigate({ ...place, index: event.target.value || undefined, row: undefined })}
        >
          <option value="">the table</option>
          {indexesOf(table)
            .filter((each) => each.kind === 'global')
            .map(({ IndexName }) => (
              <option key={IndexName}>{IndexName}</option>
            ))}
        </select>
        <nav className="choices" aria-label="How far back">
          {heatWindows.map((each) => (
            <Link
              key={each}
              to={{ ...place, from: undefined, minutes: each === '5' ? undefined : each }}
              current={each === minutes}
            >
              {windowTitles[each]}
            </Link>
          ))}
        </nav>
        <nav className="choices" aria-label="Kind">
          {heatKinds.map((each) => (
            <Link key={each} to={{ ...place, kind: each === 'write' ? undefined : each }} current={each === kind}>
              {kindTitles[each]}
            </Link>
          ))}
        </nav>
        {report && <TimeSteps address={place} report={report} minutes={Number(minutes)} />}
        {report && <span className="quiet since">recorded since {timeText(report.since)}</span>}
      </header>
      <div className="scroll" tabIndex={0} role="region" aria-label="Heat of hash space">
        {isAbsent ? (
          <p className="heat-message">
            This endpoint is not a Singlet server and reports no heat. In Amazon DynamoDB, Contributor Insights and
            CloudWatch show hot keys.
          </p>
        ) : (
          error && (
            <Failure error={error} onRetry={again}>
              <p>
                {report && `The map shows the heat of ${timeText(report.at)}. `}
                {retryInMs !== undefined && `The page asks again in ${countText(retryInMs / 1000)} seconds.`}
              </p>
            </Failure>
          )
        )}
        {report && (
          <>
            <HeatMap
              report={report}
              kind={kind}
              row={row}
              onRow={(chosen) => navigate({ ...place, row: String(chosen) }, 'replace')}
            />
            {row !== undefined && <ChosenRow address={place} report={report} row={row} />}
            <div className="heat-columns">
              <HotKeys keys={report.keys} table={table} index={index?.IndexName} />
              <WhatIfPanel
                address={place}
                table={table.TableName}
                index={index?.IndexName}
                hottest={report.keys[0]}
                log={log}
              />
            </div>
          </>
        )}
      </div>
      <Strip log={log} subject={index === undefined ? table.TableName : `${table.TableName}, ${index.IndexName}`} />
    </section>
  );
}

const rememberedMs = 24 * 3_600_000;

/** Earlier and later, by the length of the time shown, as far as the server remembers. */
function TimeSteps({
  address,
  report: { at, from, since, stepMs },
  minutes,
}: {
  readonly address: HeatAddress;
  readonly report: HeatReport;
  readonly minutes: number;
}): ReactNode {
  const lengthMs = minutes * 60_000;
  // Two steps later than the oldest, which may be forgotten before the request arrives.
  const oldest = Math.max(since, at - rememberedMs + 2 * stepMs);
  const later = from + lengthMs;
  const step = (text: string, to: number | undefined, isPossible: boolean): ReactNode => (
    <button
      type="button"
      className="button"
      disabled={!isPossible}
      onClick={() => navigate({ ...address, from: to === undefined ? undefined : String(to) }, 'replace')}
    >
      {text}
    </button>
  );
  return (
    <span className="time-steps" role="group" aria-label="Time shown">
      {step('Earlier', Math.max(oldest, from - lengthMs), from > oldest)}
      {step('Later', later + lengthMs > at ? undefined : later, address.from !== undefined)}
      {step('Now', undefined, address.from !== undefined)}
    </span>
  );
}

function ChosenRow({
  address,
  report,
  row,
}: {
  readonly address: HeatAddress & { readonly table: string };
  readonly report: HeatReport;
  readonly row: number;
}): ReactNode {
  const found = report.rows[row];
  if (found === undefined) return null;
  const average = (kind: 'read' | 'write'): string => {
    const series = seriesOf(found, kind);
    return unitsText(series.reduce((sum, value) => sum + value, 0) / Math.max(1, series.length));
  };
  return (
    <p className="chosen-row" role="status">
      <b className="mono">{found.hashFrom.slice(0, 4)}…</b> {average('read')} read and {average('write')} write units a
      second on average, {seriesOf(found, 'throttled').reduce((sum, value) => sum + value, 0)} throttled.{' '}
      <Link
        to={{
          view: 'collections',
          table: address.table,
          index: address.index,
          at: String(row / report.rows.length),
          heat: 'on',
        }}
      >
        Show its items
      </Link>
    </p>
  );
}

function HotKeys({
  keys,
  table,
  index,
}: {
  readonly keys: readonly HotKey[];
  readonly table: TableDescription;
  readonly index: string | undefined;
}): ReactNode {
  const keyed = indexesOf(table).find(({ IndexName }) => IndexName === index) ?? table;
  const { partition } = keyNamesOf(keyed);
  return (
    <section aria-label="Hottest keys">
      <h2>
        Hottest keys{' '}
        <span>
          {keys.length === 0 ? 'nothing was read or written since' : 'until now, counted in a sample of the accesses'}
        </span>
      </h2>
      {keys.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>{partition}</th>
              <th className="number">Share</th>
              <th className="number">Reads/s</th>
              <th className="number">Writes/s</th>
              <th className="number">Throttled</th>
            </tr>
          </thead>
          <tbody>
            {keys.map(({ key, share, reads, writes, throttled }) => {
              const value = key[partition];
              return (
                <tr key={JSON.stringify(key)}>
                  <td className="mono">
                    {value && (
                      <Link to={{ view: 'collections', table: table.TableName, index, pk: typedText(value) }}>
                        <KeyText text={keyText(value)} />
                      </Link>
                    )}
                  </td>
                  <td className="mono number">{Math.round(share * 100)} %</td>
                  <td className="mono number">{unitsText(reads)}</td>
                  <td className="mono number">{unitsText(writes)}</td>
                  <td className="mono number">{throttled}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </section>
  );
}
