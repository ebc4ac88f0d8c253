import { findItemText, type ItemText } from '../values/item-text.ts';
import { serviceLimits } from '../values/limits.ts';
import { closeBrace, closeBracket, colon, comma, openBrace, openBracket } from '../values/json-bytes.ts';
import { endOfPlainName, endOfValue, isNamed } from '../values/json-text.ts';

/** Where an input has items that are to be stored. */
type Places =
  | 'item'
  /** In some members of an object. */
  | { readonly name: string; readonly value: Places }
  /** In all members of an object, or in all elements of an array. */
  | { readonly each: Places };

const put = (name: string): Places => ({ name, value: { name: 'Item', value: 'item' } });

/** Of the actions whose inputs are mostly items, by what clients call them in `x-amz-target`. */
const placesByTarget: ReadonlyMap<string | undefined, Places> = new Map([
  ['DynamoDB_20120810.PutItem', { name: 'Item', value: 'item' }],
  ['DynamoDB_20120810.BatchWriteItem', { name: 'RequestItems', value: { each: { each: put('PutRequest') } } }],
  ['DynamoDB_20120810.TransactWriteItems', { name: 'TransactItems', value: { each: put('Put') } }],
]);

/** The items of an input, and the text of the rest. */
export interface ItemTexts {
  /** Of the whole input. Where an item was there is its number, for as long as it takes to parse the rest. */
  readonly rest: string;
  /** Puts the items into the input, once its rest has been parsed: an item is an {@link ItemText} there (shape `itemInput`). */
  readonly putBack: (input: unknown) => void;
}

/**
 * Takes the items that are to be stored out of the text of an input, where the text is plain enough for that: then only what
 * is left has to be parsed. The fast path of parsing the whole input, which gives the same request: `item-texts.test.ts` puts
 * inputs together again, and `same-request.test.ts` holds what reaches the engine to it.
 *
 * The items are in the memory of `body`. The engine copies them when an action is called, before it waits for anything.
 *
 * @param target - the action, as it is named in the request.
 * @param body - well-formed UTF-8.
 * @returns undefined where there is nothing to be taken, or anything is not plain.
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

/** Items that are taken: as many as the action with most may have. An input with more is refused when it has been parsed. */
const itemsMax = serviceLimits.transactionActionCountMax;

/** Every method takes where something begins, and returns where it ends; or -1, if it is not plain. */
class ItemsReader {
  readonly items: ItemText[] = [];
  readonly #body: Buffer;
  #rest = '';
  /** Up to where the text is in `#rest`. */
  #taken = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  /** What is left, once all has been read. */
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
        // Of members with the same name the last counts; that is for the parser to see to.
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

/** Where an item was, there is a number now; where none was taken, there is no such place. */
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
