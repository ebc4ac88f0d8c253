import { DynamoError } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';

/** The refusal of a request that names a resource of another account, whether or not the resource exists. */
export function deniedAcrossAccounts(action: string, resourceArn: string, context: RequestContext): DynamoError {
  const user = context.callerArn ?? `arn:aws:iam::${context.accountId}:root`;
  return new DynamoError(
    'AccessDeniedException',
    `User: ${user} is not authorized to perform: dynamodb:${action} on resource: ${resourceArn} ` +
      `because no resource-based policy allows the dynamodb:${action} action`,
  );
}
