import { ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import { deniedAcrossAccounts } from './access-denied.ts';
import { invalidParameter } from './parameter-errors.ts';

/**
 * Returns the table that a resource ARN names, in the account and region of the requester.
 *
 * @param action - the action that received the ARN, for the error.
 * @throws {ValidationException} when it is not the ARN of a table in that account and region.
 * @throws {DynamoError} `AccessDeniedException` when it is the ARN of another account's table.
 */
export function tableNameOfArn(resourceArn: string, action: string, context: RequestContext): string {
  if (!resourceArn.startsWith('arn:')) throw invalidParameter(`ARNs must start with 'arn:': ${resourceArn}`);
  const [, , service, region, accountId, ...resource] = resourceArn.split(':');
  const [kind, tableName, part] = resource.join(':').split('/');
  if (service !== 'dynamodb' || kind !== 'table') {
    throw invalidParameter(`Provided Arn is not a DynamoDB resource arn: ${resourceArn}`);
  }
  if (part !== undefined && part !== 'stream') {
    throw invalidParameter(
      `Invalid resource arn provided, only table or stream is accepted. Provided resource arn: ${resourceArn}`,
    );
  }
  const isName = tableName !== undefined && /^[a-zA-Z0-9_.-]{3,255}$/.test(tableName);
  const isAccount = accountId !== undefined && /^\d{12}$/.test(accountId);
  if (isName && isAccount && accountId !== context.accountId) throw deniedAcrossAccounts(action, resourceArn, context);
  if (!isName || accountId !== context.accountId || region !== context.region) {
    throw new ValidationException(`Invalid TableArn: Invalid ResourceArn provided as input ${resourceArn}`);
  }
  return tableName;
}
