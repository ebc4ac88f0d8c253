import { type AttributeValue, type KeyAttributeType, typeTag } from '../values/attribute-value.ts';
import { assert } from '../values/assert.ts';
import { attributeValueSizeBytes } from '../values/item-size.ts';
import { serviceLimits } from '../values/limits.ts';
import { ValidationException } from '../values/service-error.ts';
import type { KeyCondition, KeyConditionOperator, KeyConditionTerm } from './key-condition.ts';

export interface KeyAttribute {
  readonly attributeName: string;
  readonly attributeType: KeyAttributeType;
}

/** The key of a table or index: one to four partition key attributes and none to four sort key attributes. */
export interface QueriedKey {
  readonly partition: readonly KeyAttribute[];
  readonly sort: readonly KeyAttribute[];
}

/** One run of keys in one partition. */
export interface ResolvedKeyCondition {
  /** The value of each partition key attribute, in the order of the schema. */
  readonly partition: readonly AttributeValue[];
  /** The values that the first sort key attributes must equal, in the order of the schema. */
  readonly sortEquals: readonly AttributeValue[];
  /** The condition, other than equality, on the sort key attribute after those. */
  readonly range?: KeyRange;
}

export interface KeyRange extends KeyConditionTerm {
  readonly operator: Exclude<KeyConditionOperator, '='>;
}

/**
 * Checks a key condition against a key schema. All partition key attributes need an equality. Of the sort key attributes,
 * the first ones may have a condition, and all but the last of these need an equality.
 *
 * The errors, in the order of the service: too many conditions; then for each key attribute, in the order of the schema,
 * that its condition is missing, that no index serves it, that a value is of another type than the key, that it is not an
 * equality; then that sort key attributes are skipped. Assumed to come last: values that no key can have, being empty
 * or too long.
 *
 * @throws {ValidationException}
 * @see DynamoDB Developer Guide, "Key condition expressions for the Query operation" and "Multi-attribute keys"
 */
export function resolveKeyCondition({ terms }: KeyCondition, key: QueriedKey): ResolvedKeyCondition {
  const keyAttributeCount = key.partition.length + key.sort.length;
  if (terms.length > keyAttributeCount) {
    throw new ValidationException(
      `The number of query conditions (${terms.length}) exceeds the number of key attributes defined in the schema (${keyAttributeCount})`,
    );
  }
  const partition = key.partition.map((attribute) => partitionValue(attribute, terms));
  const sortTerms = key.sort.map((attribute) => sortTerm(attribute, terms));
  checkSortTerms(terms.length - partition.length, sortTerms, key);
  checkKeyValues(terms, key);
  const sortEquals: AttributeValue[] = [];
  for (const term of sortTerms) {
    if (term === undefined) break;
    if (term.operator !== '=') return { partition, sortEquals, range: asRange(term) };
    sortEquals.push(onlyOperand(term));
  }
  return { partition, sortEquals };
}

function partitionValue(attribute: KeyAttribute, terms: readonly KeyConditionTerm[]): AttributeValue {
  const term = findTerm(attribute, terms);
  if (term === undefined) throw missingCondition(attribute);
  checkTerm(term, attribute);
  if (term.operator !== '=') throw new ValidationException('Query key condition not supported');
  return onlyOperand(term);
}

function sortTerm(attribute: KeyAttribute, terms: readonly KeyConditionTerm[]): KeyConditionTerm | undefined {
  const term = findTerm(attribute, terms);
  if (term) checkTerm(term, attribute);
  return term;
}

function findTerm({ attributeName }: KeyAttribute, terms: readonly KeyConditionTerm[]): KeyConditionTerm | undefined {
  return terms.find((term) => term.attributeName === attributeName);
}

function checkTerm({ operator, operands }: KeyConditionTerm, { attributeType }: KeyAttribute): void {
  if (!indexableOperators.has(operator)) {
    throw new ValidationException('Attempted conditional constraint is not an indexable operation');
  }
  if (operands.some((operand) => typeTag(operand) !== attributeType)) throw typeMismatch();
  // A prefix of a number's text says nothing about its place in the order.
  if (operator === 'begins_with' && attributeType === 'N') throw typeMismatch();
}

const indexableOperators: ReadonlySet<KeyConditionTerm['operator']> = new Set<KeyConditionOperator>([
  '=',
  '<',
  '<=',
  '>',
  '>=',
  'BETWEEN',
  'begins_with',
]);

function typeMismatch(): ValidationException {
  return new ValidationException(
    'One or more parameter values were invalid: Condition parameter type does not match schema type',
  );
}

function missingCondition({ attributeName }: KeyAttribute): ValidationException {
  return new ValidationException(`Query condition missed key schema element: ${attributeName}`);
}

/** @param expectedCount - conditions that are not on the partition key, and so must all be on the sort key. */
function checkSortTerms(
  expectedCount: number,
  sortTerms: readonly (KeyConditionTerm | undefined)[],
  { sort }: QueriedKey,
): void {
  const unconditioned = sort.find((_, position) => sortTerms[position] === undefined);
  const foundCount = sortTerms.filter((term) => term !== undefined).length;
  if (foundCount < expectedCount && unconditioned) throw missingCondition(unconditioned);
  const last = sortTerms.findLastIndex((term) => term !== undefined);
  const unequal = sort.filter((_, position) => position < last && sortTerms[position]?.operator !== '=');
  if (unequal.length === 0) return;
  const names = unequal.map(({ attributeName }) => attributeName).join(', ');
  throw new ValidationException(
    `RANGE key attributes ${names} must have equality conditions specified in the query because a condition is present on key attribute ${sort[last]?.attributeName}`,
  );
}

/** Assumed: the rules for key values apply to conditions. */
function checkKeyValues(terms: readonly KeyConditionTerm[], key: QueriedKey): void {
  for (const { attributeName, operands } of terms) {
    for (const operand of operands) checkNotEmpty(attributeName, operand);
  }
  if (longestBytes(key.partition, terms) > serviceLimits.partitionKeyBytesMax) {
    throw new ValidationException(
      `One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of${serviceLimits.partitionKeyBytesMax} bytes`,
    );
  }
  if (longestBytes(key.sort, terms) > serviceLimits.sortKeyBytesMax) {
    throw new ValidationException(
      `One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of ${serviceLimits.sortKeyBytesMax} bytes`,
    );
  }
}

function checkNotEmpty(attributeName: string, value: AttributeValue): void {
  const isEmptyString = 'S' in value && value.S === '';
  const isEmptyBinary = 'B' in value && value.B === '';
  if (!isEmptyString && !isEmptyBinary) return;
  throw new ValidationException(
    `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${isEmptyString ? 'string' : 'binary'} value. Key: ${attributeName}`,
  );
}

/** The size of the longest key that the conditions name: for BETWEEN the longer bound counts. */
function longestBytes(attributes: readonly KeyAttribute[], terms: readonly KeyConditionTerm[]): number {
  let sizeBytes = 0;
  for (const attribute of attributes) {
    const operands = findTerm(attribute, terms)?.operands ?? [];
    sizeBytes += Math.max(0, ...operands.map(attributeValueSizeBytes));
  }
  return sizeBytes;
}

function onlyOperand({ operands }: KeyConditionTerm): AttributeValue {
  const [operand] = operands;
  assert(operand !== undefined && operands.length === 1, 'an equality has one operand');
  return operand;
}

/** The operator is one of those that an index serves, and not an equality: both were checked. */
function asRange(term: KeyConditionTerm): KeyRange {
  return term as KeyRange;
}
