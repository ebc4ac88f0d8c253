import type { Credentials } from '../studio/request-signature.ts';
import { loadPackage } from '../values/missing-package.ts';
import { UsageError } from './usage-error.ts';

/**
 * Loads the AWS SDK, which finds the credentials of the environment or of a profile.
 *
 * @param command - named in the error if the SDK is not installed.
 * @throws {UsageError} if there are none.
 */
export async function sdkCredentials(command: string, region: string): Promise<() => Promise<Credentials>> {
  const { DynamoDBClient } = await loadPackage(command, () => import('@aws-sdk/client-dynamodb'));
  const { config } = new DynamoDBClient({ region });
  try {
    await config.credentials();
  } catch (error) {
    throw new UsageError(
      'There are no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.',
      { cause: error },
    );
  }
  return () => config.credentials();
}
