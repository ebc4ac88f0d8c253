import type { AttributeMap, AttributeValue, UncheckedAttributeValue } from '../values/attribute-value.ts';

/** What is asked of `explainStatement`, in the service's spelling. */
export interface ExplainStatementInput {
  /** PartiQL. */
  readonly Statement: string;
  /** What the `?` of the statement stand for. */
  readonly Parameters?: readonly UncheckedAttributeValue[];
  readonly ConsistentRead?: boolean;
}

/** What a statement would do. */
export interface ExplainStatementOutput {
  readonly TableName: string;
  readonly IndexName?: string;
  /** Whether all items of the table or index are read, whatever the WHERE clause leaves of them. */
  readonly IsScan: boolean;
  /** In the order in which they run. */
  readonly Operations: readonly ExplainedOperation[];
  /** Of a read: whether it goes up the sort key. */
  readonly ScanIndexForward?: boolean;
}

export interface ExplainedOperation {
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

/** An explanation as people read it. */
export function printExplanation(explanation: ExplainStatementOutput): string {
  const { TableName, IndexName, IsScan, Operations, ScanIndexForward } = explanation;
  const source = IndexName === undefined ? TableName : `${TableName}.${IndexName}`;
  const reads = Operations.filter(({ Operation }) => ['GetItem', 'Query', 'Scan'].includes(Operation));
  return [
    ...Operations.map((operation) => `${operation.Operation} on ${source}${details(operation)}`),
    ...(ScanIndexForward === false ? ['in descending order of the sort key'] : []),
    ...(Operations.length > 1 ? [`${Operations.length} operations, one after the other`] : []),
    ...(Operations.length === 0 ? [`nothing is read from ${source}: no key can fulfil the conditions`] : []),
    ...(IsScan ? [`This is a scan: it reads all of ${source}, whatever the conditions leave of it.`] : []),
    ...(!IsScan && reads.some(({ Filter }) => Filter !== undefined)
      ? ['The filter is applied to what was read: what it removes costs as much as what it keeps.']
      : []),
    '',
  ].join('\n');
}

function details({ Key, KeyConditions = [], Filter }: ExplainedOperation): string {
  const conditions = Key === undefined ? KeyConditions.map(conditionText) : Object.entries(Key).map(keyText);
  return [
    ...(conditions.length === 0 ? [] : [`\n  key: ${conditions.join(' and ')}`]),
    ...(Filter === undefined ? [] : [`\n  filter: ${Filter}`]),
  ].join('');
}

function conditionText(condition: NonNullable<ExplainedOperation['KeyConditions']>[number]): string {
  const { AttributeName, Operator, Operands } = condition;
  const operands = Operands.map(valueText);
  if (Operator === 'begins_with') return `begins_with(${AttributeName}, ${operands.join(', ')})`;
  return `${AttributeName} ${Operator} ${operands.join(' AND ')}`;
}

function keyText([name, value]: readonly [string, AttributeValue]): string {
  return `${name} = ${valueText(value)}`;
}

/** A key's value as PartiQL writes it; a binary one, as JSON does. */
function valueText(value: AttributeValue): string {
  if ('S' in value && typeof value.S === 'string') return `'${value.S.replaceAll("'", "''")}'`;
  if ('N' in value && typeof value.N === 'string') return value.N;
  return JSON.stringify(value);
}
