import { type ReactNode, useRef } from 'react';
import { navigate, type TablesAddress } from '../../app/address.ts';
import { catalog, useCatalog } from '../../app/catalog.ts';
import { usePageTitle } from '../../app/page-title.ts';
import { Failure } from '../../ui/failure.tsx';
import { bytesText, countText, unitsText } from '../../ui/figures.ts';
import { Icon } from '../../ui/icon.tsx';
import { Link } from '../../ui/link.tsx';
import { PartBar } from '../../ui/part-bar.tsx';
import { Strip } from '../../ui/strip.tsx';
import { indexesOf, keyNamesOf, type TableDescription } from '../../wire/table-description.ts';
import { PartitionHeat } from './partition-heat.tsx';
import { type ResourceCapacity, type TableRates, useRates } from './use-rates.ts';
import './tables-view.css';

type Sort = 'name' | 'items' | 'size';
const columns: readonly { readonly sort: Sort; readonly title: string }[] = [
  { sort: 'name', title: 'Name' },
  { sort: 'items', title: 'Items' },
  { sort: 'size', title: 'Size' },
];

/** All tables with their indexes: the number of items in each, and its keys. */
export function TablesView({ address }: { readonly address: TablesAddress }): ReactNode {
  const { tables, status, error, isCut } = useCatalog();
  const search = useRef<HTMLInputElement>(null);
  const { q = '', sort = 'name' } = address;
  usePageTitle('Tables');
  const shown = tables.filter((table) => matches(table, q)).sort(orders[sort]);
  const rates = useRates(
    shown.map(({ TableName }) => TableName),
    catalog.log,
  );
  return (
    <section className="tables" aria-label="Tables">
      <header>
        <h1>Tables</h1>
        <input
          ref={search}
          className="field"
          type="search"
          aria-label="Search tables and indexes"
          placeholder="Search"
          value={q}
          onChange={(event) => navigate({ ...address, q: event.target.value }, 'replace')}
        />
        <span className="grow" />
        <Link to={{ view: 'table' }} className="button">
          Create table
        </Link>
        <button type="button" className="button" onClick={() => void catalog.refresh()}>
          Refresh
        </button>
      </header>
      <div className="scroll" tabIndex={0} role="region" aria-label="List of tables">
        {error && <Failure error={error} onRetry={() => void catalog.refresh()} />}
        {status === 'ready' && tables.length === 0 && <NoTables />}
        {tables.length > 0 && shown.length === 0 && <p className="nothing">No table or index has “{q}” in its name.</p>}
        {shown.length > 0 && (
          <table>
            <thead>
              <tr>
                {columns.map((column) => (
                  <th
                    key={column.sort}
                    className={column.sort === 'name' ? undefined : 'number'}
                    aria-sort={sort === column.sort ? (sort === 'name' ? 'ascending' : 'descending') : undefined}
                  >
                    <button type="button" onClick={() => navigate({ ...address, sort: column.sort }, 'replace')}>
                      {column.title}
                    </button>
                  </th>
                ))}
                {rates && (
                  <>
                    <th className="number rate" title="Read units a second, the average of the last minute">
                      Reads/s
                    </th>
                    <th className="number rate" title="Write units a second, the average of the last minute">
                      Writes/s
                    </th>
                    <th className="rate" title="How much of its throughput each partition has used in the last minute">
                      Heat
                    </th>
                  </>
                )}
                <th className="wide">Keys</th>
                <th className="wide">Capacity, stream</th>
                <th>
                  <span className="hidden">Settings</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((table) => (
                <TableRows key={table.TableName} table={table} rates={rates && (rates.get(table.TableName) ?? {})} />
              ))}
            </tbody>
          </table>
        )}
        {isCut && <p className="nothing quiet">Only the first 1,000 tables are shown.</p>}
      </div>
      <Strip log={catalog.log} subject="all tables" />
    </section>
  );
}

interface TableRowsProps {
  readonly table: TableDescription;
  /** Absent if nothing is known of any table. */
  readonly rates: TableRates | undefined;
}

