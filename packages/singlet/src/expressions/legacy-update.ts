import { type AttributeTypeTag, typeTag } from '../values/attribute-value.ts';
import { attributeNameProblem, checkAttributeValue } from '../values/check-attribute-value.ts';
import { ValidationException } from '../values/service-error.ts';
import type { ValueCheckLayer } from '../values/value-check-layer.ts';
import type { ByAttribute, LegacyAttributeUpdate } from './legacy-parameters.ts';
import { type Update, makeUpdate } from './update.ts';
import type { UpdateAction } from './update-action.ts';

const typeMismatchMessage = 'Type mismatch for attribute to update';

/**
 * The update of AttributeUpdates.
 *
 * @throws {ValidationException} for the first attribute with an error.
 */
export function legacyUpdate(updates: ByAttribute<LegacyAttributeUpdate>, layer: ValueCheckLayer): Update {
  return makeUpdate(Object.entries(updates).map(([name, update]) => readUpdate(name, update, layer)));
}

function readUpdate(
  attributeName: string,
  { value, action = 'PUT' }: LegacyAttributeUpdate,
  layer: ValueCheckLayer,
): UpdateAction {
  const nameProblem = attributeNameProblem(attributeName);
  if (nameProblem !== undefined) throw new ValidationException(nameProblem);
  const path = [attributeName];
  if (value === undefined) {
    if (action === 'DELETE') return { kind: 'remove', path };
    throw invalid('Only DELETE action is allowed when no attribute value is specified');
  }
  const checked = checkAttributeValue(value, layer);
  const type = typeTag(checked);
  switch (action) {
    case 'PUT':
      return { kind: 'set', path, value: { kind: 'value', value: checked } };
    case 'ADD':
      if (!addableTypes.includes(type)) throw invalid(`ADD action is not supported for the type ${type}`);
      return { kind: 'add', path, value: checked, typeMismatchMessage };
    case 'DELETE':
      if (!setTypes.includes(type)) throw invalid(`DELETE action with value is not supported for the type ${type}`);
      return { kind: 'delete', path, value: checked, typeMismatchMessage };
  }
}

/** Unlike in expressions, lists can be added to lists. */
const addableTypes: readonly AttributeTypeTag[] = ['N', 'SS', 'NS', 'BS', 'L'];
const setTypes: readonly AttributeTypeTag[] = ['SS', 'NS', 'BS'];

function invalid(problem: string): ValidationException {
  return new ValidationException(`One or more parameter values were invalid: ${problem}`);
}
