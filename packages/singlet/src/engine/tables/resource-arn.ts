import { ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import { invalidParameter } from './parameter-errors.ts';

/**
 * The table that a resource ARN names, in the account and region of the requester.
 *
 * @throws {ValidationException} when it is not the ARN of a table there.
 */
export function tableNameOfArn(resourceArn: string, context: RequestContext): string {
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
  const isHere = region === context.region && accountId === context.accountId;
  if (!isHere || tableName === undefined || !/^[a-zA-Z0-9_.-]{3,255}$/.test(tableName)) {
    throw new ValidationException(`Invalid TableArn: Invalid ResourceArn provided as input ${resourceArn}`);
  }
  return tableName;
}
