import { deniedAcrossAccounts, knownRegions, type RequestContext } from '../../engine/index.ts';
import { ValidationException } from '../../values/service-error.ts';

/** Whether a table name is meant as an ARN. No legal table name contains a colon. */
export function looksLikeArn(tableName: string): boolean {
  return tableName.startsWith('arn:');
}

const tableArnLengthMax = 1024;
const tableArnPattern = /^arn:aws[a-z-]*:dynamodb:([^:]*):([^:]*):table\/([a-zA-Z0-9_.-]{1,255})$/;

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
 * The table that an ARN names. The service must have its region, and it must be that of the request. Its account may be another one
 * only if the sender is verified, for the actions that work across accounts: policies decide then. Otherwise the answer reveals nothing about
 * another account's table, not even whether the region is right.
 *
 * Assumed: the texts are those that the service uses for the same mistakes in the ARNs of tagged resources.
 */
export function tableOfArn(arn: string, action: string, context: RequestContext): ArnTable {
  const match = arn.length <= tableArnLengthMax ? tableArnPattern.exec(arn) : null;
  const [, region = '', accountId = '', tableName = ''] = match ?? [];
  if (match === null) throw invalidArn(arn);
  if (region !== context.region && !knownRegions.includes(region)) {
    throw new ValidationException(`Invalid AWS region in '${arn}'`);
  }
  const mayBeAnothers = context.callerArn !== undefined && acrossAccounts.has(action) && /^\d{12}$/.test(accountId);
  if (accountId !== context.accountId && !mayBeAnothers) throw deniedAcrossAccounts(action, arn, context);
  if (region !== context.region) throw invalidArn(arn);
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

function invalidArn(arn: string): ValidationException {
  return new ValidationException(`Invalid TableArn: Invalid ResourceArn provided as input ${arn}`);
}
