import type { DrawnEntity, ModelDocument } from './model-document.ts';

const boxWidth = 210;
const lineHeight = 18;
const headHeight = 26;
const gapX = 110;
const gapY = 28;
const margin = 16;

interface Box {
  readonly entity: DrawnEntity;
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

/** The entity-relationship diagram as SVG: parents left of their children, with a crow's foot on the side of the many. */
export function diagramOf({ entities, relationships }: Pick<ModelDocument, 'entities' | 'relationships'>): string {
  const boxes = placeBoxes(entities, relationships);
  const all = [...boxes.values()];
  const width = Math.max(0, ...all.map(({ x }) => x + boxWidth)) + margin;
  const height = Math.max(0, ...all.map(({ y, height: boxHeight }) => y + boxHeight)) + margin;
  const edges = relationships.flatMap(({ parent, child, cardinality, label }) => {
    const [from, to] = [boxes.get(parent), boxes.get(child)];
    return from === undefined || to === undefined ? [] : [edge(from, to, cardinality, label)];
  });
  return `<svg viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="Entities and relationships">${edges.join('')}${all.map(drawBox).join('')}</svg>`;
}

/** Columns by the longest path from an entity without parents. */
function placeBoxes(entities: readonly DrawnEntity[], relationships: ModelDocument['relationships']): Map<string, Box> {
  const level = new Map(entities.map(({ name }) => [name, 0]));
  for (let round = 0; round < entities.length; round += 1) {
    for (const { parent, child } of relationships) {
      const [above, below] = [level.get(parent), level.get(child)];
      if (
        above !== undefined &&
        below !== undefined &&
        parent !== child &&
        below <= above &&
        above < entities.length - 1
      )
        level.set(child, above + 1);
    }
  }
  const columns = new Map<number, number>();
  const boxes = new Map<string, Box>();
  const levels = [...new Set(level.values())].sort((a, b) => a - b);
  for (const entity of entities) {
    const column = levels.indexOf(level.get(entity.name) ?? 0);
    const height = headHeight + entity.attributes.length * lineHeight + 8;
    const y = columns.get(column) ?? margin;
    columns.set(column, y + height + gapY);
    boxes.set(entity.name, { entity, x: margin + column * (boxWidth + gapX), y, height });
  }
  return boxes;
}

function drawBox({ entity, x, y, height }: Box): string {
  const lines = entity.attributes.map(
    ({ name, kind, key }, i) =>
      `<text x="${x + 10}" y="${y + headHeight + 14 + i * lineHeight}" class="${key ? 'key' : ''}">${escapeHtml(name)}</text><text x="${x + boxWidth - 10}" y="${y + headHeight + 14 + i * lineHeight}" class="kind" text-anchor="end">${kind}</text>`,
  );
  return `<g><rect x="${x}" y="${y}" width="${boxWidth}" height="${height}" rx="6" class="box"/><path d="M${x} ${y + headHeight}h${boxWidth}" class="rule"/><text x="${x + 10}" y="${y + 18}" class="name">${escapeHtml(entity.name)}</text>${lines.join('')}</g>`;
}

function edge(from: Box, to: Box, cardinality: string, label: string): string {
  const leftToRight = to.x > from.x;
  const startX = from.x + boxWidth;
  const startY = from.y + headHeight / 2;
  const endX = leftToRight ? to.x : to.x + boxWidth;
  const endY = to.y + headHeight / 2;
  const bend = leftToRight ? (startX + endX) / 2 : Math.max(startX, endX) + gapX / 3;
  const foot = leftToRight ? -12 : 12;
  const many = cardinality.endsWith('N') || cardinality.endsWith('M');
  const crow = many ? `M${endX + foot} ${endY}L${endX} ${endY - 6}M${endX + foot} ${endY}L${endX} ${endY + 6}` : '';
  const text =
    label === ''
      ? ''
      : `<text x="${bend + 4}" y="${(startY + endY) / 2 - 4}" class="label">${escapeHtml(label)}</text>`;
  return `<path d="M${startX} ${startY}C${bend} ${startY} ${bend} ${endY} ${endX} ${endY}${crow}" class="edge"/>${text}`;
}

/** Text that is safe between tags and in attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
