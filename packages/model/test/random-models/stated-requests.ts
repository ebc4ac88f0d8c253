import { explainAll, type Explanation } from '../../src/cost/explain.ts';
import type { Model } from '../../src/model.ts';
import type { RangeRequest } from '../../src/check/key-ranges.ts';
import type { PatternCalls, SentInput, SentRequest } from './typed-calls.ts';

type StoredValues = NonNullable<SentInput['Key']>;

/**
 * Requests that a pattern sent and that its explanation does not state: another operation, table, index, direction or filter, a key outside
 * the stated ranges, or a written key that is not among the stated ones. Generated types and documents say the same as explanations.
 */
export function misstated(model: Model, calls: readonly PatternCalls[]): string[] {
  const explanations = new Map(explainAll(model).map((each) => [each.pattern, each]));
  const faults = calls.flatMap(({ pattern, requests }) => {
    const explanation = explanations.get(pattern);
    if (explanation === undefined) return [`${pattern} is not explained`];
    return requests.flatMap((request) =>
      faultsOf(model, explanation, request).map((fault) => `${pattern}: ${request.operation} ${fault}`),
    );
  });
  return [...new Set(faults)];
}

function faultsOf(model: Model, explanation: Explanation, { operation, input }: SentRequest): string[] {
  const { served, ranges, writes } = explanation;
  if (served === undefined) return ['is not stated'];
  const stated = served.operation.split(' then ');
  if (writes !== undefined) {
    const alone = ['PutItem', 'UpdateItem', 'DeleteItem'];
    // A transaction of one action is sent as that action, and an item that an update creates in the place of an expired one is put.
    const isStated =
      stated.includes(operation) || (stated.some((each) => each !== 'GetItem') && alone.includes(operation));
    return [
      ...(isStated ? [] : [`is not one of ${served.operation}`]),
      ...actionsOf(operation, input).flatMap((action) => writtenFaults(model, writes, action)),
    ];
  }
  if (!stated.includes(operation)) return [`is not ${served.operation}`];
  const requests = ranges?.cases.flatMap((each) => each.requests) ?? [];
  if (operation === 'BatchGetItem') return [];
  const place = input.IndexName ?? unprefixed(input.TableName);
  const here = requests.filter((each) => each.place === place && each.operation === operation);
  if (here.length === 0) return [`of ${place} is not stated`];
  const isDescending = input.ScanIndexForward === false;
  const texts = here.flatMap(({ filter }) => filter);
  const filtered = filteredNames(model, input).filter(
    (name) => !(served.filter ?? []).includes(name) && !texts.some((text) => text.startsWith(`${name} begins `)),
  );
  const outside = here.map((each) => outsideOf(each, input));
  return [
    ...(operation === 'Query' && isDescending !== (served.order === 'descending')
      ? [`is not ${served.order ?? ''}`]
      : []),
    ...(filtered.length > 0 ? [`filters by ${filtered.join()}, and by ${(served.filter ?? []).join()} as stated`] : []),
    ...(outside.includes(undefined) ? [] : [outside.join(' or ')]),
  ];
}

interface Action {
  readonly table: string;
  readonly key: StoredValues;
  readonly item: StoredValues | undefined;
  readonly names: readonly string[];
}

function actionsOf(operation: string, input: SentInput): Action[] {
  switch (operation) {
    case 'TransactWriteItems':
      return (input.TransactItems ?? []).flatMap((each) =>
        Object.entries(each).flatMap(([kind, own]) => (kind === 'ConditionCheck' ? [] : [actionOf(own)])),
      );
    case 'BatchWriteItem':
      return Object.entries(input.RequestItems ?? {}).flatMap(([table, list]) =>
        list.map(({ PutRequest, DeleteRequest }) => actionOf({ TableName: table, ...PutRequest, ...DeleteRequest })),
      );
    case 'GetItem':
      return [];
    default:
      return [actionOf(input)];
  }
}

