import type { ReactNode } from 'react';
import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import { sameValue } from '../../values/value-problem.ts';
import { cellText } from '../../values/value-text.ts';

interface TheirChangesProps {
  readonly was: AttributeMap;
  readonly theirs: AttributeMap | 'gone';
  readonly mine: AttributeMap;
  readonly onTakeTheirs: () => void;
  readonly onKeepMine: (merged: AttributeMap) => void;
}

/** Another client has changed the item in the meantime. Nothing was written. Both versions are shown side by side. */
export function TheirChanges({ was, theirs, mine, onTakeTheirs, onKeepMine }: TheirChangesProps): ReactNode {
  const now = theirs === 'gone' ? {} : theirs;
  const names = [...new Set([...Object.keys(was), ...Object.keys(now), ...Object.keys(mine)])].filter(
    (name) => !sameValue(was[name], now[name]) || !sameValue(was[name], mine[name]),
  );
  return (
    <section className="theirs" role="alert" aria-label="Changed in the meantime">
      <b>
        !{' '}
        {theirs === 'gone'
          ? 'The item has been deleted in the meantime.'
          : 'The item has been changed in the meantime.'}{' '}
        Nothing has been written.
      </b>
      {theirs !== 'gone' && (
        <table className="mono">
          <thead>
            <tr>
              <th>Attribute</th>
              <th>Was</th>
              <th>Theirs</th>
              <th>Mine</th>
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <tr key={name}>
                <td>{name}</td>
                <td>{textOf(was, name)}</td>
                <td>{textOf(now, name)}</td>
                <td>{textOf(mine, name)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <button type="button" className="button" onClick={() => onKeepMine(merged(was, now, mine))}>
        {theirs === 'gone' ? 'Create it again' : 'Apply my changes to theirs'}
      </button>{' '}
      <button type="button" className="button" onClick={onTakeTheirs}>
        {theirs === 'gone' ? 'Close' : 'Use theirs'}
      </button>
    </section>
  );
}

function textOf(item: AttributeMap, name: string): string {
  const value = item[name];
  return value === undefined ? '—' : cellText(value);
}

/** The other client's item with the attributes that were changed here. */
function merged(was: AttributeMap, theirs: AttributeMap, mine: AttributeMap): AttributeMap {
  if (Object.keys(theirs).length === 0) return mine;
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = sameValue(was[name], mine[name]) ? theirs[name] : mine[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
