import type { AttributeMap, AttributeValue, UncheckedAttributeValue } from '../values/attribute-value.ts';

/** The input of `explainStatement`, in the service's spelling. */
export interface ExplainStatementInput {
  /** The PartiQL text. */
  readonly Statement: string;
  /** The values of the `?` in the statement. */
  readonly Parameters?: readonly UncheckedAttributeValue[];
  /** Whether reads are strongly consistent; false by default. */
  readonly ConsistentRead?: boolean;
}

/** What a statement would do. */
export interface ExplainStatementOutput {
  /** The table that the statement names. */
  readonly TableName: string;
  /** The index that the statement names, if any. */
  readonly IndexName?: string;
  /** Whether all items of the table or index are read, whatever the WHERE clause filters out. */
  readonly IsScan: boolean;
  /** In the order in which they run. */
  readonly Operations: readonly ExplainedOperation[];
  /** For a read: whether it ascends by the sort key. */
  readonly ScanIndexForward?: boolean;
}

/** One operation that a PartiQL statement is translated to. */
export interface ExplainedOperation {
  /** The equivalent action of the API. */
  readonly Operation: 'GetItem' | 'Query' | 'Scan' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheck';
  /** For a write. */
  readonly Key?: AttributeMap;
  /** For a read: conditions on the key, all of which must hold. */
  readonly KeyConditions?: readonly {
    readonly AttributeName: string;
    readonly Operator: string;
    readonly Operands: readonly AttributeValue[];
  }[];
  /** The remaining part of the WHERE clause, as PartiQL. It is applied to the items read. */
  readonly Filter?: string;
}
