import {
  type AttributeMap,
  type MutableAttributeMap,
  getAttribute,
  setAttribute,
  typeTag,
} from '../../values/attribute-value.ts';
import { attributeValuesEqual } from '../../values/compare.ts';
import type { Limits } from '../../values/limits.ts';
import { ConditionalCheckFailedException, DynamoError, ValidationException } from '../../values/service-error.ts';
import { makeCondition } from '../../expressions/condition.ts';
import { type Condition, projectPaths } from '../../expressions/index.ts';
import {
  type ConditionTree,
  conditionOf,
  type DeleteStatement,
  type ExistsStatement,
  type InsertStatement,
  statementProblems,
  type UpdateStatement,
} from '../../partiql/index.ts';
import { describedKeyProblem, type ItemKey, itemKeyOfKey, keyMismatch } from '../catalog/item-key.ts';
import type { ItemWrite, ItemWriteOutcome } from '../followers/item-write.ts';
import type { ItemOutput } from '../layout/stored-item.ts';
import { encodeItem } from '../layout/item-codec.ts';
import { planPut } from '../items/plan-put.ts';
import { checkUpdateTargets } from '../items/check-update.ts';
import type { Table } from '../catalog/table.ts';
import { keyTermsOf, keyTypeProblem } from './key-branches.ts';

export type WriteStatement = InsertStatement | UpdateStatement | DeleteStatement | ExistsStatement;

/** The selection of one item by a WHERE clause: its key, and the other conditions. */
export interface ItemSelection {
  readonly key: AttributeMap;
  readonly rest: readonly ConditionTree[];
}

/** Where the statement runs, which determines the texts of errors about its key. */
export type WriteSurface = 'statement' | 'transaction';

/**
 * The write of one item by a statement.
 *
 * INSERT requires that there is no item, UPDATE that there is one. DELETE of a missing item does nothing, and ignores its
 * conditions. EXISTS only checks; assumed: it treats a missing item as a ConditionCheck does.
 *
 * @throws {ValidationException}
 */
export function planWrite(
  table: Table,
  statement: WriteStatement,
  limits: Limits,
  options: { readonly surface: WriteSurface; readonly returnOldOnFailure: boolean },
): ItemWrite {
  const { surface, returnOldOnFailure } = options;
  const common = { table, returnOldOnFailure, keepBefore: keepsBefore(statement) };
  if (statement.kind === 'insert') {
    const keyProblem = surface === 'transaction' ? describedKeyProblem : keyTypeProblem;
    return {
      ...common,
      ...planPut(table, encodeItem(statement.item), limits, keyProblem),
      condition: itemPresence(table, false),
    };
  }
  const where = statement.kind === 'exists' ? statement.select.where : statement.where;
  const selection = selectItem(table, where, statement.kind, surface);
  const key = itemKey(table, selection.key, surface);
  const condition = conjunction(selection.rest);
  switch (statement.kind) {
    case 'update':
      checkUpdateTargets(table, statement.update);
      return {
        ...common,
        key,
        change: { kind: 'update', update: statement.update },
        condition: both(itemPresence(table, true), condition),
      };
    case 'delete':
      return {
        ...common,
        key,
        change: { kind: 'delete' },
        condition: condition && either(itemPresence(table, false), condition),
      };
    case 'exists':
      return { ...common, key, change: { kind: 'check' }, condition };
  }
}

/**
 * Extracts the key from a WHERE clause: an equality on each key attribute, combined by AND with any other conditions.
 *
 * @throws {ValidationException} if the key is incomplete, or an attribute has two values.
 */
