import type { EntityInfo, IndexKeyInfo } from '../resolve/resolved.ts';
import type { StoredItem } from './attribute-value.ts';
import type { BuiltRequest, Context } from './context.ts';
import { type Effect, updateText } from './effect.ts';
import { Expression } from './expression.ts';
import type { Values } from './item-codec.ts';
import { keyId } from './key-id.ts';
import type { RuleCode } from './rule-error.ts';

/** One requirement on an item. The service can check it, and so can this process for an item in memory. */
export interface Ask {
  /**
   * `there`: that it is the intended item and has not expired; another one counts as absent. `absent`: that there is none.
   * `as-read`: that it still is what the write was decided on.
   */
  readonly kind: 'there' | 'absent' | 'as-read' | 'given';
  readonly text: (expression: Expression) => string;
  readonly holds: (item: StoredItem | undefined) => boolean;
  /** Checked once, however many parts of a transaction require it. */
  readonly once?: string;
  /** Stored names of the attributes that a condition of the pattern tests. */
  readonly tests?: readonly string[];
  /** The types that the item may have, if the key is one of several entities. */
  readonly types?: readonly string[];
}

/** Why an action can be rejected: the code to report, and what to say about the item. */
export interface ActionRule {
  readonly code: RuleCode;
  readonly entity: string;
  readonly attribute?: string;
  readonly part?: string | undefined;
  /** The lock attribute and the expected version: distinguishes a stale version from another failed condition. */
  readonly version?: { readonly stored: string; readonly expected: string };
  /** If the action fails, the rest is written without it: a counter whose item is gone has nothing to count. */
  readonly droppable?: boolean;
  /** The action failed because the item has changed since it was read: read again and repeat. */
  readonly optimistic?: boolean;
  /** Creates the item if it does not exist. */
  readonly creates?: boolean;
  /** The item was read and not found. Unless a part creates it, the write is rejected. */
  readonly missing?: boolean;
  /** The item may be missing; then there is nothing to do. */
  readonly mayBeAbsent?: boolean;
  /** The condition decides alone, of a missing item as well. */
  readonly decides?: boolean;
  /** A rule of another item requires it, not the pattern itself: a parent that must exist, or that counts. */
  readonly implied?: boolean;
  /** It determines what happens to other items, from the item's previous state. */
  readonly moves?: boolean;
}

/** What one part of a write requires of an item, and the error if the item does not meet it. */
export interface ActionPart {
  readonly rule: ActionRule;
  readonly asks: readonly Ask[];
}

/** The inputs of an updated item's index keys. */
export interface IndexWrite {
  readonly indexes: readonly IndexKeyInfo[];
  /** Written even if none of their attributes changes. */
  readonly asked: readonly IndexKeyInfo[];
  /** The item as it was read. */
  readonly stored: StoredItem | undefined;
  /** If it was not read: the values that it has before, as far as the input states them. */
  readonly known: Values;
  /** The values that the update gives it. */
  readonly changed: Values;
  /** Values of an item that the update may create. */
  readonly created: Values;
}

/** One action on one item, on its own or within a transaction. */
export interface Action {
  readonly kind: 'put' | 'update' | 'delete' | 'check';
  readonly entity: EntityInfo;
  readonly key: StoredItem;
  readonly parts: readonly [ActionPart, ...ActionPart[]];
  readonly item?: StoredItem;
  readonly effects: readonly Effect[];
  readonly index?: IndexWrite | undefined;
  /** The number of the copy. */
  readonly copy?: number | undefined;
  /** Guards of unique values are claimed and released. The same transaction may claim one that it releases. */
  readonly guard?: 'claim' | 'release';
  readonly returns?: 'new' | 'old' | undefined;
}

/** Whether an action can be left out: a counter whose item is gone has nothing to count. */
export function isDroppable({ parts }: Pick<Action, 'parts'>): boolean {
  return parts.every(({ rule }) => rule.droppable === true);
}

/** The requirements of an action, each once. */
export function asksOf({ parts }: Pick<Action, 'parts'>): readonly Ask[] {
  if (parts.length === 1) return parts[0].asks;
  const seen = new Set<string>();
  return parts.flatMap(({ asks }) =>
    asks.filter(({ once }) => {
      if (once === undefined) return true;
      const known = seen.has(once);
      seen.add(once);
      return !known;
    }),
  );
}

/** The action as a request of its own. */
export function singleRequest(context: Context, target: Action): BuiltRequest {
  const input = render(context, target);
  if (target.kind === 'check')
    return { operation: 'TransactWriteItems', input: { TransactItems: [{ ConditionCheck: input }] } };
  const operation = ({ put: 'PutItem', update: 'UpdateItem', delete: 'DeleteItem' } as const)[target.kind];
  const { returns } = target;
  if (returns === undefined) return { operation, input };
  return { operation, input: { ...input, ReturnValues: returns === 'new' ? 'ALL_NEW' : 'ALL_OLD' } };
}

/** Several actions as one transaction. */
export function transactionRequest(context: Context, actions: readonly Action[]): BuiltRequest {
  const names = { put: 'Put', update: 'Update', delete: 'Delete', check: 'ConditionCheck' } as const;
  return {
    operation: 'TransactWriteItems',
    input: { TransactItems: actions.map((each) => ({ [names[kindIn(each)]]: render(context, each) })) },
  };
}

/** In a transaction, an update without changes becomes a condition check. */
function kindIn({ kind, effects }: Action): Action['kind'] {
  return kind === 'update' && effects.length === 0 ? 'check' : kind;
}

function render(context: Context, target: Action): Record<string, unknown> {
  const { kind, key, item, effects } = target;
  const expression = new Expression();
  const update = kind === 'update' ? updateText(effects, expression) : '';
  const conditions = asksOf(target).map(({ text }) => text(expression));
  const request: Record<string, unknown> = { TableName: context.tableName(target.entity.table) };
  if (kind === 'put') request.Item = item;
  else request.Key = key;
  // An update without changes still tells whether the item exists; the service rejects an empty expression.
  if (update !== '') request.UpdateExpression = update;
  if (conditions.length > 0) {
    request.ConditionExpression = conditions.join(' AND ');
    // Distinguishes a missing item from one that fails a condition, at no cost.
    request.ReturnValuesOnConditionCheckFailure = 'ALL_OLD';
  }
  return Object.assign(request, expression.attributes());
}

/** Identifies actions by their items. */
export function actionId({ entity, key }: Pick<Action, 'entity' | 'key'>): string {
  return `${entity.table.name} ${keyId(key)}`;
}
