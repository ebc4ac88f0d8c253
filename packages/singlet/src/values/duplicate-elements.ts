import { inSetOrder, type SetTag } from './set-order.ts';
import type { ValueCheckLayer } from './value-check-layer.ts';

const invalid = 'One or more parameter values were invalid: ';

/**
 * The message with which the service refuses a set that has an element twice.
 *
 * The older layer prints the elements as they were sent. The current one inserts them into an ordered set until an insertion
 * fails. It prints those before the first repetition in byte order, then the repeated one, then the rest as sent. The
 * recorded forms differ by type in their blanks and quotes:
 *
 *     b, a, b     older    [b, a, b]                                current  ["a", "b", "b"]
 *     0xff 0 0    older    [/w==, AA==, AA==]of type BS             current  ["AA==","/w==","AA=="]of type BS
 *     2, 1, 2     both     no elements; without prefix and full stop in the older
 */
export function duplicateElementsMessage(elements: readonly string[], tag: SetTag, layer: ValueCheckLayer): string {
  if (tag === 'NS') {
    return layer === 'current'
      ? `${invalid}Input collection contains duplicates.`
      : 'Input collection contains duplicates';
  }
  const ofType = tag === 'BS' ? 'of type BS' : '';
  return `${invalid}Input collection [${printElements(elements, tag, layer)}]${ofType} contains duplicates.`;
}

function printElements(elements: readonly string[], tag: SetTag, layer: ValueCheckLayer): string {
  if (layer === 'older') return elements.join(', ');
  const repetition = indexOfRepetition(elements);
  const ordered = inSetOrder(elements.slice(0, repetition), tag);
  const printed = [...ordered, ...elements.slice(repetition)].map((element) => `"${element}"`);
  return printed.join(tag === 'BS' ? ',' : ', ');
}

/** The index of the first text that occurred before, or -1. In time linear in their number, whatever their contents. */
export function indexOfRepetition(texts: readonly string[]): number {
  const seen = new Set<string>();
  return texts.findIndex((text) => seen.size === seen.add(text).size);
}
