import type { ReturnConsumedCapacity, ReturnItemCollectionMetrics, ReturnValues, Select } from '../../engine/index.ts';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import {
  alone,
  type Constraint,
  lengthAtLeast,
  lengthAtMost,
  namePattern,
  unechoed,
  worded,
} from '../shapes/constraint.ts';
import { nestsDeeperThan } from '../shapes/nesting.ts';
import {
  attributeMap,
  boolean,
  enumeration,
  enumerationWith,
  list,
  map,
  required,
  type RequiredMember,
  type Shape,
  string,
  tableName,
} from '../shapes/shape.ts';

/**
 * Parameters that several actions share.
 *
 * Since June 2026 the service answers from two validation layers. GetItem, BatchGetItem, Query, PutItem, UpdateItem and
 * DeleteItem run the newer one, which checks for an empty table name before anything else and words a few refusals differently.
 * The other actions run the older one. Texts are those recorded in September and October 2026 (31 of 33 regions).
 */

/**
 * Whether a request to write an item is answered in the words of the older layer: when a value in it is nested more than
 * about sixty levels deep.
 */
export function isWordedOlder(json: object): boolean {
  return nestsDeeperThan(olderWordingJsonLevels, json);
}

/** A level of a value is two of JSON, `{"M":{"name":...}}`; the request and its member add two more, the leaf one. */
const olderWordingJsonLevels = 2 + 2 * 62 + 1;

const nameLengthMax = lengthAtMost(255);

/** Table name of an action in the newer layer. */
export const tableNameParameter: RequiredMember<string> = required(
  tableName(alone(unechoed(lengthAtLeast(1))), namePattern, nameLengthMax),
);

/** Table name of an action in the older layer. */
export const olderTableNameParameter: RequiredMember<string> = required(
  tableName(namePattern, lengthAtLeast(1), nameLengthMax),
);

/** Table name of an action on tables. */
export const managedTableNameParameter: RequiredMember<string> = required(
  tableName(namePattern, lengthAtLeast(3), nameLengthMax),
  "The parameter 'TableName' is required but was not present in the request",
);

/** Name of a table in a list, or of an index. */
export const nameParameter: Shape<string> = string(namePattern, lengthAtLeast(3), nameLengthMax);

/** Constraints on the table names that are keys of a batch, in the order in which the service lists them. */
export const tableNameKeyConstraints: readonly Constraint[] = [nameLengthMax, lengthAtLeast(3), namePattern];

export const returnConsumedCapacityParameter: Shape<ReturnConsumedCapacity> = enumeration(['INDEXES', 'TOTAL', 'NONE']);

export const returnItemCollectionMetricsParameter: Shape<ReturnItemCollectionMetrics> = enumeration(['SIZE', 'NONE']);

/** The service misspells UPDATED_NEW in this text; it accepts only the right spelling. */
function wordReturnValues(constraint: Constraint): Constraint {
  return worded(
    constraint,
    'Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]',
  );
}

/** In the order in which the older layer lists them. */
const returnValues = ['ALL_NEW', 'UPDATED_OLD', 'ALL_OLD', 'NONE', 'UPDATED_NEW'] as const;

export const returnValuesParameter: Shape<ReturnValues> = enumerationWith(returnValues, wordReturnValues);

/** UpdateItem reports a wrong ReturnValues and nothing else. */
export const updateReturnValuesParameter: Shape<ReturnValues> = enumerationWith(returnValues, (constraint) =>
  alone(wordReturnValues(constraint)),
);

/** Assumed: the order of the set is not on record. */
export const returnValuesOnConditionCheckFailureParameter: Shape<'ALL_OLD' | 'NONE'> = enumeration(['ALL_OLD', 'NONE']);

export const selectParameter: Shape<Select> = enumeration([
  'SPECIFIC_ATTRIBUTES',
  'COUNT',
  'ALL_ATTRIBUTES',
  'ALL_PROJECTED_ATTRIBUTES',
]);

export const keyParameter: RequiredMember<UncheckedAttributeMap> = required(attributeMap);

export const attributesToGetParameter: Shape<readonly string[]> = list(string(), lengthAtLeast(1), lengthAtMost(255));

export const consistentReadParameter: Shape<boolean> = boolean;

export const expressionParameter: Shape<string> = string();

export const expressionAttributeNamesParameter: Shape<Readonly<Record<string, string>>> = map(string());

export const expressionAttributeValuesParameter: Shape<UncheckedAttributeMap> = attributeMap;