function TableRows({ table, rates }: TableRowsProps): ReactNode {
  const { TableName: name, ItemCount = 0, TableSizeBytes = 0 } = table;
  return (
    <>
      <tr>
        <td>
          <Link to={{ view: 'collections', table: name }}>
            <b>{name}</b>
          </Link>
        </td>
        <td className="number mono">{countText(ItemCount)}</td>
        <td className="number mono">{bytesText(TableSizeBytes)}</td>
        {rates && <RateCells rate={rates['']} />}
        <td className="wide mono quiet">{keysText(table)}</td>
        <td className="wide quiet">{settingsText(table)}</td>
        <td className="number">
          <Link to={{ view: 'table', table: name }} className="settings-link" label={`Settings of ${name}`}>
            <Icon name="settings" />
          </Link>
        </td>
      </tr>
      {indexesOf(table).map((index) => (
        <tr key={index.IndexName} className="index">
          <td>
            <Link to={{ view: 'collections', table: name, index: index.IndexName }}>{index.IndexName}</Link>
          </td>
          <td className="number mono quiet">{countText(index.ItemCount ?? 0)}</td>
          <td className="number mono quiet">{bytesText(index.IndexSizeBytes ?? 0)}</td>
          {rates && <RateCells rate={rates[index.IndexName]} />}
          <td className="wide mono quiet">{keysText(index)}</td>
          <td className="wide quiet">
            <PartBar part={index.ItemCount ?? 0} whole={ItemCount} />
            {index.kind}, {projections[index.Projection.ProjectionType]}
          </td>
          <td />
        </tr>
      ))}
    </>
  );
}

/** Local indexes consume the throughput of their table, so they have no figures of their own. */
function RateCells({ rate }: { readonly rate: ResourceCapacity | undefined }): ReactNode {
  return (
    <>
      <td className="number mono rate">{rate && unitsText(rate.reads.consumedUnitsPerSecond)}</td>
      <td className="number mono rate">{rate && unitsText(rate.writes.consumedUnitsPerSecond)}</td>
      <td className="rate">{rate && <PartitionHeat partitions={rate.partitions} />}</td>
    </>
  );
}

const projections = { ALL: 'all attributes', KEYS_ONLY: 'keys only', INCLUDE: 'some attributes' } as const;

function keysText(keyed: Pick<TableDescription, 'KeySchema'>): string {
  const { partition, sort } = keyNamesOf(keyed);
  return sort === undefined ? partition : `${partition} · ${sort}`;
}

function settingsText({ TableStatus, BillingModeSummary, StreamSpecification }: TableDescription): string {
  const status = TableStatus === 'ACTIVE' ? [] : [TableStatus];
  const capacity = BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST' ? 'on demand' : 'provisioned';
  const stream =
    StreamSpecification?.StreamEnabled === true ? [`stream ${StreamSpecification.StreamViewType ?? ''}`] : [];
  return [...status, capacity, ...stream].join(', ');
}

function matches(table: TableDescription, q: string): boolean {
  const wanted = q.trim().toLowerCase();
  const names = [table.TableName, ...indexesOf(table).map(({ IndexName }) => IndexName)];
  return names.some((name) => name.toLowerCase().includes(wanted));
}

const orders: Readonly<Record<Sort, (a: TableDescription, b: TableDescription) => number>> = {
  name: (a, b) => a.TableName.localeCompare(b.TableName),
  items: (a, b) => (b.ItemCount ?? 0) - (a.ItemCount ?? 0),
  size: (a, b) => (b.TableSizeBytes ?? 0) - (a.TableSizeBytes ?? 0),
};

function NoTables(): ReactNode {
  return (
    <div className="nothing">
      <p>This server has no tables yet. Create one above, or with any client:</p>
      <pre
        className="mono"
        tabIndex={0}
      >{`aws dynamodb create-table --endpoint-url ${location.origin} --table-name shop \\
  --billing-mode PAY_PER_REQUEST \\
  --attribute-definitions AttributeName=PK,AttributeType=S AttributeName=SK,AttributeType=S \\
  --key-schema AttributeName=PK,KeyType=HASH AttributeName=SK,KeyType=RANGE`}</pre>
    </div>
  );
}
