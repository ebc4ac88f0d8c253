import { memo, type ReactNode } from 'react';
import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import type { Column, Entity } from '../../grid/entities.ts';
import { whyNotIn } from '../../grid/index-membership.ts';
import { Badge } from '../../ui/badge.tsx';
import { KeyText } from '../../ui/key-text.tsx';
import { cellText, keyText } from '../../values/value-text.ts';
import type { TableDescription, TableIndex } from '../../wire/table-description.ts';

interface ItemCellsProps {
  readonly item: AttributeMap;
  readonly entity: Entity | undefined;
  readonly columns: readonly Column[];
  /** The first attribute of the row: the sort key, or the partition key if there is none. */
  readonly leading: string;
  readonly table: TableDescription;
  readonly indexes: readonly TableIndex[];
  /** What the weather did when the item was read. */
  readonly weather: string | undefined;
}

/** The cells of an item: its sort key, its entity, attributes, and the indexes that contain it. */
export const ItemCells = memo(function ItemCells({
  item,
  entity,
  columns,
  leading,
  table,
  indexes,
  weather,
}: ItemCellsProps): ReactNode {
  return (
    <>
      <span className="spine" role="presentation" />
      <span role="presentation" />
      <span role="gridcell" className="mono key">
        {weather !== undefined && (
          <i role="img" aria-label={weather} title={weather} className="weather-sign">
            !
          </i>
        )}
        <KeyText text={keyText(item[leading])} />
      </span>
      <span role="gridcell">{entity && <Badge entity={entity} />}</span>
      {columns.map(({ name, isNumber }) => {
        const value = item[name];
        return (
          <span key={name} role="gridcell" className={isNumber ? 'mono number' : 'mono'}>
            {value !== undefined && cellText(value)}
          </span>
        );
      })}
      <span role="presentation" />
      <span role="gridcell" className="memberships">
        {indexes.map((index) => (
          <Membership key={index.IndexName} name={index.IndexName} why={whyNotIn(item, index, table)} />
        ))}
      </span>
    </>
  );
});

function Membership({ name, why }: { readonly name: string; readonly why: string | undefined }): ReactNode {
  const text = why === undefined ? `in ${name}` : `not in ${name}: ${why}`;
  return <i role="img" aria-label={text} title={text} className={why === undefined ? 'membership in' : 'membership'} />;
}

export function NameCells({ columns }: { readonly columns: readonly Column[] }): ReactNode {
  return (
    <>
      <span className="spine" role="presentation" />
      <span role="presentation" />
      <span role="presentation" />
      <span role="presentation" />
      {columns.map(({ name, isNumber }) => (
        <span key={name} role="gridcell" className={isNumber ? 'number' : undefined}>
          {name}
        </span>
      ))}
      <span role="presentation" />
      <span role="presentation" />
    </>
  );
}

/** The first columns, as many as fit. */
export function fittingColumns(columns: readonly Column[], width: number, indexCount: number): readonly Column[] {
  let room = width - 4 - 12 - Math.min(320, Math.max(216, width * 0.18)) - 36 - lastWidth(indexCount);
  return columns.filter(({ width: wanted }) => (room -= wanted) >= 0);
}

function lastWidth(indexCount: number): number {
  return indexCount === 0 ? 8 : 18 + indexCount * 13;
}

/** Columns of a row, for `grid-template-columns`. */
export function columnTemplate(columns: readonly Column[], indexCount: number, isNarrow: boolean): string {
  const widths = isNarrow ? columns.map(() => 'minmax(0, 1fr)') : columns.map(({ width }) => `${width}px`);
  const key = isNarrow ? 'minmax(0, 1.1fr)' : 'clamp(216px, 18%, 320px)';
  return `4px ${isNarrow ? 10 : 12}px ${key} 36px ${widths.join(' ')} ${isNarrow ? '0' : 'minmax(0, 1fr)'} ${lastWidth(indexCount)}px`;
}
