import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { InputError } from '../model-error.ts';
import type { EntityInfo } from '../resolve/resolved.ts';
import type { StoredItem } from './attribute-value.ts';
import type { BuiltRequest, Context } from './context.ts';
import { Expression } from './expression.ts';
import { keyId } from './key-id.ts';
import type { RuleCode } from './rule-error.ts';

/** Why an action can be refused: the code to report, and what to say about the item. */
export interface ActionRule {
  readonly code: RuleCode;
  readonly entity: string;
  readonly attribute?: string;
  readonly part?: string | undefined;
  /** The lock attribute and the version expected: tells a stale version from another failed condition. */
  readonly version?: { readonly stored: string; readonly expected: string };
  /** Where only this fails, the rest is written without it: a counter whose item is gone has nothing to count. */
  readonly droppable?: boolean;
  /** The action failed because the item is not what was read before: read again and repeat. */
  readonly optimistic?: boolean;
}

/** One action on one item, on its own or within a transaction. */
export interface Action {
  kind: 'put' | 'update' | 'delete' | 'check';
  readonly entity: EntityInfo;
  readonly key: StoredItem;
  readonly rule: ActionRule;
  readonly expression: Expression;
  readonly conditions: string[];
  item?: StoredItem;
  readonly sets: string[];
  readonly removes: string[];
  readonly adds: Map<string, number>;
  readonly setAdds: string[];
  readonly deletes: string[];
  returns?: 'new' | 'old' | undefined;
  /** Whether an item still is what the action was decided on: then another condition failed, and would fail again. */
  isAsRead?: (item: Readonly<Record<string, unknown>>) => boolean;
}

/** An action that does nothing yet. */
export function action(kind: Action['kind'], entity: EntityInfo, key: StoredItem, rule: ActionRule): Action {
  const lists = { conditions: [], sets: [], removes: [], setAdds: [], deletes: [] };
  return { kind, entity, key, rule, expression: new Expression(), adds: new Map(), ...lists };
}

/** Requires that the item is there. */
export function mustExist(target: Action): void {
  target.conditions.push(`attribute_exists(${target.expression.name(partitionAttribute(target))})`);
}

/** Requires that there is no item, or, where the time is given, only one whose time has passed. */
export function mustNotExist(target: Action, now: number | undefined): void {
  const { expression, entity } = target;
  const absent = `attribute_not_exists(${expression.name(partitionAttribute(target))})`;
  const { expires } = entity.table;
  if (now === undefined || expires === undefined || entity.rules.expires === undefined) {
    target.conditions.push(absent);
    return;
  }
  const seconds = expression.value({ N: String(Math.floor(now / 1000)) });
  target.conditions.push(`(${absent} OR ${expression.name(expires)} <= ${seconds})`);
}

function partitionAttribute({ entity }: Action): string {
  return entity.key.partition[0]?.attribute ?? '';
}

/** Sets an attribute by its stored name. */
export function setAttribute(target: Action, stored: string, value: AttributeValue): void {
  target.sets.push(`${target.expression.name(stored)} = ${target.expression.value(value)}`);
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

/** In a transaction an update of nothing is a look at the item. */
function kindIn(target: Action): Action['kind'] {
  return target.kind === 'update' && changesNothing(target) ? 'check' : target.kind;
}

function changesNothing({ sets, removes, adds, setAdds, deletes }: Action): boolean {
  return sets.length + removes.length + adds.size + setAdds.length + deletes.length === 0;
}

function render(context: Context, target: Action): Record<string, unknown> {
  const { kind, key, item, conditions, expression } = target;
  const update = kind === 'update' ? updateText(target) : undefined;
  const request: Record<string, unknown> = { TableName: context.tableName(target.entity.table) };
  if (kind === 'put') request.Item = item;
  else request.Key = key;
  // An update of nothing still tells whether the item is there; the service refuses an empty expression.
  if (update !== undefined && update !== '') request.UpdateExpression = update;
  if (conditions.length > 0) {
    request.ConditionExpression = conditions.join(' AND ');
    // Tells a missing item from one that fails a condition; it costs nothing.
    request.ReturnValuesOnConditionCheckFailure = 'ALL_OLD';
  }
  return Object.assign(request, expression.attributes());
}

function updateText({ sets, removes, adds, setAdds, deletes, expression }: Action): string {
  const added = [...adds].map(([name, amount]) => `${name} ${expression.value({ N: String(amount) })}`);
  const clauses: readonly (readonly [string, readonly string[]])[] = [
    ['SET', sets],
    ['REMOVE', removes],
    ['ADD', [...added, ...setAdds]],
    ['DELETE', deletes],
  ];
  return clauses.flatMap(([verb, parts]) => (parts.length === 0 ? [] : [`${verb} ${parts.join(', ')}`])).join(' ');
}

/** Actions of one transaction, one for each item: the service refuses two on the same. */
export class ActionList {
  readonly actions: Action[] = [];
  readonly #byKey = new Map<string, Action>();

  /**
   * Adds an action. A look whether an item is there gives way to whatever else the transaction does to it.
   *
   * @throws {InputError} where two looks ask for more than that, or a write meets one: one would go unheeded.
   */
  add(next: Action): void {
    const known = this.#find(next.entity, next.key);
    if (known === undefined || (known.kind !== 'check' && next.kind !== 'check')) this.actions.push(next);
    else if (isLook(known)) this.actions[this.actions.indexOf(known)] = next;
    else if (isLook(next)) return;
    else throw new InputError('same-item', next.entity.name, 'is looked at and written by one transaction');
    // The only action so far is looked up by comparing: most writes have no other.
    if (this.actions.length > 1) this.#byKey.set(idOf(next.entity, next.key), next);
  }

  /** Raises a counter of a parent, together with what else the transaction does to it. */
  count(parent: EntityInfo, key: StoredItem, attribute: string, amount: number, rule: ActionRule): void {
    const known = this.#find(parent, key);
    if (known?.kind === 'put' && known.item !== undefined) {
      known.item[attribute] = { N: String(Number(known.item[attribute]?.N ?? 0) + amount) };
      return;
    }
    const target = known?.kind === 'update' ? known : action('update', parent, key, rule);
    const name = target.expression.name(attribute);
    target.adds.set(name, (target.adds.get(name) ?? 0) + amount);
    if (target === known) return;
    mustExist(target);
    this.add(target);
  }

  /** Takes out the actions with these ids. */
  drop(ids: ReadonlySet<string>): void {
    if (ids.size === 0) return;
    const kept = this.actions.filter((each) => !ids.has(actionId(each)));
    this.actions.splice(0, this.actions.length, ...kept);
  }

  #find(entity: EntityInfo, key: StoredItem): Action | undefined {
    const [first] = this.actions;
    if (first === undefined) return undefined;
    const id = idOf(entity, key);
    return idOf(first.entity, first.key) === id ? first : this.#byKey.get(id);
  }
}

/** Asks no more than that the item is there, which every other action does as well or makes unnecessary. */
function isLook({ kind, conditions }: Action): boolean {
  return kind === 'check' && conditions.length === 1;
}

/** Tells actions apart by their items. */
export function actionId({ entity, key }: Action): string {
  return idOf(entity, key);
}

function idOf(entity: EntityInfo, key: StoredItem): string {
  return `${entity.table.name} ${keyId(key)}`;
}
