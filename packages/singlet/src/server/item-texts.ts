import { findItemText, type ItemText } from '../values/item-text.ts';
import { serviceLimits } from '../values/limits.ts';
import { closeBrace, closeBracket, colon, comma, openBrace, openBracket } from '../values/json-bytes.ts';
import { endOfPlainName, endOfValue, isNamed } from '../values/json-text.ts';

/** Where an input has items to be stored. */
type Places =
  | 'item'
  /** In some members of an object. */
  | { readonly name: string; readonly value: Places }
  /** In all members of an object, or in all elements of an array. */
  | { readonly each: Places };

const put = (name: string): Places => ({ name, value: { name: 'Item', value: 'item' } });

/** The places for the actions whose inputs are mostly items, by the value of `x-amz-target`. */
const placesByTarget: ReadonlyMap<string | undefined, Places> = new Map([
  ['DynamoDB_20120810.PutItem', { name: 'Item', value: 'item' }],
  ['DynamoDB_20120810.BatchWriteItem', { name: 'RequestItems', value: { each: { each: put('PutRequest') } } }],
  ['DynamoDB_20120810.TransactWriteItems', { name: 'TransactItems', value: { each: put('Put') } }],
]);

/** The items of an input, and the text of the rest. */
export interface ItemTexts {
  /** The text of the whole input, with a number in the place of each item while the rest is parsed. */
  readonly rest: string;
  /** Puts the items back into the input once the rest has been parsed: an item is then an {@link ItemText} (shape `itemInput`). */
  readonly putBack: (input: unknown) => void;
}

/**
 * Takes the items to be stored out of the text of an input, if the text is plain enough for that. Then only the
 * rest has to be parsed. The fast path of parsing the whole input, which gives the same request: `item-texts.test.ts`
 * reassembles inputs, and `same-request.test.ts` compares what reaches the engine.
 *
 * The items are views of the memory of `body`. The engine copies them when an action is called, before it waits for anything.
 *
 * @param target - the action, as it is named in the request.
 * @param body - well-formed UTF-8.
 * @returns undefined when there are no items, or the text is not plain.
 * @see findItemText
 */
export function takeItems(target: string | undefined, body: Buffer): ItemTexts | undefined {
  const places = placesByTarget.get(target);
  if (places === undefined) return undefined;
  const reader = new ItemsReader(body);
  if (reader.value(0, places) !== body.length || reader.items.length === 0) return undefined;
  return {
    rest: reader.rest(),
    putBack: (input) => putBack(input, places, reader.items),
  };
}

/** Most items that are taken out: the most that any action may have. An input with more is refused after parsing. */
const itemsMax = serviceLimits.transactionActionCountMax;

/** Every method takes the position where an element begins, and returns where it ends; or -1, if it is not plain. */
class ItemsReader {
  readonly items: ItemText[] = [];
  readonly #body: Buffer;
  #rest = '';
  /** How far the text has been copied to `#rest`. */
  #taken = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  /** The remaining text, once everything has been read. */
  rest(): string {
    return this.#rest + this.#body.toString('utf8', this.#taken);
  }

  value(start: number, places: Places): number {
    if (places === 'item') return this.#item(start);
    if (this.#body[start] === openBrace) return this.#object(start, places);
    return this.#body[start] === openBracket && 'each' in places ? this.#array(start, places.each) : -1;
  }

  #item(start: number): number {
    const found = findItemText(this.#body, start);
    if (found === undefined) return -1;
    this.#rest += this.#body.toString('utf8', this.#taken, start) + String(this.items.length);
    this.#taken = found.end;
    if (this.items.push(found) > itemsMax) return -1;
    return found.end;
  }

  #object(start: number, places: Exclude<Places, 'item'>): number {
    const body = this.#body;
    if (body[start + 1] === closeBrace) return start + 2;
    let isFound = false;
    for (let at = start + 1; ; at += 1) {
      const nameEnd = endOfPlainName(body, at);
      if (nameEnd < 0 || body[nameEnd] !== colon) return -1;
      if ('each' in places) {
        at = this.value(nameEnd + 1, places.each);
      } else if (isNamed(body, at, nameEnd, places.name)) {
        // If members have the same name, the last one counts; the parser handles that.
        if (isFound) return -1;
        isFound = true;
        at = this.value(nameEnd + 1, places.value);
      } else {
        at = endOfValue(body, nameEnd + 1);
      }
      if (at < 0) return -1;
      if (body[at] === closeBrace) return at + 1;
      if (body[at] !== comma) return -1;
    }
  }

  #array(start: number, each: Places): number {
    const body = this.#body;
    if (body[start + 1] === closeBracket) return start + 2;
    for (let at = start + 1; ; at += 1) {
      at = this.value(at, each);
      if (at < 0) return -1;
      if (body[at] === closeBracket) return at + 1;
      if (body[at] !== comma) return -1;
    }
  }
}

/** Replaces the number in the place of each item. A place without an item is skipped. */
function putBack(input: unknown, places: Places, items: readonly ItemText[]): void {
  if (places === 'item' || typeof input !== 'object' || input === null) return;
  const object = input as Record<string, unknown>;
  const names = 'each' in places ? Object.keys(object) : Object.hasOwn(object, places.name) ? [places.name] : [];
  const inner = 'each' in places ? places.each : places.value;
  for (const name of names) {
    const value = object[name];
    if (inner === 'item') object[name] = items[value as number];
    else putBack(value, inner, items);
  }
}
