import { type ReactNode, useState } from 'react';
import { navigate } from '../../app/address.ts';
import { catalog } from '../../app/catalog.ts';
import { Failure } from '../../ui/failure.tsx';
import { bytesText, plural } from '../../ui/figures.ts';
import { call, type Exchange } from '../../wire/client.ts';
import type { TableDescription } from '../../wire/table-description.ts';

/** Deletes a table after its name was typed: this cannot be undone. */
export function DeleteTable({
  table,
  onExchange,
}: {
  readonly table: TableDescription;
  readonly onExchange: (exchange: Exchange) => void;
}): ReactNode {
  const { TableName: name, ItemCount = 0, TableSizeBytes = 0 } = table;
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<Error>();
  const remove = async (): Promise<void> => {
    try {
      await call('DeleteTable', { TableName: name }, { onExchange });
      await catalog.refresh();
      navigate({ view: 'tables' });
    } catch (cause) {
      setError(cause as Error); // call() throws errors only
    }
  };
  return (
    <section className="delete-table" aria-label="Delete the table">
      <h3>Delete the table</h3>
      {isOpen ? (
        <>
          <p>
            {plural(ItemCount, 'item')} of {bytesText(TableSizeBytes)}, all indexes
            {table.StreamSpecification?.StreamEnabled === true && ', the stream'} and the settings are deleted. This
            cannot be undone.
          </p>
          <p className="options">
            <label>
              <span>Type {name} to continue</span>{' '}
              <input
                className="field mono"
                value={typed}
                spellCheck={false}
                autoComplete="off"
                onChange={(event) => setTyped(event.target.value)}
              />
            </label>
            <button type="button" className="button main" disabled={typed !== name} onClick={() => void remove()}>
              Delete {name}
            </button>
            <button type="button" className="button" onClick={() => setOpen(false)}>
              Cancel
            </button>
          </p>
          {error && <Failure error={error} />}
        </>
      ) : (
        <button type="button" className="button" onClick={() => setOpen(true)}>
          Delete {name}…
        </button>
      )}
    </section>
  );
}
