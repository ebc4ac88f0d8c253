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
 * Which items an export has, and what of them. A key condition is read as that of a Query, and then a filter may not name keys;
 * without one the filter is that of a Scan. Of a changed item the latest image is looked at, of a removed one the old image.
 */

/** Expressions of an export, as a request gives them. All may be absent. */
export interface FilterSpecification {
  readonly keyConditionExpression?: string | undefined;
  readonly filterExpression?: string | undefined;
  readonly projectionExpression?: string | undefined;
  readonly expressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly expressionAttributeValues?: UncheckedAttributeMap | undefined;
}

/** A filter as it is stored with its export. */
export interface RecordedFilter {
  readonly specification: FilterSpecification;
  /** The keys that the key condition names, without the space that they are in: hexadecimal, `to` exclusive, absent at the end. */
  readonly keys?: { readonly from: string; readonly to?: string };
}

export interface ExportFilter {
  /** The run of keys of a space to look at. */
  range(spaceId: number): { readonly from: Buffer; readonly to: Buffer };
  /** @throws {ValidationException} when that takes more work than one item may. */
  isExported(item: StoredItem): boolean;
  /** The work that the last item was, in units. */
  lastUnits(): number;
  /** What of an item is exported: all of it, or a part. */
  partOf(item: StoredItem): StoredItem | AttributeMap;
}

const spaceBytes = 4;

/** Checks what can be said of a filter without the table. @throws {ValidationException} as Query or Scan would. */
export function checkExportFilter(specification: FilterSpecification): void {
  checkExpressionParameters(specification, operationOf(specification));
  compile(specification);
}

/** A filter to be stored. @throws {ValidationException} when it does not go with the keys of the table. */
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

/** The filter of an export; without one it lets everything through. */
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
