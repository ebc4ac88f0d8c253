import { ValidationException } from '../../values/service-error.ts';
import { attributeNamesOf } from '../../expressions/document-path.ts';
import { resolveKeyCondition, type Condition, type Projection } from '../../expressions/index.ts';
import {
  columnProjection,
  conditionOf,
  type ConditionTree,
  pathsOf,
  type SelectStatement,
} from '../../partiql/index.ts';
import { type KeyRange, keyRangeOf } from '../items/key-range.ts';
import { spaceStart } from '../layout/spaces.ts';
import { checkKeysAreScalars } from '../items/check-update.ts';
import type { KeyAttribute, SecondaryIndex, Table } from '../catalog/table.ts';
import { checkKeyTypes, type KeyBranch, keyBranches, type KeyTerm, negatesSortKey } from './key-branches.ts';
import { byPartition, checkNoOverlap, type OrderedRead, type PlannedRead } from './planned-read.ts';
import { resolveReadOrder } from './read-order.ts';
import { unprojectedNames } from './unprojected-names.ts';

/** The plan of a SELECT: reads that run one after the other, each of which may take several pages. */
export interface SelectPlan {
  readonly table: Table;
  readonly index: SecondaryIndex | undefined;
  readonly reads: readonly PlannedRead[];
  readonly reverse: boolean;
  readonly projection: Projection | undefined;
  readonly fetchFromTable: boolean;
}

/**
 * Plans a SELECT against its table: by key if its WHERE clause names keys, otherwise as a scan.
 *
 * Errors are found in the order of the service as far as it is known: the index; consistency; columns; types of keys; the
 * number of reads; overlaps; attributes that the index does not project; the order.
 *
 * @throws {ValidationException}
 */
export function planSelect(table: Table, statement: SelectStatement, consistentRead: boolean): SelectPlan {
  const index = resolveIndex(table, statement, consistentRead);
  const projection = planProjection(table, index, statement);
  const { partitionKey, sortKey } = keysOf(table, index);
  const { where } = statement;
  const { branches, keyed, keyTerms } = keyBranches(where, partitionKey, sortKey);
  checkKeyTypes(keyTerms, sortKey === undefined ? [partitionKey] : [partitionKey, sortKey]);
  if (where !== undefined) checkKeysAreScalars(table, pathsOf(where));
  const planned = keyed ? planBranches(table, index, branches, where) : [planScan(table, index, where)];
  if (keyed && index?.projectedNames !== undefined) checkFilterProjected(index, planned);
  const order = resolveReadOrder(statement, { partitionKey, sortKey }, planned, keyed);
  return {
    table,
    index,
    reads: order.reads,
    reverse: order.reverse,
    projection,
    fetchFromTable: needsTable(index, projection),
  };
}

/** @throws {ValidationException} if there is no such index, or it cannot be read in this way. */
export function resolveIndex(
  table: Table,
  { indexName }: SelectStatement,
  consistentRead: boolean,
): SecondaryIndex | undefined {
  if (indexName === undefined) return undefined;
  const index = table.index(indexName);
  if (table.vectorIndexes.some((other) => other.indexName === indexName && other.written)) {
    throw new ValidationException('Scan operation not supported on this index type');
  }
  if (index === undefined || !index.written) {
    throw new ValidationException('The table does not have the specified index');
  }
  if (index.keySchema.partition.length > 1 || index.keySchema.sort.length > 1) {
    throw new ValidationException(
      'PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys.',
    );
  }
  if (index.kind === 'global' && consistentRead) {
    throw new ValidationException('Strongly consistent read is not supported on Global Secondary Indexes');
  }
  if (!index.readable) {
    throw new ValidationException(`Cannot read from backfilling global secondary index: ${indexName}`);
  }
  return index;
}

/** The keys of an index that is read: it has exactly one partition key, which has been checked. */
export function keysOf(
  table: Table,
  index: SecondaryIndex | undefined,
): { readonly partitionKey: KeyAttribute; readonly sortKey?: KeyAttribute } {
  const schema = index?.keySchema ?? table.keySchema;
  const partitionKey = schema.partition[0] ?? table.partitionKey;
  const sortKey = schema.sort[0];
  return { partitionKey, ...(sortKey && { sortKey }) };
}

export function planProjection(
  table: Table,
  index: SecondaryIndex | undefined,
  { columns, text }: SelectStatement,
): Projection | undefined {
  if (columns === undefined) return undefined;
  const projection = columnProjection(columns, text);
  const { projectedNames } = index ?? {};
  if (index?.kind === 'global' && projectedNames !== undefined) {
    const missing = [...projection.attributeNames].filter((name) => !projectedNames.has(name));
    if (missing.length > 0) {
      throw new ValidationException(
        `One or more parameter values were invalid: Global secondary index ${index.indexName} does not project [${missing.join(', ')}]`,
      );
    }
  }
  checkKeysAreScalars(table, projection.paths);
  return projection;
}