function actionOf(input: SentInput): Action {
  const item = input.Item;
  const [, set = ''] = /\bSET (.*?)(?:\b(?:REMOVE|ADD|DELETE)\b|$)/.exec(input.UpdateExpression ?? '') ?? [];
  const names = input.ExpressionAttributeNames ?? {};
  const isSet = [...set.matchAll(/(#\w+) =/g)].map(([, name = '']) => names[name] ?? name);
  return { table: unprefixed(input.TableName), key: item ?? input.Key ?? {}, item, names: isSet };
}

function writtenFaults(model: Model, writes: readonly string[], { table, key, item, names }: Action): string[] {
  const { key: keyNames = [], indexes = {} } = model.tables[table] ?? {};
  const primary = keyText(keyNames, key);
  const faults = writes.some((each) => isLike(each, primary)) ? [] : [`writes ${primary}, which is not stated`];
  for (const [index, declared] of Object.entries(indexes)) {
    if (!Array.isArray(declared)) continue;
    const attributes = (declared as readonly string[]).map(plainName);
    // An attribute of the application that is part of an index is in any item.
    const own = attributes.filter((name) => !keyNames.map(plainName).includes(name));
    const stated = writes.filter((each) => each.startsWith(`${index}: `)).map((each) => each.replace(/ when .*$/, ''));
    if (item !== undefined && own.length > 0 && own.every((name) => name in item)) {
      const text = `${index}: ${keyText(declared as readonly string[], item)}`;
      if (!stated.some((each) => isLike(each, text))) faults.push(`writes ${text}, which is not stated`);
    }
    for (const name of names)
      if (own.includes(name) && !stated.some((each) => each.includes(`${name} = `)))
        faults.push(`sets ${name} of ${index}, which is not stated`);
  }
  return faults;
}

function keyText(names: readonly string[], values: StoredValues): string {
  return names
    .map(plainName)
    .map((name) => `${name} = ${valueText(values[name])}`)
    .join(', ');
}

function plainName(declared: string): string {
  return declared.replace(/:[NB]$/, '');
}

function valueText(value: StoredValues[string] = {}): string {
  const { S, N, B } = value;
  return S ?? N ?? (B === undefined ? '' : String(B));
}

/** Whether a text has the form of a template, with any text for its variables. */
function isLike(template: string, text: string): boolean {
  const parts = template.split(/\{[^}]*\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
}

function filteredNames(model: Model, input: SentInput): string[] {
  const expression = input.FilterExpression ?? '';
  const names = input.ExpressionAttributeNames ?? {};
  const stored = [...expression.matchAll(/#\w+/g)].map(([name]) => names[name] ?? name);
  const { type = 'Type' } = model.tables[unprefixed(input.TableName)] ?? {};
  const expiring = Object.values(model.entities).map(({ rules }) => rules.expires);
  const known = new Map<string, string>();
  for (const [entity, { stored: own = {} }] of Object.entries(model.storage))
    for (const name of Object.keys(model.entities[entity]?.attributes ?? {})) known.set(own[name] ?? name, name);
  const all = stored.map((name) => known.get(name) ?? name);
  return [...new Set(all.filter((name) => name !== type && !expiring.includes(name)))];
}

/** How a request leaves the stated keys; undefined if it is within them. */
function outsideOf({ partition, equal, range }: RangeRequest, input: SentInput): string | undefined {
  const key = input.Key;
  if (key !== undefined) {
    const wrong = Object.entries({ ...partition, ...equal }).find(
      ([name, text]) => !isLike(text, valueText(key[name])),
    );
    return wrong === undefined ? undefined : `${wrong[0]} is ${valueText(key[wrong[0]])}, and ${wrong[1]} as stated`;
  }
  const condition = input.KeyConditionExpression ?? '';
  const names = input.ExpressionAttributeNames ?? {};
  const values = input.ExpressionAttributeValues ?? {};
  const value = (placeholder = ''): string => valueText(values[placeholder]);
  const equals = new Map(
    [...condition.matchAll(/(#?\w+) = (:\w+)/g)].map(([, name = '', at]) => [names[name] ?? name, value(at)]),
  );
  for (const [name, text] of Object.entries({ ...partition, ...(range === undefined ? equal : {}) })) {
    const own = equals.get(name);
    if (own === undefined || !isLike(text, own)) return `${name} is ${own ?? 'open'}, and ${text} as stated`;
  }
  if (range === undefined) return undefined;
  const [begins] = [...condition.matchAll(/begins_with\(#?\w+, (:\w+)\)/g)].map(([, at]) => value(at));
  const [between] = [...condition.matchAll(/BETWEEN (:\w+) AND (:\w+)/g)].map(([, a, b]) => [value(a), value(b)]);
  const [least] = [...condition.matchAll(/>=? (:\w+)/g)].map(([, at]) => value(at));
  const [most] = [...condition.matchAll(/<=? (:\w+)/g)].map(([, at]) => value(at));
  const from = between?.[0] ?? begins ?? least ?? equals.get(range.attribute) ?? '';
  const to = between?.[1] ?? begins ?? most ?? equals.get(range.attribute);
  const [first = ''] = range.from.split('{');
  const [last = ''] = range.to.split('{');
  // A range that ends with a text contains all that begin with it: it ends with the text after them.
  const isWithin =
    (compare(from, first) >= 0 || from.startsWith(first)) &&
    (to === undefined ? last === '' || last.startsWith('\u{10ffff}') : compare(to, after(last)) <= 0);
  return isWithin
    ? undefined
    : `${range.attribute} is from ${from} to ${to ?? 'the end'}, and ${range.from} to ${range.to} as stated`;
}

/** The text after all that begin with a text. */
function after(text: string): string {
  const characters = Array.from(text);
  const last = characters.pop()?.codePointAt(0) ?? 0x10_ffff;
  return last >= 0x10_ffff
    ? '\u{10ffff}'.repeat(characters.length + 2)
    : `${characters.join('')}${String.fromCodePoint(last + 1)}`;
}

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function unprefixed(table = ''): string {
  return table.replace(/^random-\d+-/, '');
}
