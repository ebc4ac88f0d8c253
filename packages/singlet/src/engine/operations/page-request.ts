import type { AttributeMap, UncheckedAttributeMap } from '../../values/attribute-value.ts';
import type { ConsumedCapacity, ReturnConsumedCapacity } from '../capacity/consumed-capacity.ts';
import type { ItemOutput } from '../layout/stored-item.ts';

export type Select = 'ALL_ATTRIBUTES' | 'ALL_PROJECTED_ATTRIBUTES' | 'SPECIFIC_ATTRIBUTES' | 'COUNT';

/** The parameters that Query and Scan have in common. */
export interface PageRequest {
  readonly tableName: string;
  readonly indexName?: string | undefined;
  readonly select?: Select | undefined;
  /** Items to evaluate before the filter, at least 1. */
  readonly limit?: number | undefined;
  readonly consistentRead?: boolean | undefined;
  readonly exclusiveStartKey?: UncheckedAttributeMap | undefined;
  readonly filterExpression?: string | undefined;
  readonly projectionExpression?: string | undefined;
  readonly expressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly expressionAttributeValues?: UncheckedAttributeMap | undefined;
  readonly returnConsumedCapacity?: ReturnConsumedCapacity | undefined;
  /** Legacy. */
  readonly attributesToGet?: readonly string[] | undefined;
  readonly conditionalOperator?: 'AND' | 'OR' | undefined;
}

/** A page of Query or Scan. `lastEvaluatedKey` is absent only at the end. */
export interface PageResult {
  /** Absent with `Select: 'COUNT'`. */
  readonly items?: readonly ItemOutput[] | undefined;
  /** Items after the filter. */
  readonly count: number;
  /** Items before the filter. */
  readonly scannedCount: number;
  readonly lastEvaluatedKey?: AttributeMap | undefined;
  readonly consumedCapacity?: ConsumedCapacity | undefined;
}