/** Only columns make a read of a local index fetch the items. Conditions see the attributes that the index projects. */
function needsTable(index: SecondaryIndex | undefined, projection: Projection | undefined): boolean {
  const { projectedNames } = index ?? {};
  if (projectedNames === undefined || projection === undefined) return false;
  return [...projection.attributeNames].some((name) => !projectedNames.has(name));
}

function planScan(table: Table, index: SecondaryIndex | undefined, where: ConditionTree | undefined): OrderedRead {
  const spaceId = index?.space ?? table.record.itemSpace;
  const filterTrees = where === undefined ? [] : [where];
  return {
    operation: 'Scan',
    from: spaceStart(spaceId),
    to: spaceStart(spaceId + 1),
    keyTerms: [],
    partition: undefined,
    filterTrees,
    filter: filterOf(filterTrees, index),
  };
}

export function planBranches(
  table: Table,
  index: SecondaryIndex | undefined,
  branches: readonly KeyBranch[],
  where: ConditionTree | undefined,
): readonly OrderedRead[] {
  const { sortKey } = keysOf(table, index);
  const byPartition = new Map<string, KeyBranch[]>();
  for (const branch of branches) {
    const name = JSON.stringify(branch.partition);
    byPartition.set(name, [...(byPartition.get(name) ?? []), branch]);
  }
  return [...byPartition.values()].flatMap((ofPartition) => {
    // A negated branch may find an item that another finds too, so they are read together, with all of WHERE as a filter.
    const isTogether = ofPartition.length > 1 && ofPartition.some((branch) => negatesSortKey(branch, sortKey));
    const merged = ofPartition.map((branch) =>
      isTogether ? { ...branch, sortTerms: [], filters: where ? [where] : [] } : branch,
    );
    const reads = (isTogether ? merged.slice(0, 1) : merged).map((branch) => planBranch(table, index, branch));
    checkNoOverlap(reads);
    return reads;
  });
}

function planBranch(table: Table, index: SecondaryIndex | undefined, branch: KeyBranch): OrderedRead {
  const { partitionKey, sortKey } = keysOf(table, index);
  const { partition, sortTerms, filters } = branch;
  const partitionTerm: KeyTerm = {
    attributeName: partitionKey.attributeName,
    operator: '=',
    operands: partition === undefined ? [] : [partition],
  };
  const ranges = (sortTerms.length === 0 ? [[]] : sortTerms.map((term) => [term])).map((terms) =>
    keyRangeOf(
      table,
      index,
      resolveKeyCondition({ terms: [partitionTerm, ...terms] }, index?.keySchema ?? table.keySchema),
    ),
  );
  const isOneItem =
    index === undefined && (sortKey === undefined || sortTerms.some(({ operator }) => operator === '='));
  return {
    operation: isOneItem ? 'GetItem' : 'Query',
    ...intersection(ranges),
    keyTerms: [partitionTerm, ...sortTerms],
    partition,
    filterTrees: filters,
    filter: filterOf(filters, index),
  };
}

/** The keys that are in all ranges. If there are none, the range is empty. */
function intersection(ranges: readonly KeyRange[]): KeyRange {
  const [first, ...others] = ranges as [KeyRange, ...KeyRange[]]; // there is one for each sort term, or one
  let { from, to } = first;
  for (const range of others) {
    if (range.from.compare(from) > 0) ({ from } = range);
    if (range.to.compare(to) < 0) ({ to } = range);
  }
  return { from, to: to.compare(from) < 0 ? from : to };
}

/** The filter of a read, which sees only the attributes that the index projects. */
function filterOf(trees: readonly ConditionTree[], index: SecondaryIndex | undefined): Condition | undefined {
  if (trees.length === 0) return undefined;
  const [first] = trees as [ConditionTree];
  const condition = conditionOf(trees.length === 1 ? first : { kind: 'and', parts: trees, node: first.node });
  const { projectedNames } = index ?? {};
  if (projectedNames === undefined) return condition;
  return {
    paths: condition.paths,
    attributeNames: condition.attributeNames,
    evaluate: (source) =>
      condition.evaluate({
        getAttribute: (name) => (projectedNames.has(name) ? source.getAttribute(name) : undefined),
      }),
  };
}

/** @throws {ValidationException} if all reads test attributes that the index does not project. */
function checkFilterProjected({ indexName, projectedNames }: SecondaryIndex, reads: readonly OrderedRead[]): void {
  const missing = reads.toSorted(byPartition).map(({ filterTrees }) => {
    const names = [...attributeNamesOf(filterTrees.flatMap(pathsOf))];
    return names.filter((name) => projectedNames?.has(name) === false);
  });
  const last = missing[missing.length - 1];
  if (last === undefined || missing.some((names) => names.length === 0)) return;
  throw new ValidationException(
    `One or more parameter values were invalid: Secondary index ${indexName} does not project one or more filter attributes: [${unprojectedNames(last).join(', ')}]`,
  );
}
