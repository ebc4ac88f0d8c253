import {
  type AttributeMap,
  type AttributeTypeTag,
  type AttributeValue,
  type MutableAttributeMap,
  setAttribute,
} from '../values/attribute-value.ts';
import { serviceLimits } from '../values/limits.ts';
import { ValidationException } from '../values/service-error.ts';
import { pathsIn } from './bound-operand.ts';
import {
  type AttributeSource,
  type DocumentPath,
  attributeNameOf,
  attributeNamesOf,
  attributeSource,
  childValue,
  resolvePath,
} from './document-path.ts';
import { areDistinctAttributes, type PathTree, makePathTree } from './path-tree.ts';
import { byPosition } from './projection.ts';
import {
  type SetValue,
  type UpdateAction,
  addValue,
  deleteElements,
  evaluateSetValue,
  staticResultType,
} from './update-action.ts';
import { updateStatementSizeBytes } from './update-statement-size.ts';

/** An update, prepared for any item. */
export interface Update {
  /** The paths it writes, in the order of the text. No path equals or is within another. */
  readonly targets: readonly DocumentPath[];
  /** The top-level attributes that it names: those it writes, and those whose values it reads. */
  readonly attributeNames: ReadonlySet<string>;
  /**
   * Whether it creates a missing item. Updates that only remove things do not; one without any action does.
   */
  readonly createsItem: boolean;
  /**
   * The types that top-level attributes will have after the update, if they are known without the item. For
   * `if_not_exists` it is the type of the fallback.
   */
  readonly staticTypes: ReadonlyMap<string, AttributeTypeTag>;
  /** The size of the update itself, bytes; UpdateItem bounds it as it bounds the item. */
  statementSizeBytes(): number;
  /**
   * The new values of the top-level attributes that it writes; undefined for a removed one. The update
   * reads only the given item, including positions in lists; other attributes are not requested.
   *
   * @throws {ValidationException} if an operand is missing or of the wrong type, if a path leads nowhere, if a number
   *   is out of range or the item too deep.
   */
  changes(item: AttributeSource): ReadonlyMap<string, AttributeValue | undefined>;
  /** The whole item after the update; the given item is not changed. @throws {ValidationException} as `changes`. */
  apply(item: AttributeMap): AttributeMap;
}

/** @param actions - their paths must not overlap. */
export function makeUpdate(actions: readonly UpdateAction[]): Update {
  return new BoundUpdate(actions);
}

class BoundUpdate implements Update {
  readonly targets: readonly DocumentPath[];
  readonly #actions: readonly UpdateAction[];
  readonly #isOfWholeAttributes: boolean;
  #tree: PathTree | undefined;
  #staticTypes: ReadonlyMap<string, AttributeTypeTag> | undefined;

  constructor(actions: readonly UpdateAction[]) {
    this.#actions = actions;
    this.targets = actions.map(({ path }) => path);
    this.#isOfWholeAttributes = areDistinctAttributes(this.targets);
  }

  get attributeNames(): ReadonlySet<string> {
    const read = this.#actions.flatMap((action) => (action.kind === 'set' ? pathsRead(action.value) : []));
    return attributeNamesOf([...this.targets, ...read]);
  }

  get createsItem(): boolean {
    return this.#actions.length === 0 || this.#actions.some(({ kind }) => kind === 'set' || kind === 'add');
  }

