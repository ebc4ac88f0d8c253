import { type AttributeValue, typeTag } from '../../values/attribute-value.ts';
import { attributeValuesEqual } from '../../values/compare.ts';
import { ValidationException } from '../../values/service-error.ts';
import type { ConditionTree, SimpleConditionTree } from '../../partiql/index.ts';
import type { KeyAttribute } from '../catalog/table.ts';

/** A condition on one key attribute that an index can serve. */
export interface KeyTerm {
  readonly attributeName: string;
  readonly operator: '=' | '<' | '<=' | '>' | '>=' | 'BETWEEN' | 'begins_with';
  readonly operands: readonly AttributeValue[];
}

/**
 * One of the reads into which a WHERE clause divides: `pk IN [1, 2] AND sk > 3 AND a = 4` gives
 *
 *     pk = 1, sk > 3   filter a = 4
 *     pk = 2, sk > 3   filter a = 4
 */
export interface KeyBranch {
  /** Undefined if the partition key has no condition, or more than one value. */
  readonly partition: AttributeValue | undefined;
  /** Conditions on the sort key, all of which hold. */
  readonly sortTerms: readonly KeyTerm[];
  readonly filters: readonly ConditionTree[];
}

/** The reads by key into which a WHERE clause divides. */
export interface KeyBranches {
  /** At least one. */
  readonly branches: readonly KeyBranch[];
  /** Whether every branch has a partition key, so that no scan is needed. */
  readonly keyed: boolean;
  /** Every condition on a key that an index could serve, for checking its types. */
  readonly keyTerms: readonly KeyTerm[];
}

/** Assumed from the service's text; recorded are 50 accepted and 51 refused. */
const decomposedReadsMax = 50;

/** Above this, no more branches are made: the statement is a scan, or refused. */
const branchesMax = 1000;

interface KeyNames {
  readonly partition: string;
  readonly sort: string | undefined;
}

/** Conditions that must hold together: those on keys, and the others. */
interface Conjunction {
  readonly terms: readonly KeyTerm[];
  readonly filters: readonly ConditionTree[];
}

const nothing: Conjunction = { terms: [], filters: [] };

/**
 * Divides a WHERE clause into branches.
 *
 * @throws {ValidationException} if every part names its partition key, and there are more than fifty parts.
 */
export function keyBranches(
  where: ConditionTree | undefined,
  partitionKey: KeyAttribute,
  sortKey?: KeyAttribute,
): KeyBranches {
  const names = { partition: partitionKey.attributeName, sort: sortKey?.attributeName };
  if (where === undefined)
    return { branches: [{ partition: undefined, sortTerms: [], filters: [] }], keyed: false, keyTerms: [] };
  const keyTerms: KeyTerm[] = [];
  const conjunctions = spread(where, names, keyTerms);
  const isTooMany = conjunctions === undefined || conjunctions.length > decomposedReadsMax;
  if (isTooMany && pinsPartition(where, names)) {
    throw new ValidationException('Too many decomposed read operations for a given query.');
  }
  const branches = (conjunctions ?? [{ terms: [], filters: [where] }]).map((one) => branchOf(one, names));
  return { branches, keyed: branches.every(({ partition }) => partition !== undefined), keyTerms };
}

/**
 * The values to which a WHERE clause limits an attribute, in the order of the text.
 *
 * @returns undefined if an item with another value, or without the attribute, may fulfil it.
 */
export function confinedValues(
  where: ConditionTree | undefined,
  attributeName: string,
): readonly AttributeValue[] | undefined {
  if (where === undefined) return undefined;
  const names = { partition: attributeName, sort: undefined };
  const values = spread(where, names, [])?.map((one) => branchOf(one, names).partition);
  return values?.every((value) => value !== undefined) === true ? values : undefined;
}

/** Undefined if there are too many. */
function spread(tree: ConditionTree, names: KeyNames, keyTerms: KeyTerm[]): readonly Conjunction[] | undefined {
  if (tree.kind === 'simple') {
    const terms = keyTermsOf(tree, names);
    keyTerms.push(...terms);
    if (terms.length > 0) return terms.map((term) => ({ terms: [term], filters: [] }));
  } else if (tree.kind === 'and') {
    let joined: readonly Conjunction[] = [nothing];
    for (const part of tree.parts) {
      const right = spread(part, names, keyTerms);
      if (right === undefined || joined.length * right.length > branchesMax) return undefined;
      joined = joined.flatMap((one) => right.map((other) => both(one, other)));
    }
    return joined;
  } else if (tree.kind === 'or' && namesKey(tree, names)) {
    const alternatives: Conjunction[] = [];
    for (const part of tree.parts) {
      const more = spread(part, names, keyTerms);
      if (more === undefined || alternatives.length + more.length > branchesMax) return undefined;
      alternatives.push(...more);
    }
    return alternatives;
  }
  return [{ terms: [], filters: [tree] }];
}

function both(one: Conjunction, other: Conjunction): Conjunction {
  return { terms: [...one.terms, ...other.terms], filters: [...one.filters, ...other.filters] };
}

