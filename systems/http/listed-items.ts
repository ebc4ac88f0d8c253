import type { ObservedRequest } from '../measurement/observe-requests.ts';

/** An item that a request returned, by its key there. */
export interface ListedItem {
  /** As the model names the entity; the place of the item for tables of one entity. */
  readonly entity: string;
  /** The key by which it was found: the partition key if the sort key does not tell it from the others. */
  readonly key: string;
}

/** More are not listed: the strip is for comparing a screen with what it read. Decision 0137 says why there is a list. */
const LISTED_MAX = 8;

type Item = Readonly<Record<string, unknown>>;

/**
 * The items that a read returned. Key attributes are those that the request names; a sort key that it does not name is found by the name of
 * the partition key, as models pair them: `GSI1PK` and `GSI1SK`.
 */
export function listedItems(
  { operation, input, output = {} }: ObservedRequest,
  secret: ReadonlySet<string>,
): readonly ListedItem[] {
  const items = itemsIn(output);
  const names = namesIn(operation, input);
  return items.slice(0, LISTED_MAX).flatMap(({ item, place }) => {
    const [partition, sort] = keyNames(names, item);
    if (partition === undefined || secret.has(partition) || (sort !== undefined && secret.has(sort))) return [];
    const key = plain(item[sort ?? partition]) ?? plain(item[partition]);
    return key === undefined ? [] : [{ entity: plain(item['Type'] ?? item['type']) ?? place, key }];
  });
}

function itemsIn({ Items, Item, Responses }: Item): readonly { readonly item: Item; readonly place: string }[] {
  const found = [...((Items ?? []) as readonly Item[]), ...(Item === undefined ? [] : [Item as Item])];
  const batches = Object.entries((Responses ?? {}) as Readonly<Record<string, readonly Item[]>>);
  return [
    ...found.map((item) => ({ item, place: '' })),
    ...batches.flatMap(([place, items]) => items.map((item) => ({ item, place }))),
  ];
}

/** The names of the key attributes in the request, the partition key first, as models write them. */
function namesIn(operation: string, input: Item): readonly string[] {
  if (operation === 'Query') {
    const names = (input['ExpressionAttributeNames'] ?? {}) as Readonly<Record<string, string>>;
    const condition = plain(input['KeyConditionExpression']) ?? '';
    // Functions of a condition, and the values after a colon, are no attributes.
    const words = condition.match(/(?<![:\w#])[#\w]+(?!\w*\()/g) ?? [];
    return [...new Set(words.filter((word) => !/^(AND|BETWEEN)$/i.test(word)).map((word) => names[word] ?? word))];
  }
  const requests = Object.values((input['RequestItems'] ?? {}) as Readonly<Record<string, { Keys?: readonly Item[] }>>);
  return Object.keys(input['Key'] ?? requests[0]?.Keys?.[0] ?? {});
}

function keyNames([partition, sort]: readonly string[], item: Item): readonly (string | undefined)[] {
  if (partition === undefined || sort !== undefined) return [partition, sort];
  const paired = partition.replace(/pk$/i, (suffix) => (suffix === 'pk' ? 'sk' : 'SK'));
  return [partition, paired !== partition && Object.hasOwn(item, paired) ? paired : undefined];
}

/** A text or a number, typed (`{ S: 'x' }`) or plain; undefined for others. */
function plain(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  const { S: text, N: number } = (typeof value === 'object' && value !== null ? value : {}) as {
    S?: string;
    N?: string;
  };
  return text ?? number;
}
