import { type ReactNode, useEffect, useState } from 'react';
import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import { type CollectionsAddress, navigate } from '../../app/address.ts';
import { entitiesIn, useModels } from '../../app/models.ts';
import { parseSortCondition } from '../../app/sort-condition.ts';
import { requestText } from '../../request-text/request-text.ts';
import { KeyText } from '../../ui/key-text.tsx';
import { Link } from '../../ui/link.tsx';
import { keyText, typedText, typedValue } from '../../values/value-text.ts';
import { call, type Exchange } from '../../wire/client.ts';
import { keyNamesOf, keyTypeOf, type TableDescription, type TableIndex } from '../../wire/table-description.ts';
import { newItem } from '../item/item-address.ts';

interface NoItemsProps {
  readonly address: CollectionsAddress;
  readonly table: TableDescription;
  readonly index: TableIndex | undefined;
  readonly onExchange: (exchange: Exchange) => void;
}

/** Why there is nothing to see, and what comes next: ways to fill a table, or the nearest keys to the one that was asked for. */
export function NoItems(props: NoItemsProps): ReactNode {
  const { address, table, index } = props;
  if (address.pk !== undefined) return <EmptyResult {...props} />;
  return index === undefined || (table.ItemCount ?? 0) === 0 ? (
    <EmptyTable table={table} address={address} />
  ) : (
    <EmptyIndex index={index} />
  );
}

function EmptyTable({ table, address }: Pick<NoItemsProps, 'table' | 'address'>): ReactNode {
  const models = useModels();
  const hasModel = entitiesIn(models, table.TableName).length > 0;
  const values = { S: { S: 'one' }, N: { N: '1' }, B: { B: 'AQ==' } };
  const item = Object.fromEntries(
    Object.values(keyNamesOf(table)).flatMap((name) =>
      name === undefined ? [] : [[name, values[keyTypeOf(table, name)]] as const],
    ),
  );
  return (
    <div className="grid-message">
      <p>This table has no items.</p>
      <p className="ways">
        <button
          type="button"
          className="button"
          onClick={() => navigate({ ...address, item: newItem, tab: undefined, vs: undefined }, 'replace')}
        >
          New item <kbd>N</kbd>
        </button>
        <Link to={{ view: 'table', table: table.TableName }} className="button">
          Import a file
        </Link>
        {hasModel && (
          <Link to={{ view: 'model', section: 'patterns' }} className="button">
            Run a pattern that creates
          </Link>
        )}
      </p>
      <p>Or with any client:</p>
      <pre className="mono" tabIndex={0}>
        {requestText('cli', 'PutItem', { TableName: table.TableName, Item: item })}
      </pre>
    </div>
  );
}

function EmptyIndex({ index }: { readonly index: TableIndex }): ReactNode {
  const names = Object.values(keyNamesOf(index)).filter((name) => name !== undefined);
  return (
    <div className="grid-message">
      <p>This index is empty. Items that have {names.join(' and ')} appear in it.</p>
    </div>
  );
}

interface Neighbours {
  readonly before?: AttributeMap | undefined;
  readonly after?: AttributeMap | undefined;
}

function EmptyResult({ address, table, index, onExchange }: NoItemsProps): ReactNode {
  const { pk = '', sk } = address;
  const { sort } = keyNamesOf(index ?? table);
  const neighbours = useNeighbours({ address, table, index, onExchange });
  const where = index === undefined ? 'This table' : 'This index';
  return (
    <div className="grid-message">
      <p>
        {where} has no items with the partition key <b className="mono">{pk.slice(2)}</b>
        {sk !== undefined && ' and that sort key'}. The request and what it cost are below.
      </p>
      {sk !== undefined && sort !== undefined && (
        <ul className="neighbours mono" aria-label="Nearest keys">
          {(['before', 'after'] as const).map((side) => {
            const value = neighbours?.[side]?.[sort];
            return (
              <li key={side}>
                <span className="quiet">{side}</span>{' '}
                {value === undefined ? (
                  <span className="quiet">{neighbours === undefined ? '' : 'nothing'}</span>
                ) : (
                  <Link to={{ ...address, sk: `=:${typedText(value).slice(2)}` }}>
                    <KeyText text={keyText(value)} />
                  </Link>
                )}
              </li>
            );
          })}
        </ul>
      )}
      <p>
        <button type="button" className="button" onClick={() => navigate({ ...address, pk: undefined, sk: undefined })}>
          Show all collections <kbd>Esc</kbd>
        </button>
      </p>
    </div>
  );
}

/** The items of the collection whose sort keys are nearest to the one that was asked for: two requests for one item each. */
function useNeighbours({ address, table, index, onExchange }: NoItemsProps): Neighbours | undefined {
  const [found, setFound] = useState<Neighbours>();
  const { pk, sk } = address;
  useEffect(() => {
    const { partition, sort } = keyNamesOf(index ?? table);
    const value = pk === undefined ? undefined : typedValue(pk);
    const [asked, last = asked] =
      sk === undefined || sort === undefined ? [] : (parseSortCondition(sk, keyTypeOf(table, sort))?.values ?? []);
    if (value === undefined || asked === undefined || last === undefined || sort === undefined) return undefined;
    const abort = new AbortController();
    const nearest = async (operator: '<' | '>', bound: typeof asked): Promise<AttributeMap | undefined> => {
      const input = {
        TableName: table.TableName,
        ...(index && { IndexName: index.IndexName }),
        KeyConditionExpression: `#pk = :pk AND #sk ${operator} :sk`,
        ExpressionAttributeNames: { '#pk': partition, '#sk': sort },
        ExpressionAttributeValues: { ':pk': value, ':sk': bound },
        ScanIndexForward: operator === '>',
        Limit: 1,
      };
      const options = { onExchange, signal: abort.signal };
      const { Items } = await call<{ Items: readonly AttributeMap[] }>('Query', input, options);
      return Items[0];
    };
    Promise.all([nearest('<', asked), nearest('>', last)]).then(
      ([before, after]) => setFound({ before, after }),
      () => undefined, // they are no more than a help; the result itself is there
    );
    return () => abort.abort();
  }, [table.TableName, index?.IndexName, pk, sk, onExchange]);
  return found;
}

/** Rows without contents, in their true heights, for what takes longer than a moment. */
export function AwaitedRows(): ReactNode {
  return (
    <div className="awaited-rows" role="status" aria-label="Reading">
      {Array.from({ length: 24 }, (_, at) => (
        // They have no identity.
        <span key={at} className={at % 8 === 0 ? 'collection' : 'item'} />
      ))}
    </div>
  );
}
