import type { ReactNode } from 'react';
import { entityClass } from '../../ui/badge.tsx';
import { bytesText, plural, unitsText } from '../../ui/figures.ts';
import { Icon } from '../../ui/icon.tsx';
import { KeyText } from '../../ui/key-text.tsx';
import type { Collection } from '../../grid/rows.ts';

/** A partition key, the number and kinds of its items, and the cost of reading it. */
export function CollectionHeader({ collection }: { readonly collection: Collection }): ReactNode {
  const { text, items, bytes, mix, isFolded, isPartial } = collection;
  const more = isPartial ? '+' : '';
  return (
    <>
      <Icon name={isFolded ? 'closed' : 'open'} />
      <span role="rowheader" className="mono key" aria-expanded={!isFolded}>
        <KeyText text={text} />
      </span>
      <Mix mix={mix} items={items} />
      <span role="gridcell" className="figures mono">
        {isPartial ? `${items}+ items` : plural(items, 'item')}
        <span className="optional">
          {' '}
          · {bytesText(bytes)}
          {more} · {unitsText(readUnits(bytes))}
          {more} RCU
        </span>
      </span>
    </>
  );
}

/** Eventually consistent: half a unit for each started 4 KB. */
function readUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 4096)) / 2;
}

function Mix({ mix, items }: { readonly mix: Collection['mix']; readonly items: number }): ReactNode {
  let before = 0;
  return (
    <svg className="mix" viewBox="0 0 120 7" preserveAspectRatio="none" aria-hidden="true">
      {mix.map(({ entity, items: count }) => {
        const from = before;
        before += count;
        return (
          <rect
            key={entity?.name ?? ''}
            className={entityClass(entity)}
            x={(from / items) * 120}
            width={Math.max(2, (count / items) * 120 - 2)}
            height="7"
            rx="2"
          />
        );
      })}
    </svg>
  );
}
