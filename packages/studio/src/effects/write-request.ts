import type { AttributeMap, AttributeValue } from '../../../singlet/src/values/attribute-value.ts';
import { sameValue, ValueError } from '../values/value-problem.ts';
import { picked } from '../values/value-text.ts';
import { keyNamesOf, type TableDescription } from '../wire/table-description.ts';

// Requests that write only the changed attributes, and only if they still have the values that were shown, so that no update is lost.

export interface WriteRequest {
  readonly operation: 'UpdateItem' | 'PutItem' | 'DeleteItem' | 'TransactWriteItems';
  readonly input: object;
}

/** Maximum changed paths of one request; the service accepts 300 operators in an expression. */
const changesMax = 140;

export interface PathChange {
  readonly path: readonly string[];
  readonly old: AttributeValue | undefined;
  readonly new: AttributeValue | undefined;
}

/** The smallest paths that differ. Maps are compared recursively, lists and sets as a whole. */
export function changesOf(
  before: AttributeMap,
  after: AttributeMap,
  path: readonly string[] = [],
): readonly PathChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name): readonly PathChange[] => {
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    const now = Object.hasOwn(after, name) ? after[name] : undefined;
    if (sameValue(old, now)) return [];
    if (old && now && 'M' in old && 'M' in now) return changesOf(old.M, now.M, [...path, name]);
    return [{ path: [...path, name], old, new: now }];
  });
}

/**
 * The request that turns one version of an item into another; undefined if they are equal.
 *
 * @throws {ValueError} for more changes than one request accepts.
 */
export function writeRequest(
  table: TableDescription,
  before: AttributeMap | undefined,
  after: AttributeMap | undefined,
): WriteRequest | undefined {
  if (before === undefined) return after && putRequest(table, after);
  if (after === undefined) return deleteRequest(table, before);
  if (isMove(table, before, after)) return moveRequest(table, before, after);
  const changes = changesOf(before, after);
  if (changes.length === 0) return undefined;
  if (changes.length > changesMax)
    throw new ValueError(`One request changes at most ${changesMax} attributes, not ${changes.length}`);
  const terms = new Terms();
  const sets = changes.flatMap(({ path, new: now }) =>
    now === undefined ? [] : [`${terms.path(path)} = ${terms.value(now)}`],
  );
  const removes = changes.flatMap(({ path, new: now }) => (now === undefined ? [terms.path(path)] : []));
  const update = [
    ...(sets.length > 0 ? [`SET ${sets.join(', ')}`] : []),
    ...(removes.length > 0 ? [`REMOVE ${removes.join(', ')}`] : []),
  ];
  return {
    operation: 'UpdateItem',
    input: {
      TableName: table.TableName,
      Key: keyOf(table, before),
      UpdateExpression: update.join(' '),
      ConditionExpression: [
        `attribute_exists(${terms.path([keyNamesOf(table).partition])})`,
        ...terms.conditions(changes),
      ].join(' AND '),
      ...terms.input(),
    },
  };
}

/** Whether two versions of an item have different keys, so that a move is needed. */
export function isMove(table: TableDescription, before: AttributeMap, after: AttributeMap): boolean {
  return !sameValue({ M: keyOf(table, before) }, { M: keyOf(table, after) });
}

/** One transaction that deletes an item, if it is unchanged, and puts it under another key, if that key is free. */
function moveRequest(table: TableDescription, before: AttributeMap, after: AttributeMap): WriteRequest {
  return {
    operation: 'TransactWriteItems',
    input: {
      TransactItems: [{ Delete: deleteRequest(table, before).input }, { Put: putRequest(table, after).input }],
    },
  };
}

export function keyOf(table: TableDescription, item: AttributeMap): AttributeMap {
  return picked(
    item,
    Object.values(keyNamesOf(table)).filter((name) => name !== undefined),
  );
}

function putRequest(table: TableDescription, item: AttributeMap): WriteRequest {
  const terms = new Terms();
  const condition = `attribute_not_exists(${terms.path([keyNamesOf(table).partition])})`;
  return {
    operation: 'PutItem',
    input: { TableName: table.TableName, Item: item, ConditionExpression: condition, ...terms.input() },
  };
}

/** Deletes an item that is unchanged. For a large item, only its first attributes are compared. */
function deleteRequest(table: TableDescription, item: AttributeMap): WriteRequest {
  const terms = new Terms();
  const seen = Object.entries(item)
    .slice(0, changesMax)
    .map(([name, old]) => ({ path: [name], old, new: undefined }));
  return {
    operation: 'DeleteItem',
    input: {
      TableName: table.TableName,
      Key: keyOf(table, item),
      ConditionExpression: terms.conditions(seen).join(' AND '),
      ...terms.input(),
    },
  };
}

/** Names and values of a request's expressions, each once. */
class Terms {
  readonly #names = new Map<string, string>();
  readonly #values: AttributeValue[] = [];

  path(path: readonly string[]): string {
    return path.map((name) => this.#name(name)).join('.');
  }

  value(value: AttributeValue): string {
    this.#values.push(value);
    return `:v${this.#values.length - 1}`;
  }

  conditions(changes: readonly PathChange[]): readonly string[] {
    return changes.map(({ path, old }) =>
      old === undefined ? `attribute_not_exists(${this.path(path)})` : `${this.path(path)} = ${this.value(old)}`,
    );
  }

  input(): object {
    return {
      ExpressionAttributeNames: Object.fromEntries([...this.#names].map(([name, placeholder]) => [placeholder, name])),
      ...(this.#values.length > 0 && {
        ExpressionAttributeValues: Object.fromEntries(this.#values.map((value, at) => [`:v${at}`, value])),
      }),
    };
  }

  #name(name: string): string {
    const known = this.#names.get(name) ?? `#n${this.#names.size}`;
    this.#names.set(name, known);
    return known;
  }
}
