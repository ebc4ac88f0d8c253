import type { AttributeMap, AttributeValue, UncheckedAttributeValue } from '../values/attribute-value.ts';

/** What is asked of `explainStatement`, in the service's spelling. */
export interface ExplainStatementInput {
  /** PartiQL. */
  readonly Statement: string;
  /** What the `?` of the statement represent. */
  readonly Parameters?: readonly UncheckedAttributeValue[];
  /** Whether reads are strongly consistent; false by default. */
  readonly ConsistentRead?: boolean;
}

/** What a statement would do. */
export interface ExplainStatementOutput {
  /** The table that the statement names. */
  readonly TableName: string;
  /** The index that the statement names, if it names one. */
  readonly IndexName?: string;
  /** Whether all items of the table or index are read, whatever the WHERE clause leaves of them. */
  readonly IsScan: boolean;
  /** In the order in which they run. */
  readonly Operations: readonly ExplainedOperation[];
  /** Of a read: whether it goes up the sort key. */
  readonly ScanIndexForward?: boolean;
}

/** One operation that a PartiQL statement becomes. */
export interface ExplainedOperation {
  /** The action of the API that does the same. */
  readonly Operation: 'GetItem' | 'Query' | 'Scan' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheck';
  /** Of a write. */
  readonly Key?: AttributeMap;
  /** Of a read: conditions on the key, all of which hold. */
  readonly KeyConditions?: readonly {
    readonly AttributeName: string;
    readonly Operator: string;
    readonly Operands: readonly AttributeValue[];
  }[];
  /** What is left of the WHERE clause, as PartiQL. It is applied to what was read. */
  readonly Filter?: string;
}
