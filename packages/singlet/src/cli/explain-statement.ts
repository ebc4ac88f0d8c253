import type { ExplainedOperation, ExplainStatementOutput } from '../database/explained-statement.ts';
import type { AttributeValue } from '../values/attribute-value.ts';

/** Formats an explanation for people. */
export function printExplanation(explanation: ExplainStatementOutput): string {
  const { TableName, IndexName, IsScan, Operations, ScanIndexForward } = explanation;
  const source = IndexName === undefined ? TableName : `${TableName}.${IndexName}`;
  const reads = Operations.filter(({ Operation }) => ['GetItem', 'Query', 'Scan'].includes(Operation));
  return [
    ...Operations.map((operation) => `${operation.Operation} on ${source}${details(operation)}`),
    ...(ScanIndexForward === false ? ['in descending order of the sort key'] : []),
    ...(Operations.length > 1 ? [`${Operations.length} operations, one after another`] : []),
    ...(Operations.length === 0 ? [`nothing is read from ${source}: no key can meet the conditions`] : []),
    ...(IsScan ? [`This is a scan: it reads all of ${source}, however few items the conditions keep.`] : []),
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

/** A key's value in PartiQL syntax; a binary value as JSON. */
function valueText(value: AttributeValue): string {
  if ('S' in value && typeof value.S === 'string') return `'${value.S.replaceAll("'", "''")}'`;
  if ('N' in value && typeof value.N === 'string') return value.N;
  return JSON.stringify(value);
}
