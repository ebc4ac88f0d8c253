import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import { ItemText } from '../../values/item-text.ts';

export type ItemFormat = 'DYNAMODB_JSON' | 'ION' | 'CSV';

export type Compression = 'NONE' | 'GZIP' | 'ZSTD';

/** One item, as read from a file. */
export interface ItemRecord {
  /** The line on which it begins, counted from 1. */
  readonly line: number;
  /**
   * The item. It is text if the file contains it in its stored form; its values have then been checked. Otherwise its JSON types have been
   * checked, and its values are checked where it is stored.
   */
  readonly item: UncheckedAttributeMap | ItemText;
  /** The condition under which it is written. Only bulk operations have conditions; absent in nearly every file. */
  readonly condition?: RecordCondition;
}

export interface RecordCondition {
  readonly conditionExpression: string;
  readonly expressionAttributeNames?: Readonly<Record<string, string>>;
  readonly expressionAttributeValues?: UncheckedAttributeMap;
}

/** The item as a map, from either form. */
export function itemMapOf({ item }: ItemRecord): UncheckedAttributeMap {
  return item instanceof ItemText ? item.toMap() : item;
}
