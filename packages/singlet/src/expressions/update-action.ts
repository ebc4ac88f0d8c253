import { type AttributeTypeTag, type AttributeValue, typeTag } from '../values/attribute-value.ts';
import { addNumbers, subtractNumbers } from '../values/decimal.ts';
import { assert } from '../values/assert.ts';
import { ValidationException } from '../values/service-error.ts';
import { inSetOrder, type SetTag } from '../values/set-order.ts';
import type { BoundOperand } from './bound-operand.ts';
import { type AttributeSource, type DocumentPath, resolvePath } from './document-path.ts';

/** The value to the right of `=` in SET, with its placeholders replaced. */
export type SetValue =
  | BoundOperand
  | {
      readonly kind: 'arithmetic';
      readonly operator: '+' | '-';
      readonly left: BoundOperand;
      readonly right: BoundOperand;
    };

/** One thing that an update does at one path. */
export type UpdateAction =
  | { readonly kind: 'set'; readonly path: DocumentPath; readonly value: SetValue }
  | { readonly kind: 'remove'; readonly path: DocumentPath }
  | {
      readonly kind: 'add' | 'delete';
      readonly path: DocumentPath;
      readonly value: AttributeValue;
      /** The message when the value at the path is of another type. */
      readonly typeMismatchMessage: string;
    };

export const wrongDataType = 'An operand in the update expression has an incorrect data type';

const missingAttribute = 'The provided expression refers to an attribute that does not exist in the item';

/**
 * The value of the right side of SET, computed from the item as it was before the update.
 *
 * @throws {ValidationException} if it refers to something the item does not have, or cannot compute with what it has.
 */
export function evaluateSetValue(value: SetValue, item: AttributeSource): AttributeValue {
  switch (value.kind) {
    case 'value':
      return value.value;
    case 'path':
      return existing(resolvePath(item, value.path));
    case 'arithmetic': {
      const left = numberOf(evaluateSetValue(value.left, item));
      const right = numberOf(evaluateSetValue(value.right, item));
      return { N: value.operator === '+' ? addNumbers(left, right) : subtractNumbers(left, right) };
    }
    case 'call': {
      const [first, second] = value.operands;
      assert(first !== undefined && second !== undefined, 'operands were counted');
      if (value.functionName === 'list_append') {
        const head = listOf(evaluateSetValue(first, item));
        return { L: [...head, ...listOf(evaluateSetValue(second, item))] };
      }
      assert(value.functionName === 'if_not_exists' && first.kind === 'path', 'update functions were checked');
      return resolvePath(item, first.path) ?? evaluateSetValue(second, item);
    }
  }
}

function existing(value: AttributeValue | undefined): AttributeValue {
  if (value === undefined) throw new ValidationException(missingAttribute);
  return value;
}

function numberOf(value: AttributeValue): string {
  if (!('N' in value)) throw new ValidationException(wrongDataType);
  return value.N;
}

function listOf(value: AttributeValue): readonly AttributeValue[] {
  if (!('L' in value)) throw new ValidationException(wrongDataType);
  return value.L;
}

/**
 * ADD: a sum of numbers, or a union of sets. A missing value counts as zero or as the empty set. Lists are concatenated,
 * which only the legacy parameter can request.
 *
 * @throws {ValidationException} if the types differ.
 */
export function addValue(
  current: AttributeValue | undefined,
  addend: AttributeValue,
  typeMismatchMessage: string,
): AttributeValue {
  if (current === undefined) return addend;
  if ('N' in current && 'N' in addend) return { N: addNumbers(current.N, addend.N) };
  if ('SS' in current && 'SS' in addend) return { SS: union(current.SS, addend.SS, 'SS') };
  if ('NS' in current && 'NS' in addend) return { NS: union(current.NS, addend.NS, 'NS') };
  if ('BS' in current && 'BS' in addend) return { BS: union(current.BS, addend.BS, 'BS') };
  if ('L' in current && 'L' in addend) return { L: [...current.L, ...addend.L] };
  throw new ValidationException(typeMismatchMessage);
}

/**
 * DELETE: a set without some elements. Undefined when none is left: an empty set is never stored.
 *
 * @throws {ValidationException} if the types differ.
 */
export function deleteElements(
  current: AttributeValue,
  elements: AttributeValue,
  typeMismatchMessage: string,
): AttributeValue | undefined {
  if ('SS' in current && 'SS' in elements) return nonEmpty({ SS: difference(current.SS, elements.SS) });
  if ('NS' in current && 'NS' in elements) return nonEmpty({ NS: difference(current.NS, elements.NS) });
  if ('BS' in current && 'BS' in elements) return nonEmpty({ BS: difference(current.BS, elements.BS) });
  throw new ValidationException(typeMismatchMessage);
}

/** Texts of set elements are canonical, so equal elements are equal texts. */
function union(a: readonly string[], b: readonly string[], tag: SetTag): readonly string[] {
  return inSetOrder([...new Set([...a, ...b])], tag);
}

function difference(a: readonly string[], b: readonly string[]): readonly string[] {
  const removed = new Set(b);
  return a.filter((element) => !removed.has(element));
}

function nonEmpty(
  set: Extract<AttributeValue, { SS: unknown } | { NS: unknown } | { BS: unknown }>,
): AttributeValue | undefined {
  const elements = 'SS' in set ? set.SS : 'NS' in set ? set.NS : set.BS;
  return elements.length === 0 ? undefined : set;
}

/** The type at the path of an action after the update, if it is known without an item. */
export function staticResultType(action: UpdateAction): AttributeTypeTag | undefined {
  if (action.kind === 'set') return staticSetType(action.value);
  return action.kind === 'add' ? typeTag(action.value) : undefined;
}

function staticSetType(value: SetValue): AttributeTypeTag | undefined {
  switch (value.kind) {
    case 'value':
      return typeTag(value.value);
    case 'arithmetic':
      return 'N';
    case 'path':
      return undefined;
    case 'call': {
      const fallback = value.operands[1];
      if (value.functionName === 'list_append') return 'L';
      return fallback && staticSetType(fallback);
    }
  }
}
