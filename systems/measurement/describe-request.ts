import type { ObservedRequest } from './observe-requests.ts';

type Fields = Readonly<Record<string, unknown>>;

const ACTIONS_SHOWN_MAX = 5;
const VALUE_LENGTH_MAX = 60;
const TYPE_TAGS: ReadonlySet<string> = new Set(['S', 'N', 'B', 'BOOL', 'NULL', 'SS', 'NS', 'BS', 'L', 'M']);

/**
 * A request in words: the operation and its table or index, then its key condition, and its other parameters, with names and
 * values in place of their placeholders. Values may be typed (`{ S: 'x' }`) or plain.
 *
 * @param keyNames - the key attributes of the table, which distinguish the key of an item that is put.
 */
export function describeRequest(request: ObservedRequest, keyNames: readonly string[]): readonly string[] {
  const { operation, input } = request;
  if (operation === 'TransactWriteItems') {
    return described(
      operation,
      listOf(input['TransactItems']).map((action) => describeAction(action, keyNames)),
    );
  }
  if (operation === 'BatchWriteItem') {
    const writes = Object.values(input['RequestItems'] as Readonly<Record<string, unknown>>).flatMap(listOf);
    return described(
      operation,
      writes.map((write) => describeAction(write, keyNames)),
    );
  }
  if (operation === 'BatchGetItem') {
    const keys = Object.values(input['RequestItems'] as Readonly<Record<string, Fields>>).flatMap((table) =>
      listOf(table['Keys']),
    );
    return described(
      operation,
      keys.map((Key) => clauses({ Key }, keyNames).join('  ')),
      'keys',
    );
  }
  const index = input['IndexName'] === undefined ? '' : `, index ${plainText(input['IndexName'])}`;
  return [`${operation} on ${plainText(input['TableName'])}${index}`, ...clauses(input, keyNames)];
}

function described(operation: string, actions: readonly string[], noun: string = 'actions'): readonly string[] {
  const more = actions.length - ACTIONS_SHOWN_MAX;
  return [
    `${operation}, ${actions.length} ${noun}`,
    ...actions.slice(0, ACTIONS_SHOWN_MAX),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

function describeAction(action: Fields, keyNames: readonly string[]): string {
  const [kind = '', fields] = Object.entries(action)[0] ?? [];
  return [kind.replace('Request', ''), ...clauses(fields as Fields, keyNames)].join('  ');
}

function clauses(input: Fields, keyNames: readonly string[]): readonly string[] {
  const filledIn = (name: string, before = ''): readonly string[] =>
    input[name] === undefined ? [] : [before + substituted(plainText(input[name]), input)];
  return [
    ...filledIn('KeyConditionExpression'),
    ...keyOf(input, keyNames),
    ...filledIn('UpdateExpression'),
    ...filledIn('ConditionExpression', 'if '),
    ...filledIn('FilterExpression', 'only '),
    ...(input['ScanIndexForward'] === false ? ['descending'] : []),
    ...(input['ConsistentRead'] === true ? ['strongly consistent'] : []),
    ...(input['Limit'] === undefined ? [] : [`at most ${plainText(input['Limit'])}`]),
  ];
}

function keyOf(input: Fields, keyNames: readonly string[]): readonly string[] {
  const attributes = (input['Key'] ?? input['Item']) as Fields | undefined;
  if (attributes === undefined) {
    return [];
  }
  const values = keyNames.map((name) => valueText(attributes[name]));
  if (values.every((value) => value === values[0])) {
    return [[...keyNames, values[0]].join(' = ')]; // PK = SK = "…": often the key of an item alone in its collection.
  }
  return [keyNames.map((name, position) => `${name} = ${values[position]}`).join(', ')];
}

function substituted(expression: string, input: Fields): string {
  const names = (input['ExpressionAttributeNames'] ?? {}) as Fields;
  const values = (input['ExpressionAttributeValues'] ?? {}) as Fields;
  return expression.replaceAll(/#\w+|:\w+/g, (placeholder) => {
    if (placeholder.startsWith(':')) {
      return valueText(values[placeholder]);
    }
    const name = plainText(names[placeholder]);
    return /^\w+$/.test(name) ? name : JSON.stringify(name);
  });
}

function valueText(value: unknown): string {
  const text = JSON.stringify(untyped(value)) ?? 'nothing';
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
}

function untyped(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const [tag, inner] = Object.entries(value)[0] ?? [];
  const isTyped = tag !== undefined && TYPE_TAGS.has(tag) && Object.keys(value).length === 1;
  if (!isTyped) {
    return value;
  }
  return tag === 'N' ? Number(inner) : inner;
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Fields[]) : [];
}
