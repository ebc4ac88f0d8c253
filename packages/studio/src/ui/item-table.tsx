import { type ReactNode, useMemo } from 'react';
import type { AttributeMap } from '../../../singlet/src/values/attribute-value.ts';
import { entitiesFor, useModels } from '../app/models.ts';
import { Entities } from '../grid/entities.ts';
import { itemId } from '../grid/rows.ts';
import { exportedItems, exportFormats } from '../values/exported-items.ts';
import { cellText, keyText, picked, typedText } from '../values/value-text.ts';
import { indexesOf, keyNamesOf, type TableDescription } from '../wire/table-description.ts';
import { Badge, entityClass } from './badge.tsx';
import { countText } from './figures.ts';
import { KeyText } from './key-text.tsx';
import { Link } from './link.tsx';
import { saveFile } from './save-file.ts';
import './item-table.css';

interface ItemTableProps {
  readonly table: TableDescription | undefined;
  readonly items: readonly AttributeMap[];
  /** Maximum rows that are drawn. */
  readonly shown: number;
  readonly label: string;
  readonly children?: ReactNode;
}

const columnsMax = 12;

/** The items of a request as rows, keys first. Each links to its collection, and all can be saved as a file. */
export function ItemTable({ table, items, shown, label, children }: ItemTableProps): ReactNode {
  const models = useModels();
  const entities = useMemo(() => table && new Entities(table, entitiesFor(models, table.TableName)), [table, models]);
  const names = useMemo(() => columnNames(items, table), [items, table]);
  return (
    <section className="item-table" aria-label={label}>
      <div className="scroll" tabIndex={0} role="region" aria-label={`${label}, rows`}>
        <table>
          <thead>
            <tr>
              <th className="spine">
                <span className="hidden">Entity</span>
              </th>
              {names.map((name) => (
                <th key={name}>{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.slice(0, shown).map((item, at) => {
              const entity = entities?.of(item);
              return (
                // Rows of one answer never change their order.
                <tr key={at} className={entityClass(entity)}>
                  <td className="spine">{entity && <Badge entity={entity} />}</td>
                  {names.map((name, column) => (
                    <td key={name} className="mono">
                      {column === 0 ? (
                        <Place table={table} item={item} name={name} />
                      ) : (
                        <Cell item={item} name={name} table={table} />
                      )}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <footer>
        <span className="quiet">
          {countText(Math.min(shown, items.length))} of {countText(items.length)} shown
        </span>
        {children}
        <span className="grow" />
        <span className="quiet">Save as</span>
        {exportFormats.map(({ format, title, extension, type }) => (
          <button
            key={format}
            type="button"
            className="button plain"
            onClick={() =>
              saveFile(`${table?.TableName ?? 'items'}.${extension}`, type, [exportedItems(format, items)])
            }
          >
            {title}
          </button>
        ))}
      </footer>
    </section>
  );
}

function columnNames(items: readonly AttributeMap[], table: TableDescription | undefined): readonly string[] {
  const keys = table ? [table, ...indexesOf(table)].flatMap((keyed) => Object.values(keyNamesOf(keyed))) : [];
  const found = new Set(items.flatMap((item) => Object.keys(item)));
  const first = [...new Set(keys)].filter((name) => name !== undefined && found.has(name)) as string[]; // undefined is filtered out
  return [...first, ...[...found].filter((name) => !first.includes(name))].slice(0, columnsMax);
}

/** The first column links to the item, if the answer has the whole key. */
function Place({
  table,
  item,
  name,
}: {
  readonly table: TableDescription | undefined;
  readonly item: AttributeMap;
  readonly name: string;
}): ReactNode {
  const keys = table && keyNamesOf(table);
  const partition = keys && item[keys.partition];
  const isWhole =
    keys !== undefined && partition !== undefined && (keys.sort === undefined || item[keys.sort] !== undefined);
  if (!isWhole || table === undefined) return <Cell item={item} name={name} table={table} />;
  const key = picked(item, [keys.partition, ...(keys.sort === undefined ? [] : [keys.sort])]);
  return (
    <Link to={{ view: 'collections', table: table.TableName, pk: typedText(partition), item: itemId(key, keys) }}>
      <Cell item={item} name={name} table={table} />
    </Link>
  );
}

function Cell({
  item,
  name,
  table,
}: {
  readonly item: AttributeMap;
  readonly name: string;
  readonly table: TableDescription | undefined;
}): ReactNode {
  const value = item[name];
  if (value === undefined) return null;
  const isKey = table?.AttributeDefinitions.some(({ AttributeName }) => AttributeName === name) === true;
  return isKey ? <KeyText text={keyText(value)} /> : cellText(value);
}
