import type { ReactNode } from 'react';
import type { CollectionsAddress } from '../../app/address.ts';
import type { Entity } from '../../grid/entities.ts';
import { Badge } from '../../ui/badge.tsx';
import { countText } from '../../ui/figures.ts';
import { Link } from '../../ui/link.tsx';
import { PartBar } from '../../ui/part-bar.tsx';
import { keyNamesOf, type TableDescription, type TableIndex } from '../../wire/table-description.ts';

interface IndexTabsProps {
  readonly address: CollectionsAddress;
  readonly table: TableDescription;
  readonly indexes: readonly TableIndex[];
}

/** The table and its indexes, each with its number of items and its keys. */
export function IndexTabs({ address, table, indexes }: IndexTabsProps): ReactNode {
  const place = { view: 'collections', table: table.TableName, e: address.e } as const;
  return (
    <nav aria-label="Table and indexes">
      <Link to={place} current={address.index === undefined}>
        <b>Table</b>
        <span className="mono">{countText(table.ItemCount ?? 0)}</span>
        <small>{keysText(table)}</small>
      </Link>
      {indexes.map((index) => (
        <Link
          key={index.IndexName}
          to={{ ...place, index: index.IndexName }}
          current={address.index === index.IndexName}
        >
          <b>{index.IndexName}</b>
          <PartBar part={index.ItemCount ?? 0} whole={table.ItemCount ?? 0} />
          <small>{keysText(index)}</small>
        </Link>
      ))}
    </nav>
  );
}

function keysText(keyed: Pick<TableDescription, 'KeySchema'>): string {
  const { partition, sort } = keyNamesOf(keyed);
  return sort === undefined ? partition : `${partition} · ${sort}`;
}

interface LegendProps {
  readonly entities: readonly Entity[];
  readonly shown: ReadonlySet<string> | undefined;
  readonly onShow: (names: string | undefined) => void;
}

/** The entities that were found, with their colours. A click hides one, or shows it again. */
export function Legend({ entities, shown, onShow }: LegendProps): ReactNode {
  const toggle = (name: string): void => {
    const names = entities
      .map((entity) => entity.name)
      .filter((each) => (shown?.has(each) ?? true) !== (each === name));
    onShow(names.length === entities.length || names.length === 0 ? undefined : names.join(','));
  };
  return (
    <div className="legend" role="group" aria-label="Entities shown">
      {entities.map((entity) => (
        <button
          key={entity.name}
          type="button"
          aria-pressed={shown?.has(entity.name) ?? true}
          onClick={() => toggle(entity.name)}
        >
          <Badge entity={entity} />
          {entity.name}
        </button>
      ))}
    </div>
  );
}
