import type { ExpectedPart, ExpectedRead } from './read.ts';
import { itemText, type Values } from './values.ts';

/** One page of an answer: the items of each part by its name, `undefined` for the whole answer. */
export interface GivenPage {
  readonly parts: ReadonlyMap<string | undefined, readonly Values[]>;
  /** Whether it came with a cursor. */
  readonly more: boolean;
}

/**
 * The faults of an answer, the worst first: an item that does not belong, one that is missing, one that is repeated, a parent in the
 * wrong place, items out of order, a page that is too long, a read that does not end or fails.
 */
export const differenceKinds = [
  'foreign item',
  'lost item',
  'repeated item',
  'misplaced parent',
  'wrong order',
  'page too long',
  'endless',
  'failure',
] as const;

/** How an answer differs from the correct one. */
export interface Difference {
  /** What kind of difference it is. */
  readonly kind: (typeof differenceKinds)[number];
  /** The difference in a sentence. */
  readonly message: string;
}

/** How the pages differ from the expected ones; undefined if they do not. */
export function differenceOf(
  expected: ExpectedRead,
  pages: readonly GivenPage[],
  limit: number | undefined,
): Difference | undefined {
  for (const part of expected.parts) {
    const found = itemsDifference(part, pages, expected.attributes);
    if (found !== undefined) return found;
  }
  return (
    parentDifference(expected, pages) ?? orderDifference(expected, pages) ?? pageDifference(expected, pages, limit)
  );
}

function itemsDifference(
  part: ExpectedPart,
  pages: readonly GivenPage[],
  attributes: readonly string[] | undefined,
): Difference | undefined {
  const given = pages.flatMap(({ parts }) => parts.get(part.name) ?? []);
  const left = new Map<string, number>();
  for (const item of part.items) {
    const text = itemText(item, attributes);
    left.set(text, (left.get(text) ?? 0) + 1);
  }
  const known = new Set(left.keys());
  const extra: string[] = [];
  for (const item of given) {
    const text = itemText(item);
    const count = left.get(text) ?? 0;
    if (count > 0) left.set(text, count - 1);
    else extra.push(text);
  }
  const where = part.name === undefined ? '' : ` among ${part.name}`;
  const foreign = extra.find((text) => !known.has(text));
  if (foreign !== undefined)
    return { kind: 'foreign item', message: `an item that does not belong${where}: ${foreign}` };
  const [lost] = [...left].find(([, count]) => count > 0) ?? [];
  if (lost !== undefined) return { kind: 'lost item', message: `an item is missing${where}: ${lost}` };
  const [repeated] = extra;
  if (repeated !== undefined) return { kind: 'repeated item', message: `an item comes twice${where}: ${repeated}` };
  return undefined;
}

/** The one item of a collection is on the first page and on no other. */
function parentDifference({ parts }: ExpectedRead, pages: readonly GivenPage[]): Difference | undefined {
  if (!parts.some(({ many }) => many)) return undefined;
  for (const { name, many } of parts) {
    const at = many ? -1 : pages.findIndex((page) => (page.parts.get(name) ?? []).length > 0);
    if (at > 0) return { kind: 'misplaced parent', message: `${name} comes on page ${at + 1}, not on the first` };
  }
  return undefined;
}

function orderDifference({ parts, order }: ExpectedRead, pages: readonly GivenPage[]): Difference | undefined {
  if (order === undefined) return undefined;
  for (const { name, many } of parts) {
    if (!many) continue;
    const given = pages.flatMap((page) => page.parts.get(name) ?? []);
    for (const [i, item] of given.entries()) {
      const before = given[i - 1];
      if (before !== undefined && (order(before, item) ?? 0) > 0)
        return { kind: 'wrong order', message: `${itemText(before)} comes before ${itemText(item)}` };
    }
  }
  return undefined;
}

function pageDifference(
  { parts }: ExpectedRead,
  pages: readonly GivenPage[],
  limit: number | undefined,
): Difference | undefined {
  if (limit === undefined) return undefined;
  const many = parts.filter((part) => part.many).map(({ name }) => name);
  for (const [i, page] of pages.entries()) {
    const count = many.reduce((sum, name) => sum + (page.parts.get(name)?.length ?? 0), 0);
    if (count > limit)
      return { kind: 'page too long', message: `page ${i + 1} has ${count} items, and the limit is ${limit}` };
  }
  return undefined;
}
