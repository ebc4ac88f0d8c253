import type { ReactNode } from 'react';
import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import type { Entity } from '../../grid/entities.ts';
import { Badge } from '../../ui/badge.tsx';
import { bytesText } from '../../ui/figures.ts';
import { itemBytes } from '../../values/attribute-size.ts';
import { textOfValue } from '../../values/value-problem.ts';
import type { TableIndex } from '../../wire/table-description.ts';

interface PeekProps {
  readonly item: AttributeMap;
  readonly entity: Entity | undefined;
  readonly index: TableIndex | undefined;
}

/** All attributes of a row as it was read, above the rows, while the arrow keys move on. No request is sent. */
export function Peek({ item, entity, index }: PeekProps): ReactNode {
  return (
    <section className="peek" aria-label="Peek" role="status">
      <header>
        {entity && <Badge entity={entity} />}
        <b>{entity?.name ?? 'Item'}</b>
        <span className="quiet">
          {bytesText(itemBytes(item))}
          {index === undefined ? '' : ` in ${index.IndexName}`}
        </span>
        <span className="grow" />
        <kbd>Space</kbd>
      </header>
      <dl className="mono">
        {Object.entries(item).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{textOfValue(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
