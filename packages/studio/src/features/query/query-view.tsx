import { type ReactNode } from 'react';
import { navigate, type QueryAddress } from '../../app/address.ts';
import { catalog, useCatalog } from '../../app/catalog.ts';
import { usePageTitle } from '../../app/page-title.ts';
import { Failure } from '../../ui/failure.tsx';
import { ServiceError } from '../../wire/client.ts';
import { QueryBuilder } from './query-builder.tsx';
import './query-view.css';

/** The builder of a Query or Scan: its four forms, its cost, and its items. */
export function QueryView({ address }: { readonly address: QueryAddress }): ReactNode {
  const { tables, status, error } = useCatalog();
  const name = address.table ?? tables[0]?.TableName;
  const table = tables.find(({ TableName }) => TableName === name);
  usePageTitle(name === undefined ? 'Query' : `Query of ${name}`);
  if (table) {
    return (
      <QueryBuilder
        key={table.TableName}
        address={address}
        table={table}
        tableNames={tables.map(({ TableName }) => TableName)}
        onTable={(other) => navigate({ view: 'query', table: other })}
      />
    );
  }
  if (error) return <Failure error={error} onRetry={() => void catalog.refresh()} />;
  if (status === 'loading') return null;
  if (name === undefined) return <p className="message">This server has no tables yet: there is nothing to query.</p>;
  return (
    <Failure
      error={new ServiceError('ResourceNotFoundException', `There is no table ${name} here.`)}
      onRetry={() => void catalog.refresh()}
    />
  );
}
