import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import { ItemText } from '../../values/item-text.ts';

export type ItemFormat = 'DYNAMODB_JSON' | 'ION' | 'CSV';

export type Compression = 'NONE' | 'GZIP' | 'ZSTD';

/** One item as it was read. */
export interface ItemRecord {
  /** The line on which it begins, from 1. */
  readonly line: number;
  /**
   * The item, as text where it is in the file as it would be stored: then its values have been checked, too. Otherwise
   * its JSON types are right; whether its values make sense is checked where it is stored.
   */
  readonly item: UncheckedAttributeMap | ItemText;
  /** Under which it is to be written. Only bulk operations know it; absent in nearly every file. */
  readonly condition?: RecordCondition;
}

export interface RecordCondition {
  readonly conditionExpression: string;
  readonly expressionAttributeNames?: Readonly<Record<string, string>>;
  readonly expressionAttributeValues?: UncheckedAttributeMap;
}

/** The item as a map, whichever it was. */
export function itemMapOf({ item }: ItemRecord): UncheckedAttributeMap {
  return item instanceof ItemText ? item.toMap() : item;
}