export function selectItem(
  table: Table,
  where: ConditionTree | undefined,
  kind: 'update' | 'delete' | 'exists',
  surface: WriteSurface,
): ItemSelection {
  const key: MutableAttributeMap = {};
  const rest: ConditionTree[] = [];
  for (const part of where === undefined ? [] : conjuncts(where)) {
    const equality = keyEquality(table, part);
    const known = equality && getAttribute(key, equality.attributeName);
    if (equality === undefined) {
      rest.push(part);
    } else if (known === undefined) {
      setAttribute(key, equality.attributeName, equality.value);
    } else if (!attributeValuesEqual(known, equality.value)) {
      if (kind !== 'exists') {
        throw new ValidationException(
          `Multiple conditions on same key ${equality.attributeName}. Only single item Update/Insert/Delete are supported`,
        );
      }
      rest.push(part); // EXISTS uses the first, and keeps the other as a condition
    }
  }
  const isWhole = table.keyAttributes.every(({ attributeName }) => getAttribute(key, attributeName) !== undefined);
  if (kind === 'exists') {
    if (!isWhole || rest.length === 0) throw new ValidationException(statementProblems.existsNotOneItem);
  } else if (!isWhole) {
    throw surface === 'transaction' ? keyMismatch() : new ValidationException(statementProblems.keysNotPinned);
  }
  return { key, rest };
}

function conjuncts(tree: ConditionTree): readonly ConditionTree[] {
  return tree.kind === 'and' ? tree.parts.flatMap(conjuncts) : [tree];
}

function keyEquality(
  table: Table,
  tree: ConditionTree,
): { readonly attributeName: string; readonly value: AttributeMap[string] } | undefined {
  if (tree.kind !== 'simple' || tree.operator !== '=') return undefined;
  const names = { partition: table.partitionKey.attributeName, sort: table.sortKey?.attributeName };
  const [term] = keyTermsOf(tree, names);
  const value = term?.operands[0];
  return term === undefined || value === undefined ? undefined : { attributeName: term.attributeName, value };
}

function itemKey(table: Table, key: AttributeMap, surface: WriteSurface): ItemKey {
  if (surface === 'statement') {
    for (const attribute of table.keyAttributes) {
      const value = getAttribute(key, attribute.attributeName);
      if (value === undefined || typeTag(value) !== attribute.attributeType) throw keyTypeProblem(attribute, value);
    }
  }
  return itemKeyOfKey(table, key);
}

/** Whether there is an item, tested by its partition key, which every item has. */
function itemPresence({ partitionKey }: Table, present: boolean): Condition {
  return makeCondition((source) => (source.getAttribute(partitionKey.attributeName) !== undefined) === present, []);
}

function conjunction(trees: readonly ConditionTree[]): Condition | undefined {
  const [first, ...others] = trees;
  if (first === undefined) return undefined;
  return conditionOf(others.length === 0 ? first : { kind: 'and', parts: trees, node: first.node });
}

function both(one: Condition, other: Condition | undefined): Condition {
  return other === undefined ? one : makeCondition((source) => one.evaluate(source) && other.evaluate(source), []);
}

function either(one: Condition, other: Condition): Condition {
  return makeCondition((source) => one.evaluate(source) || other.evaluate(source), []);
}

function keepsBefore(statement: WriteStatement): boolean {
  return 'returning' in statement && statement.returning?.version === 'old';
}

/** The item that RETURNING requests; undefined if there is none. */
export function returnedItem(statement: WriteStatement, outcome: ItemWriteOutcome): ItemOutput | undefined {
  if (statement.kind === 'insert' || statement.kind === 'exists' || statement.returning === undefined) return undefined;
  const { which, version } = statement.returning;
  const item = version === 'old' ? outcome.before : outcome.after;
  if (which === 'all' || item === undefined || statement.kind === 'delete') return item;
  const changed = projectPaths(item, statement.update.targets);
  return Object.keys(changed).length === 0 ? undefined : changed;
}

/** An error of a write, with the text that it has for a statement. */
export function statementError(statement: WriteStatement, error: unknown): unknown {
  if (statement.kind === 'insert' && error instanceof ConditionalCheckFailedException)
    return new DuplicateItemException();
  if (error instanceof ValidationException && error.message.startsWith(`${tooDeep}:`))
    return new ValidationException(tooDeep);
  return error;
}

const tooDeep = 'Nesting Levels have exceeded supported limits';

/** INSERT found an item with its key. */
export class DuplicateItemException extends DynamoError {
  constructor() {
    super('DuplicateItemException', 'Duplicate primary key exists in table');
  }
}
