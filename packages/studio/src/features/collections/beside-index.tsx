import { type ReactNode, useEffect, useState } from 'react';
import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import { type CollectionsAddress, navigate } from '../../app/address.ts';
import { columnsOf, type Entity } from '../../grid/entities.ts';
import { whyNotIn } from '../../grid/index-membership.ts';
import { itemId } from '../../grid/rows.ts';
import { Badge, entityClass } from '../../ui/badge.tsx';
import { Failure } from '../../ui/failure.tsx';
import { plural } from '../../ui/figures.ts';
import { KeyText } from '../../ui/key-text.tsx';
import { Link } from '../../ui/link.tsx';
import { cellText, keyText, typedText } from '../../values/value-text.ts';
import { call, type Exchange } from '../../wire/client.ts';
import { indexesOf, keyNamesOf, type TableDescription, type TableIndex } from '../../wire/table-description.ts';

interface BesideIndexProps {
  readonly address: CollectionsAddress;
  readonly table: TableDescription;
  /** The open item. */
  readonly item: AttributeMap;
  readonly entityOf: (item: AttributeMap) => Entity | undefined;
  readonly onExchange: (exchange: Exchange) => void;
}

/** Where else the item is: the table, or an index. */
type Place = TableIndex | undefined;

const itemsMax = 100;
const valuesMax = 3;

interface Read {
  readonly items?: readonly AttributeMap[];
  readonly isCut?: boolean;
  readonly error?: Error;
}

/** The collection of the open item in another index, on pages that are wide enough for three columns. One request reads it. */
export function BesideIndex({ address, table, item, entityOf, onExchange }: BesideIndexProps): ReactNode {
  const places = [undefined, ...indexesOf(table)].filter(
    (place) =>
      place?.IndexName !== address.index && (place === undefined || whyNotIn(item, place, table) === undefined),
  );
  const place = places.find((each) => nameOf(each) === address.beside) ?? places.at(-1);
  const { partition, sort } = keyNamesOf(place ?? table);
  const value = places.length === 0 ? undefined : item[partition];
  const partitionText = value && typedText(value);
  const [read, setRead] = useState<Read>({});
  useEffect(() => {
    if (value === undefined) return undefined;
    const abort = new AbortController();
    const input = {
      TableName: table.TableName,
      ...(place && { IndexName: place.IndexName }),
      KeyConditionExpression: '#pk = :pk',
      ExpressionAttributeNames: { '#pk': partition },
      ExpressionAttributeValues: { ':pk': value },
      Limit: itemsMax,
    };
    call<{ Items: readonly AttributeMap[]; LastEvaluatedKey?: object }>('Query', input, {
      onExchange,
      signal: abort.signal,
    }).then(
      ({ Items, LastEvaluatedKey }) => setRead({ items: Items, isCut: LastEvaluatedKey !== undefined }),
      (error: unknown) => abort.signal.aborted || setRead({ error: error as Error }), // call() throws errors only
    );
    return () => abort.abort();
    // The item of an address is another one when the text of its key is.
  }, [table.TableName, place?.IndexName, partitionText, onExchange]);
  if (places.length === 0)
    return (
      <aside className="beside" aria-label="In another index">
        <p className="quiet">This item is in no other index.</p>
      </aside>
    );
  const tableKeys = keyNamesOf(table);
  const id = itemId(item, tableKeys);
  return (
    <aside className="beside" aria-label={`In ${nameOf(place)}`}>
      <header>
        <nav aria-label="Where else this item is">
          {places.map((each) => (
            <button
              key={nameOf(each)}
              type="button"
              aria-pressed={each === place}
              onClick={() => navigate({ ...address, beside: nameOf(each) }, 'replace')}
            >
              {nameOf(each)}
            </button>
          ))}
        </nav>
        <h2 className="mono">
          <Link
            to={{ view: 'collections', table: table.TableName, index: place?.IndexName, pk: partitionText, item: id }}
          >
            <KeyText text={keyText(value)} />
          </Link>
          {read.items && (
            <em>
              {plural(read.items.length, 'item')}
              {read.isCut === true && ', and more'}
            </em>
          )}
        </h2>
      </header>
      {read.error && <Failure error={read.error} />}
      <ul className="mono" tabIndex={0} aria-label={`Items of ${nameOf(place)}`}>
        {read.items?.map((each) => {
          const eachId = itemId(each, tableKeys);
          const entity = entityOf(each);
          return (
            <li key={eachId} className={`${entityClass(entity)}${eachId === id ? ' open' : ''}`}>
              <i className="spine" />
              {entity ? <Badge entity={entity} /> : <span />}
              <Link
                to={{
                  view: 'collections',
                  table: table.TableName,
                  index: place?.IndexName,
                  pk: partitionText,
                  item: eachId,
                }}
                className="key"
              >
                <KeyText text={keyText(each[sort ?? tableKeys.sort ?? tableKeys.partition])} />
              </Link>
              <span className="quiet values">{valuesOf(each, table).join('  ')}</span>
            </li>
          );
        })}
      </ul>
    </aside>
  );
}

function nameOf(place: Place): string {
  return place?.IndexName ?? 'Table';
}

/** The first attributes that its key and its badge do not say. */
function valuesOf(item: AttributeMap, table: TableDescription): readonly string[] {
  return columnsOf([item], table)
    .slice(0, valuesMax)
    .flatMap(({ name }) => (item[name] === undefined ? [] : [cellText(item[name])]));
}
