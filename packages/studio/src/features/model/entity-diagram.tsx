import type { ReactNode } from 'react';
import { entityClass } from '../../ui/badge.tsx';
import type { ModelDocument } from '../../wire/model-answers.ts';
import type { ModelEntities } from './model-entities.ts';

// Entities in columns, each to the right of those it belongs to, with lines between them. Positions are computed without a layout search.

const boxWidth = 168;
const boxHeight = 52;
const columnWidth = 300;
const rowHeight = 70;
const margin = 16;
const keysShownMax = 2;

interface Place {
  readonly column: number;
  readonly row: number;
}

/** The entities and their relationships. */
export function EntityDiagram({
  document,
  entities,
}: {
  readonly document: ModelDocument;
  readonly entities: ModelEntities;
}): ReactNode {
  const places = placesOf(document);
  const columns = Math.max(1, ...[...places.values()].map(({ column }) => column + 1));
  const rows = Math.max(1, ...[...places.values()].map(({ row }) => row + 1));
  const width = columns * columnWidth - (columnWidth - boxWidth) + margin * 2;
  const height = rows * rowHeight - (rowHeight - boxHeight) + margin * 2;
  return (
    <div className="diagram" tabIndex={0} role="region" aria-label="Diagram of the entities">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        role="img"
        aria-label={sentenceOf(document)}
      >
        {document.relationships.map(({ parent, child, cardinality, label }) => {
          const from = places.get(parent);
          const to = places.get(child);
          if (from === undefined || to === undefined) return null;
          const line = lineBetween(from, to);
          return (
            <g key={`${parent} ${child} ${label}`}>
              <path d={line.path} />
              <text className="cardinality" x={line.textX} y={line.textY}>
                {cardinality.replace(':', ' : ')}
              </text>
            </g>
          );
        })}
        {document.entities.map(({ name, attributes }) => {
          const { x, y } = pointOf(places.get(name) ?? { column: 0, row: 0 });
          const keys = attributes.filter(({ key }) => key).slice(0, keysShownMax);
          const others = attributes.filter(({ key }) => !key).slice(0, keysShownMax - keys.length);
          return (
            <g key={name} className={entityClass(entities.named(name))} transform={`translate(${x} ${y})`}>
              <rect className="box" width={boxWidth} height={boxHeight} rx={8} />
              <rect className="spine" width={4} height={boxHeight} rx={2} />
              <text className="name" x={16} y={22}>
                {name.length > 22 ? `${name.slice(0, 21)}…` : name}
              </text>
              <text className="attributes" x={16} y={40}>
                {[...keys, ...others]
                  .map((attribute) => attribute.name)
                  .join(' · ')
                  .slice(0, 22)}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}

/** An entity is one column to the right of the farthest one it belongs to. Entities in a cycle stay where they were first reached. */
function placesOf({ entities, relationships }: ModelDocument): ReadonlyMap<string, Place> {
  const columns = new Map<string, number>();
  const columnOf = (name: string, above: ReadonlySet<string>): number => {
    const known = columns.get(name);
    if (known !== undefined) return known;
    const parents = relationships.filter(
      ({ child, parent }) => child === name && !above.has(parent) && parent !== name,
    );
    const within = new Set([...above, name]);
    const column = Math.max(0, ...parents.map(({ parent }) => columnOf(parent, within) + 1));
    columns.set(name, column);
    return column;
  };
  const counts = new Map<number, number>();
  return new Map(
    entities.map(({ name }) => {
      const column = columnOf(name, new Set());
      const row = counts.get(column) ?? 0;
      counts.set(column, row + 1);
      return [name, { column, row }];
    }),
  );
}

function pointOf({ column, row }: Place): { readonly x: number; readonly y: number } {
  return { x: margin + column * columnWidth, y: margin + row * rowHeight };
}

function lineBetween(
  from: Place,
  to: Place,
): { readonly path: string; readonly textX: number; readonly textY: number } {
  const start = pointOf(from);
  const end = pointOf(to);
  const isForwards = to.column > from.column;
  const x1 = start.x + boxWidth;
  const y1 = start.y + boxHeight / 2;
  const x2 = isForwards ? end.x : end.x + boxWidth;
  const y2 = end.y + boxHeight / 2;
  const bend = isForwards ? (x2 - x1) / 2 : 40;
  const control = isForwards ? x2 - bend : x2 + bend;
  const side = isForwards ? -8 : 8;
  return {
    path: `M${x1} ${y1}C${x1 + bend} ${y1} ${control} ${y2} ${x2} ${y2}m${side} -7l${-side} 7l${side} 7`,
    textX: isForwards ? x2 - 50 : x2 + 16,
    // Beside the end of the line, on the side that the line does not come from.
    textY: y1 < y2 ? y2 + 17 : y2 - 9,
  };
}

function sentenceOf({ entities, relationships }: ModelDocument): string {
  const lines = relationships.map(({ parent, child, cardinality }) => `${parent} to ${child} is ${cardinality}`);
  return `${entities.map(({ name }) => name).join(', ')}. ${lines.join('; ')}`;
}
