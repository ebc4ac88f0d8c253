import type { DrawnEntity, ModelDocument } from './model-document.ts';

const boxWidth = 210;
const lineHeight = 18;
const headHeight = 26;
const gapMin = 110;
const gapY = 28;
const margin = 16;
/** Wider than a character of a label usually is, since the font of the reader is unknown. */
const characterWidth = 7;
const labelLineHeight = 14;

interface Box {
  readonly entity: DrawnEntity;
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

/** The entity-relationship diagram as SVG: parents left of their children, with a crow's foot on the side of the many. */
export function diagramOf({ entities, relationships }: Pick<ModelDocument, 'entities' | 'relationships'>): string {
  const longest = Math.max(0, ...relationships.flatMap(({ label }) => linesOf(label).map((line) => line.length)));
  const gap = Math.max(gapMin, longest * characterWidth + 2 * margin);
  const boxes = placeBoxes(entities, relationships, gap);
  const all = [...boxes.values()];
  const edges = relationships.flatMap(({ parent, child, cardinality, label }) => {
    const [from, to] = [boxes.get(parent), boxes.get(child)];
    return from === undefined || to === undefined ? [] : [{ from, to, cardinality, label }];
  });
  // An edge to the same or an earlier column leaves and returns on the right, where its label needs the gap as well.
  const rights = [
    ...all.map(({ x }) => x),
    ...edges.filter(turnsBack).map(({ from, to }) => Math.max(from.x, to.x) + gap),
  ];
  const width = Math.max(0, ...rights.map((x) => x + boxWidth)) + margin;
  const height = Math.max(0, ...all.map(({ y, height: boxHeight }) => y + boxHeight)) + margin;
  return `<svg viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="Entities and relationships">${edges.map((each) => drawEdge(each, gap)).join('')}${all.map(drawBox).join('')}</svg>`;
}

/** Columns by the longest path from an entity without parents. */
function placeBoxes(
  entities: readonly DrawnEntity[],
  relationships: ModelDocument['relationships'],
  gap: number,
): Map<string, Box> {
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
    boxes.set(entity.name, { entity, x: margin + column * (boxWidth + gap), y, height });
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

interface Edge {
  readonly from: Box;
  readonly to: Box;
  readonly cardinality: string;
  readonly label: string;
}

function turnsBack({ from, to }: Pick<Edge, 'from' | 'to'>): boolean {
  return to.x <= from.x;
}

function drawEdge({ from, to, cardinality, label }: Edge, gap: number): string {
  const back = turnsBack({ from, to });
  const startX = from.x + boxWidth;
  const startY = from.y + headHeight / 2;
  const endX = back ? to.x + boxWidth : to.x;
  const endY = to.y + headHeight / 2;
  const bend = back ? Math.max(startX, endX) + gapMin / 3 : (startX + endX) / 2;
  const foot = back ? 12 : -12;
  const many = cardinality.endsWith('N') || cardinality.endsWith('M');
  const crow = many ? `M${endX + foot} ${endY}L${endX} ${endY - 6}M${endX + foot} ${endY}L${endX} ${endY + 6}` : '';
  const curve = `<path d="M${startX} ${startY}C${bend} ${startY} ${bend} ${endY} ${endX} ${endY}${crow}" class="edge"/>`;
  // In the gap, where no box is: an edge may pass behind boxes on its way.
  if (back) return `${curve}${drawLabel(label, bend + 4, (startY + endY) / 2, 'start')}`;
  const x = endX - gap / 2;
  return `${curve}${drawLabel(label, x, heightAt(x, { startX, startY, bend, endX, endY }), 'middle')}`;
}

/** The height at which a curve, which only goes to the right, crosses a vertical line. */
function heightAt(x: number, curve: Readonly<Record<'startX' | 'startY' | 'bend' | 'endX' | 'endY', number>>): number {
  const { startX, startY, bend, endX, endY } = curve;
  const at = (t: number, start: number, first: number, second: number, end: number): number =>
    (1 - t) ** 3 * start + 3 * (1 - t) ** 2 * t * first + 3 * (1 - t) * t ** 2 * second + t ** 3 * end;
  let [low, high] = [0, 1];
  for (let round = 0; round < 20; round += 1) {
    const middle = (low + high) / 2;
    if (at(middle, startX, bend, bend, endX) < x) low = middle;
    else high = middle;
  }
  return Math.round(at(low, startY, startY, endY, endY));
}

/** What a label says, a line each: the first above a height, the others below it. */
function drawLabel(label: string, x: number, y: number, anchor: 'start' | 'middle'): string {
  return linesOf(label)
    .map(
      (line, i) =>
        `<text x="${x}" y="${y - 6 + i * labelLineHeight}" class="label" text-anchor="${anchor}">${escapeHtml(line)}</text>`,
    )
    .join('');
}

function linesOf(label: string): string[] {
  return label === '' ? [] : label.split(', ');
}

/** Text that is safe between tags and in attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
