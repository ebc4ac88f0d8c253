import { type ClipboardEvent, type ReactNode, type SyntheticEvent, useState } from 'react';
import type { KeyAttributeType } from '../../../../singlet/src/values/attribute-value.ts';
import { type CollectionsAddress, navigate } from '../../app/address.ts';
import { formatSortCondition, partsOf, type SortOperator, sortOperators } from '../../app/sort-condition.ts';

interface KeyAttribute {
  readonly name: string;
  readonly type: KeyAttributeType;
}

interface KeyBarProps {
  readonly partition: KeyAttribute;
  readonly sort: KeyAttribute | undefined;
  readonly address: CollectionsAddress;
  /** The request with these conditions, as code. */
  readonly codeOf: (conditions: KeyConditions) => string;
  readonly onCopied: () => void;
  readonly children?: ReactNode;
}

type KeyConditions = Pick<CollectionsAddress, 'pk' | 'sk'>;

const placeholders = { S: 'any', N: 'any number', B: 'any, Base64' } as const;

/** Selects a collection and a part of it: the key conditions of a Query. The sort key is optional. */
export function KeyBar({ partition, sort, address, codeOf, onCopied, children }: KeyBarProps): ReactNode {
  const known = partsOf(address.sk ?? '');
  const [pk, setPk] = useState(address.pk?.slice(2) ?? '');
  const [operator, setOperator] = useState<SortOperator>(known.operator ?? 'begins_with');
  const [first, setFirst] = useState(known.operator === undefined ? '' : (known.values[0] ?? ''));
  const [second, setSecond] = useState(known.values[1] ?? '');
  const typed = (): KeyConditions => {
    const isWhole = operator !== 'between' || second !== '';
    const sk =
      sort === undefined || first === '' || !isWhole
        ? undefined
        : formatSortCondition(operator, operator === 'between' ? [first, second] : [first]);
    return { pk: pk === '' ? undefined : `${partition.type}:${pk}`, sk: pk === '' ? undefined : sk };
  };
  const apply = (event: SyntheticEvent): void => {
    event.preventDefault();
    navigate({ ...address, ...typed(), at: undefined, item: undefined });
  };
  // As in editors: with nothing selected, all of it is copied, which here is the request.
  const copy = (event: ClipboardEvent): void => {
    const { target } = event;
    if (!(target instanceof HTMLInputElement) || target.selectionStart !== target.selectionEnd) return;
    event.preventDefault();
    event.clipboardData.setData('text/plain', codeOf(typed()));
    onCopied();
  };
  const clear = (): void => navigate({ ...address, pk: undefined, sk: undefined, item: undefined });
  return (
    <form className="key-bar" role="search" aria-label="Key conditions" onSubmit={apply} onCopy={copy}>
      <span className="token mono">
        <label htmlFor="pk-value">{partition.name} =</label>
        <input
          id="pk-value"
          value={pk}
          placeholder={placeholders[partition.type]}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setPk(event.target.value)}
        />
      </span>
      {sort !== undefined && (
        <span className="token sort mono optional">
          <label htmlFor="sk-value">{sort.name}</label>
          <select
            aria-label={`Condition on ${sort.name}`}
            value={operator}
            onChange={(event) =>
              setOperator(sortOperators.find((each) => each === event.target.value) ?? 'begins_with')
            }
          >
            {sortOperators.map((each) => (
              <option key={each} value={each}>
                {each.replace('_', ' ')}
              </option>
            ))}
          </select>
          <input
            id="sk-value"
            value={first}
            placeholder={placeholders[sort.type]}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setFirst(event.target.value)}
          />
          {operator === 'between' && (
            <input
              aria-label={`${sort.name} to`}
              value={second}
              placeholder="and"
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => setSecond(event.target.value)}
            />
          )}
        </span>
      )}
      <button type="submit" className="button">
        Query <kbd>Enter</kbd>
      </button>
      {address.pk !== undefined && (
        <button type="button" className="button plain" onClick={clear}>
          All <kbd>Esc</kbd>
        </button>
      )}
      <span className="grow" />
      {children}
    </form>
  );
}
