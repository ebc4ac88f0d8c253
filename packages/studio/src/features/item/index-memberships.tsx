import type { ReactNode } from 'react';
import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import { whyNotIn } from '../../grid/index-membership.ts';
import { keyText } from '../../values/value-text.ts';
import { indexesOf, keyNamesOf, type TableDescription } from '../../wire/table-description.ts';

/** The keys of an item in each index; for an index without it, what would add it. */
export function IndexMemberships({
  table,
  item,
}: {
  readonly table: TableDescription;
  readonly item: AttributeMap;
}): ReactNode {
  const places = [
    { name: 'Table', keyed: table, why: undefined },
    ...indexesOf(table).map((index) => ({ name: index.IndexName, keyed: index, why: whyNotIn(item, index, table) })),
  ];
  return (
    <ul className="membership-list">
      {places.map(({ name, keyed, why }) => {
        const { partition, sort } = keyNamesOf(keyed);
        const names = sort === undefined ? [partition] : [partition, sort];
        return (
          <li key={name}>
            <b>
              <i className={why === undefined ? 'membership in' : 'membership'} aria-hidden="true" /> {name}
            </b>
            {why === undefined ? (
              names.map((each) => (
                <span key={each} className="mono">
                  <span className="literal">{each}</span> {keyText(item[each])}
                </span>
              ))
            ) : (
              <span className="quiet">
                Not in this index: {why}. With {names.join(' and ')} it would be.
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}
