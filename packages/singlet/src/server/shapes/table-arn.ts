import type { RequestContext } from '../../engine/index.ts';
import { DynamoError, ValidationException } from '../../values/service-error.ts';

/** Whether a table name is meant as an ARN. No legal table name holds a colon. */
export function looksLikeArn(tableName: string): boolean {
  return tableName.startsWith('arn:');
}

const tableArnLengthMax = 1024;
const tableArnPattern = /^arn:aws[a-z-]*:dynamodb:([^:]*):([^:]*):table\/([a-zA-Z0-9_.-]{1,255})$/;

/**
 * The name in the ARN of a table. Account and region must be those of the request, the account being looked at first:
 * of another account's table nothing is told, not even whether the region is right.
 *
 * Assumed: the texts are those which the service uses for the same mistakes in the ARNs of tagged resources.
 */
export function tableNameFromArn(arn: string, action: string, context: RequestContext): string {
  const match = arn.length <= tableArnLengthMax ? tableArnPattern.exec(arn) : null;
  const [, region = '', accountId = '', name = ''] = match ?? [];
  if (match === null) throw invalidArn(arn);
  if (accountId !== context.accountId) {
    throw new DynamoError(
      'AccessDeniedException',
      `User: arn:aws:iam::${context.accountId}:root is not authorized to perform: dynamodb:${action} on resource: ${arn} ` +
        `because no resource-based policy allows the dynamodb:${action} action`,
    );
  }
  if (region !== context.region) throw invalidArn(arn);
  return name;
}

function invalidArn(arn: string): ValidationException {
  return new ValidationException(`Invalid TableArn: Invalid ResourceArn provided as input ${arn}`);
}
