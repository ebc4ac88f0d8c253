import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';

export type ItemFormat = 'DYNAMODB_JSON' | 'ION' | 'CSV';

export type Compression = 'NONE' | 'GZIP' | 'ZSTD';

/** One item as it was read. Its JSON types are right; whether its values make sense is for whoever stores it to check. */
export interface ItemRecord {
  /** The line on which it begins, from 1. */
  readonly line: number;
  readonly item: UncheckedAttributeMap;
  /** Under which it is to be written. Only bulk operations know it; absent in nearly every file. */
  readonly condition?: RecordCondition;
}

export interface RecordCondition {
  readonly conditionExpression: string;
  readonly expressionAttributeNames?: Readonly<Record<string, string>>;
  readonly expressionAttributeValues?: UncheckedAttributeMap;
}
