import { deniedAcrossAccounts, knownRegions, type RequestContext } from '../../engine/index.ts';
import { ValidationException } from '../../values/service-error.ts';

/** Whether a table name is meant as an ARN. No legal table name contains a colon. */
export function looksLikeArn(tableName: string): boolean {
  return tableName.startsWith('arn:');
}

const tableArnLengthMax = 1024;
const arnPattern = /^arn:([^:]*):dynamodb:([^:]*):([^:]*):([^:/]*)\/(.*)$/;
const awsPartition = /^aws[a-z-]*$/;
const tableNamePattern = /^[a-zA-Z0-9_.-]{1,255}$/;

/** The table that an ARN names. */
export interface ArnTable {
  readonly tableName: string;
  readonly accountId: string;
}

/** Actions on tables of other accounts that DynamoDB's resource policies can grant. Those on streams and tags take ARNs anyway. */
const acrossAccounts: ReadonlySet<string> = new Set([
  'BatchGetItem',
  'BatchWriteItem',
  'DeleteItem',
  'DeleteTable',
  'DescribeTable',
  'GetItem',
  'PutItem',
  'Query',
  'Scan',
  'TransactGetItems',
  'TransactWriteItems',
  'UpdateItem',
  'UpdateTable',
]);

/**
 * The table that an ARN names. Its region must be that of the request. Its account may be another one only if the sender is verified, for
 * the actions that work across accounts: policies decide then. Otherwise the answer reveals nothing about another account's table, not
 * even whether the region is right, unless there is no such region.
 *
 * Assumed: the order of these errors, and that all actions report them in the words of DescribeTable.
 */
export function tableOfArn(arn: string, action: string, context: RequestContext): ArnTable {
  const match = arn.length <= tableArnLengthMax ? arnPattern.exec(arn) : null;
  const [, partition = '', region = '', accountId = '', resourceType = '', tableName = ''] = match ?? [];
  if (match === null) throw malformedArn(arn);
  if (!awsPartition.test(partition)) throw invalidPart('AWS partition', arn);
  if (region !== context.region && !knownRegions.includes(region)) throw invalidPart('AWS region', arn);
  if (resourceType !== 'table') throw invalidPart('resource type', arn);
  if (!tableNamePattern.test(tableName)) throw malformedArn(arn);
  const mayBeAnothers = context.callerArn !== undefined && acrossAccounts.has(action) && /^\d{12}$/.test(accountId);
  if (accountId !== context.accountId && !mayBeAnothers) throw deniedAcrossAccounts(action, arn, context);
  if (region !== context.region) throw invalidPart('AWS region', arn);
  return { tableName, accountId };
}

/** @param arn - of a table, as accepted by {@link tableOfArn}. */
export function accountOfArn(arn: string): string {
  return arn.split(':', 5)[4] ?? '';
}

/** Assumed: the service's own answer is not on record. */
export function severalOwners(): ValidationException {
  return new ValidationException('The tables of one request must belong to one account');
}

function invalidPart(part: 'AWS partition' | 'AWS region' | 'resource type', arn: string): ValidationException {
  return new ValidationException(`1 validation error detected: Invalid ${part} in '${arn}'`);
}

function malformedArn(arn: string): ValidationException {
  return new ValidationException(
    `1 validation error detected: Value '${arn}' at 'tableName' failed to satisfy constraint: Valid ARN format is 'arn:<awsPartition>:<vendor>:<region>:<subscriber>:resourceType/resourceName', where Resource name must have length less than or equal to 255, Resource name must have length greater than or equal to 3, Resource name must satisfy regular expression pattern: [a-zA-Z0-9_.-]+`,
  );
}
