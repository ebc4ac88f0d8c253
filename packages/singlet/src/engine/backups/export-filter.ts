import { evaluationUnits } from '../../values/work-units.ts';
import {
  checkExpressionParameters,
  checkFilterWithoutKeys,
  checkKeysNotNested,
  type CompiledExpressions,
  compileExpressions,
  resolveKeyCondition,
} from '../../expressions/index.ts';
import type { AttributeMap, UncheckedAttributeMap } from '../../values/attribute-value.ts';
import { keyRangeOf } from '../items/key-range.ts';
import type { StoredItem } from '../layout/stored-item.ts';
import { spaceStart } from '../layout/spaces.ts';
import type { Table } from '../catalog/table.ts';

/*
 * Which items, and which parts of them, an export contains. A key condition is read like that of a Query, and then a filter may
 * not name keys. Without one, the filter is that of a Scan. The filter tests the latest image of a changed item, and the old
 * image of a removed one.
 */

/** The expressions of an export request. All may be absent. */
export interface FilterSpecification {
  readonly keyConditionExpression?: string | undefined;
  readonly filterExpression?: string | undefined;
  readonly projectionExpression?: string | undefined;
  readonly expressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly expressionAttributeValues?: UncheckedAttributeMap | undefined;
}

/** A filter as stored with its export. */
export interface RecordedFilter {
  readonly specification: FilterSpecification;
  /** The keys that the key condition names, without their space: hexadecimal; `to` is exclusive, and absent at the end. */
  readonly keys?: { readonly from: string; readonly to?: string };
}

export interface ExportFilter {
  /** The range of keys of a space that the export reads. */
  range(spaceId: number): { readonly from: Buffer; readonly to: Buffer };
  /** @throws {ValidationException} when the evaluation exceeds the work limit of one item. */
  isExported(item: StoredItem): boolean;
  /** The work that the last item took, in units. */
  lastUnits(): number;
  /** The exported part of an item: all of it, or its projection. */
  partOf(item: StoredItem): StoredItem | AttributeMap;
}

const spaceBytes = 4;

/** Checks a filter as far as possible without the table. @throws {ValidationException} as Query or Scan would. */
export function checkExportFilter(specification: FilterSpecification): void {
  checkExpressionParameters(specification, operationOf(specification));
  compile(specification);
}

/** The stored form of a filter. @throws {ValidationException} when it does not match the keys of the table. */
export function recordedFilter(specification: FilterSpecification, table: Table): RecordedFilter {
  const { keyCondition, filter, projection } = compile(specification);
  const tableKeys = table.keyAttributes.map(({ attributeName }) => attributeName);
  const indexes = [...table.globalIndexes, ...table.localIndexes].flatMap((index) => index.keyAttributes);
  const indexKeys = indexes.map(({ attributeName }) => attributeName);
  const range = keyCondition && keyRangeOf(table, undefined, resolveKeyCondition(keyCondition, table.keySchema));
  if (keyCondition !== undefined && filter !== undefined)
    checkFilterWithoutKeys(filter, tableKeys, 'Filter Expression');
  for (const paths of [projection?.paths, filter?.paths]) {
    if (paths !== undefined) checkKeysNotNested(paths, { table: tableKeys, indexes: indexKeys });
  }
  if (range === undefined) return { specification };
  const { itemSpace } = table.record;
  const isInside = range.to.readUInt32BE(0) === itemSpace;
  const from = range.from.toString('hex', spaceBytes);
  return { specification, keys: { from, ...(isInside && { to: range.to.toString('hex', spaceBytes) }) } };
}

/** The filter of an export. Without expressions it accepts every item. */
export function exportFilter(recorded: RecordedFilter | undefined): ExportFilter {
  const { filter, projection } = recorded === undefined ? {} : compile(recorded.specification);
  const keys = recorded?.keys;
  return {
    range: (spaceId) => {
      const spacePart = spaceStart(spaceId).subarray(0, spaceBytes);
      const at = (text: string): Buffer => Buffer.concat([spacePart, Buffer.from(text, 'hex')]);
      return {
        from: keys === undefined ? spaceStart(spaceId) : at(keys.from),
        to: keys?.to === undefined ? spaceStart(spaceId + 1) : at(keys.to),
      };
    },
    isExported: (item) => filter?.evaluate(item) ?? true,
    lastUnits: () => (filter === undefined ? 0 : evaluationUnits()),
    partOf: (item) => projection?.project(item) ?? item,
  };
}

function compile(specification: FilterSpecification): CompiledExpressions {
  return compileExpressions(specification, operationOf(specification));
}

function operationOf({ keyConditionExpression }: FilterSpecification): 'Query' | 'Scan' {
  return keyConditionExpression === undefined ? 'Scan' : 'Query';
}