  get staticTypes(): ReadonlyMap<string, AttributeTypeTag> {
    return (this.#staticTypes ??= staticTypesOf(this.#actions));
  }

  statementSizeBytes(): number {
    return updateStatementSizeBytes(this.#actions);
  }

  changes(item: AttributeSource): ReadonlyMap<string, AttributeValue | undefined> {
    const changes = computeChanges(this.#actions, item);
    if (this.#isOfWholeAttributes) {
      return new Map(this.targets.map((path, position) => [attributeNameOf(path), changes[position]?.value]));
    }
    this.#tree ??= makePathTree(this.targets);
    return changeChildren(this.#tree.children, changes, item);
  }

  apply(item: AttributeMap): AttributeMap {
    return changedMap(item, this.changes(attributeSource(item)));
  }
}

function pathsRead(value: SetValue): readonly DocumentPath[] {
  return pathsIn(value.kind === 'arithmetic' ? [value.left, value.right] : [value]);
}

function staticTypesOf(actions: readonly UpdateAction[]): ReadonlyMap<string, AttributeTypeTag> {
  const types = new Map<string, AttributeTypeTag>();
  for (const action of actions) {
    const type = action.path.length === 1 ? staticResultType(action) : undefined;
    if (type) types.set(attributeNameOf(action.path), type);
  }
  return types;
}

/** The new value at the end of a path; undefined if it is removed. */
interface Change {
  readonly value: AttributeValue | undefined;
}

/** Every operand of SET is evaluated before any path is checked, which decides which of two errors is reported. */
function computeChanges(actions: readonly UpdateAction[], item: AttributeSource): readonly Change[] {
  const setValues = actions.map((action) => (action.kind === 'set' ? evaluateSetValue(action.value, item) : undefined));
  return actions.map((action, position) => {
    checkTarget(action.path, item);
    const value = changedValue(action, setValues[position], item);
    // Also at the top level: a value of the older layer may be a level deeper than an attribute.
    if (value) checkDepth(value, action.path.length);
    return { value };
  });
}

function changedValue(
  action: UpdateAction,
  setValue: AttributeValue | undefined,
  item: AttributeSource,
): AttributeValue | undefined {
  switch (action.kind) {
    case 'set':
      return setValue;
    case 'remove':
      return undefined;
    case 'add':
      return addValue(resolvePath(item, action.path), action.value, action.typeMismatchMessage);
    case 'delete': {
      const current = resolvePath(item, action.path);
      return current && deleteElements(current, action.value, action.typeMismatchMessage);
    }
  }
}

/** A nested path must end in a map or list that the item has. */
function checkTarget(path: DocumentPath, item: AttributeSource): void {
  if (path.length === 1) return;
  const parent = resolvePath(item, path.slice(0, -1));
  const isList = typeof path[path.length - 1] === 'number';
  if (parent === undefined || !(isList ? 'L' in parent : 'M' in parent)) {
    throw new ValidationException('The document path provided in the update expression is invalid for update');
  }
}

function checkDepth(value: AttributeValue, level: number): void {
  if (level > serviceLimits.nestingDepthMax) {
    throw new ValidationException(
      'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit',
    );
  }
  if ('L' in value) for (const element of value.L) checkDepth(element, level + 1);
  if ('M' in value) for (const element of Object.values(value.M)) checkDepth(element, level + 1);
}

/** The new value of a node, or undefined if it is removed. Only the changed parts are copied. */
function changeValue(
  value: AttributeValue | undefined,
  tree: PathTree,
  changes: readonly Change[],
): AttributeValue | undefined {
  const [end] = tree.ends;
  if (end !== undefined) return changes[end]?.value;
  if (value && 'M' in value) return { M: changeMap(value.M, tree, changes) };
  if (value && 'L' in value) return { L: changeList(value.L, tree, changes) };
  return value;
}

function changeMap(map: AttributeMap, { children }: PathTree, changes: readonly Change[]): AttributeMap {
  return changedMap(map, changeChildren(children, changes, attributeSource(map)));
}

function changeChildren(
  children: PathTree['children'],
  changes: readonly Change[],
  source: AttributeSource,
): ReadonlyMap<string, AttributeValue | undefined> {
  const changed = new Map<string, AttributeValue | undefined>();
  for (const [element, child] of children) {
    const name = String(element);
    // A value that is replaced completely does not matter.
    const current = child.ends.length > 0 ? undefined : source.getAttribute(name);
    changed.set(name, changeValue(current, child, changes));
  }
  return changed;
}

function changedMap(map: AttributeMap, changed: ReadonlyMap<string, AttributeValue | undefined>): AttributeMap {
  const result: MutableAttributeMap = { ...map };
  for (const [name, value] of changed) {
    if (value) setAttribute(result, name, value);
    else delete result[name];
  }
  return result;
}

/** Positions are those of the old list. Values set beyond its end are appended, in the order of the positions. */
function changeList(
  list: readonly AttributeValue[],
  { children }: PathTree,
  changes: readonly Change[],
): readonly AttributeValue[] {
  const changed: (AttributeValue | undefined)[] = [...list];
  for (const [position, child] of byPosition(children)) {
    const current = childValue({ L: list }, position);
    const value = changeValue(current, child, changes);
    if (current === undefined) changed.push(value);
    else changed[Number(position)] = value;
  }
  return changed.filter((element) => element !== undefined);
}