/** Whether the tree contains a condition on a key, other than under NOT. */
function namesKey(tree: ConditionTree, names: KeyNames): boolean {
  if (tree.kind === 'simple') return keyTermsOf(tree, names).length > 0;
  return tree.kind !== 'not' && tree.parts.some((part) => namesKey(part, names));
}

/** Whether every branch of the condition gives the partition key a value. */
function pinsPartition(tree: ConditionTree, names: KeyNames): boolean {
  switch (tree.kind) {
    case 'simple':
      return keyTermsOf(tree, names)[0]?.attributeName === names.partition;
    case 'and':
      return tree.parts.some((part) => pinsPartition(part, names));
    case 'or':
      return tree.parts.every((part) => pinsPartition(part, names));
    case 'not':
      return false;
  }
}

function branchOf({ terms, filters }: Conjunction, names: KeyNames): KeyBranch {
  const values = terms
    .filter(({ attributeName }) => attributeName === names.partition)
    .flatMap(({ operands }) => operands);
  const [first] = values;
  const isOne = first !== undefined && values.every((value) => attributeValuesEqual(first, value));
  return {
    partition: isOne ? first : undefined,
    sortTerms: terms.filter(({ attributeName }) => attributeName === names.sort),
    filters,
  };
}

const flipped = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;
type Comparator = keyof typeof flipped;

/** A condition as terms of which one must hold: several for IN, and none if no index serves it. */
export function keyTermsOf(tree: SimpleConditionTree, names: KeyNames): readonly KeyTerm[] {
  const term = termOf(tree);
  if (term === undefined) return [];
  const { attributeName, operator, operands } = term;
  if (attributeName === names.partition) {
    if (operator !== '=' && operator !== 'IN') return [];
  } else if (attributeName !== names.sort) {
    return [];
  }
  if (operator !== 'IN') return [{ attributeName, operator, operands }];
  return operands.map((operand) => ({ attributeName, operator: '=', operands: [operand] }));
}

/** A condition on a whole attribute against values; undefined for any other. */
function termOf({ operator, operands }: SimpleConditionTree):
  | {
      readonly attributeName: string;
      readonly operator: KeyTerm['operator'] | 'IN';
      readonly operands: readonly AttributeValue[];
    }
  | undefined {
  const values = operands.flatMap((operand) => (operand.kind === 'value' ? [operand.value] : []));
  const position = operands.findIndex((operand) => operand.kind === 'path');
  const subject = operands[position];
  if (values.length !== operands.length - 1 || subject?.kind !== 'path' || subject.path.length !== 1) return undefined;
  const attributeName = subject.path[0] as string; // a path begins with a name
  if (isComparator(operator)) {
    return { attributeName, operator: position === 0 ? operator : flipped[operator], operands: values };
  }
  if (position !== 0) return undefined;
  return operator === 'BETWEEN' || operator === 'begins_with' || operator === 'IN'
    ? { attributeName, operator, operands: values }
    : undefined;
}

function isComparator(operator: string): operator is Comparator {
  return Object.hasOwn(flipped, operator);
}

/**
 * Whether a branch has a condition on the sort key that no range can express: `NOT sk = 1`, `sk <> 1`. The service does
 * not check such branches for overlaps.
 */
export function negatesSortKey({ filters }: KeyBranch, sortKey: KeyAttribute | undefined): boolean {
  const isOnSortKey = (tree: ConditionTree): boolean => {
    if (tree.kind === 'not') return isOnSortKey(tree.inner);
    if (tree.kind !== 'simple') return tree.parts.some(isOnSortKey);
    return tree.operands.some((operand) => operand.kind === 'path' && operand.path[0] === sortKey?.attributeName);
  };
  return filters.some(
    (tree) => (tree.kind === 'not' || (tree.kind === 'simple' && tree.operator === '<>')) && isOnSortKey(tree),
  );
}

/** @throws {ValidationException} if a value cannot be one of the key that it is compared with. */
export function checkKeyTypes(keyTerms: readonly KeyTerm[], attributes: readonly KeyAttribute[]): void {
  for (const { attributeName, operands } of keyTerms) {
    const attribute = attributes.find((one) => one.attributeName === attributeName);
    for (const operand of operands) {
      if (attribute !== undefined && typeTag(operand) !== attribute.attributeType)
        throw keyTypeProblem(attribute, operand);
    }
  }
}

/** The error for a key value of the wrong type, or a missing one, in a statement outside a batch. Only the text for the wrong type is known. */
export function keyTypeProblem(
  { attributeName }: KeyAttribute,
  value: AttributeValue | undefined,
): ValidationException {
  if (value === undefined) {
    return new ValidationException(`The item lacks the key attribute ${attributeName}`);
  }
  const type = typeTag(value);
  return new ValidationException(
    type === 'S' || type === 'N' || type === 'B'
      ? `Key attribute's data type should match its data type in table's schema: Key ${attributeName}`
      : `The key attribute ${attributeName} must be of type S, N or B, and is of type ${type}`,
  );
}
